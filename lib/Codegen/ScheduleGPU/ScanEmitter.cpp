//===- ScanEmitter.cpp - Scans inside of kernels --------------------------===//

#include "ScanKernel.h"
#include "ScanLanes.h"
#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// How many elements a thread with a row of its own loads before it goes on.
static constexpr unsigned kUnrolled = 8;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Values ScanEmitter::select(Value condition, ValueRange yes, ValueRange no) {
  Values chosen;
  for (auto [a, b] : llvm::zip_equal(yes, no))
    chosen.push_back(
        builder.createOrFold<arith::SelectOp>(loc, condition, a, b));
  return chosen;
}

Values ScanEmitter::combine(ValueRange before, ValueRange next) {
  Block &block = op.getAccumulate().getCombine().front();
  IRMapping map;
  map.map(block.getArguments().take_front(before.size()), before);
  map.map(block.getArguments().drop_front(before.size()), next);
  for (Operation &inner : block.without_terminator())
    builder.clone(inner, map);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
}

Values ScanEmitter::shuffleUp(ValueRange values, unsigned distance) {
  return llvm::map_to_vector(values, [&](Value value) {
    return createShuffle(builder, loc, value, distance, gpu::ShuffleMode::UP);
  });
}

void ScanEmitter::emitIf(Value condition, function_ref<void()> body) {
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

/// Moves the builder into the loop.
scf::ForOp ScanEmitter::enterLoop(Value from, Value to, Value by,
                                  ValueRange carried) {
  auto loop = scf::ForOp::create(builder, loc, from, to, by, carried);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

SmallVector<Value> ScanEmitter::getIndices(Value position) {
  SmallVector<Value> indices(rowIndices);
  indices.insert(indices.begin() + int64_t(op.getDim()), position);
  return indices;
}

/// Threads with a part each are at neighboring rows; the parts of a row are
/// neighbors where teams have them.
Value ScanEmitter::getPlaceOfPart() {
  return isThread() ? math.add(math.mul(part, numRows), row)
                    : math.add(math.mul(row, numParts), part);
}

Values ScanEmitter::loadSums(Value place) {
  return llvm::map_to_vector(sums, [&](Value buffer) -> Value {
    return memref::LoadOp::create(builder, loc, buffer, place);
  });
}

void ScanEmitter::storeSums(ValueRange values, Value place) {
  for (auto [value, buffer] : llvm::zip_equal(values, sums))
    memref::StoreOp::create(builder, loc, value, buffer, place);
}

ScanElement ScanEmitter::map(Value position, ValueRange arguments) {
  Block &body = op.getBody().front();
  AccumulateOp accumulate = op.getAccumulate();
  ScanElement element;
  element.map.map(body.getArgument(0), position);
  element.map.map(body.getArguments().drop_front(), arguments);
  for (Operation &inner : body) {
    if (&inner == accumulate.getOperation())
      break;
    builder.clone(inner, element.map);
  }
  for (Value value : accumulate.getValues())
    element.values.push_back(element.map.lookupOrDefault(value));
  return element;
}

/// The inputs from a position on: for each lane those of its element.
SmallVector<Values> ScanEmitter::load(Value position, unsigned lanes) {
  return loadLanes(builder, loc, inputs, getIndices(position), lanes);
}

/// Whether all lanes from a position on, which may be before the first one, are
/// inside.
Value ScanEmitter::isWhole(Value position) {
  Value starts = compare(arith::CmpIPredicate::sge, position, begin);
  Value ends = compare(arith::CmpIPredicate::sle,
                       math.add(position, constant(team.lanes)), end);
  return builder.createOrFold<arith::AndIOp>(loc, starts, ends);
}

/// The same where some lanes may be outside: those look at the elements next to
/// them.
SmallVector<Values> ScanEmitter::loadAny(Value position) {
  SmallVector<Type> types;
  for (unsigned lane = 0; lane < team.lanes; ++lane)
    for (Value input : inputs)
      types.push_back(cast<MemRefType>(input.getType()).getElementType());
  auto branch = scf::IfOp::create(builder, loc, types, isWhole(position),
                                  /*withElseRegion=*/true);
  auto fill = [&](Block *block, ArrayRef<Values> lanes) {
    SmallVector<Value> all;
    for (const Values &values : lanes)
      llvm::append_range(all, values);
    scf::YieldOp::create(builder, loc, all);
  };
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    fill(branch.thenBlock(), load(position, team.lanes));
    builder.setInsertionPointToStart(branch.elseBlock());
    SmallVector<Values> lanes;
    Value last = math.sub(end, constant(1));
    for (unsigned lane = 0; lane < team.lanes; ++lane) {
      Value inside = builder.createOrFold<arith::MinSIOp>(
          loc, math.add(position, constant(lane)), last);
      inside = builder.createOrFold<arith::MaxSIOp>(loc, inside, begin);
      lanes.push_back(load(inside, 1).front());
    }
    fill(branch.elseBlock(), lanes);
  }
  SmallVector<Values> loaded(team.lanes);
  for (auto [number, value] : llvm::enumerate(branch.getResults()))
    loaded[number / inputs.size()].push_back(value);
  return loaded;
}

SmallVector<ScanElement> ScanEmitter::read(Value position, unsigned lanes) {
  SmallVector<Values> loaded =
      shift && lanes > 1 ? loadAny(position) : load(position, lanes);
  SmallVector<ScanElement> elements;
  for (unsigned at = 0; at < lanes; ++at)
    elements.push_back(map(math.add(position, constant(at)), loaded[at]));
  return elements;
}

/// Stores the outputs from a position on: for each lane those of its element.
void ScanEmitter::store(Value position, ArrayRef<Values> stored) {
  storeLanes(builder, loc, outputs, getIndices(position), stored);
}

void ScanEmitter::write(Value position, MutableArrayRef<ScanElement> elements,
                        ArrayRef<Values> accumulators) {
  Block &body = op.getBody().front();
  AccumulateOp accumulate = op.getAccumulate();
  SmallVector<Values> stored;
  for (auto [element, values] : llvm::zip_equal(elements, accumulators)) {
    element.map.map(accumulate.getResults(), values);
    for (auto it = std::next(accumulate->getIterator()),
              last = std::prev(body.end());
         it != last; ++it)
      builder.clone(*it, element.map);
    const IRMapping &map = element.map;
    stored.push_back(llvm::map_to_vector(op.getYielded(), [&](Value value) {
      return map.lookupOrDefault(value);
    }));
  }
  if (!shift || stored.size() == 1)
    return store(position, stored);
  auto branch = scf::IfOp::create(builder, loc, isWhole(position),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  store(position, stored);
  builder.setInsertionPointToStart(branch.elseBlock());
  for (auto [lane, values] : llvm::enumerate(stored)) {
    Value at = math.add(position, constant(lane));
    Value isInside = builder.createOrFold<arith::AndIOp>(
        loc, compare(arith::CmpIPredicate::sge, at, begin),
        compare(arith::CmpIPredicate::slt, at, end));
    emitIf(isInside, [&, values = ArrayRef(values)] {
      store(at, SmallVector<Values>{Values(values)});
    });
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

ScanEmitter::ScanEmitter(PrefixScanOp op, const Kernel &kernel,
                         OpBuilder &builder, ScanStep step, ScanTeam team,
                         const ScanParts &parts)
    : op(op), builder(builder), loc(op.getLoc()), math(builder, loc),
      step(step), team(team) {
  auto inside = [&](ValueRange values) {
    return llvm::map_to_vector(
        values, [&](Value value) { return kernel.map.lookup(value); });
  };
  inputs = inside(op.getInputs());
  outputs = inside(op.getOutputs());
  starts = inside(op.getStarts());
  int64_t rank = cast<MemRefType>(outputs.front().getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    others.push_back(
        builder.createOrFold<memref::DimOp>(loc, outputs.front(), dim));
  length = others[op.getDim()];
  others.erase(others.begin() + int64_t(op.getDim()));
  numRows = math.product(others);
  if (parts.count) {
    sums = inside(parts.buffers);
    numParts = kernel.map.lookup(parts.count);
    partLength = kernel.map.lookup(parts.length);
  }
  if (team.shift)
    shift = kernel.map.lookupOrDefault(team.shift);
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  lane = math.rem(thread, constant(kWarpSize));
  warp = math.div(thread, constant(kWarpSize));
  if (team.team != Team::Block)
    return;
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  gpu::GPUFuncOp function = kernel.function;
  for (Type type : op.getStarts().getTypes())
    shared.push_back(function.addWorkgroupAttribution(
        MemRefType::get({team.getNumThreads() / kWarpSize}, type,
                        MemRefLayoutAttrInterface(), space),
        loc));
}

/// Finds the row, or the part, that has a number. The step between the two
/// launches of parts takes all parts of a row.
void ScanEmitter::enterRow(Value number) {
  row = number;
  part = constant(0);
  begin = constant(0);
  end = length;
  if (step == ScanStep::Sums) {
    end = numParts;
  } else if (numParts) {
    part = isThread() ? math.div(number, numRows) : math.rem(number, numParts);
    row = isThread() ? math.rem(number, numRows) : math.div(number, numParts);
    begin = math.mul(part, partLength);
    end = math.min(math.add(begin, partLength), length);
  }
  rowIndices = math.delinearize(row, others);
}

/// What is combined with the first element.
Values ScanEmitter::createStart() {
  return step == ScanStep::Apply ? loadSums(getPlaceOfPart()) : starts;
}

void ScanEmitter::emit() {
  Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  Value perBlock = constant(team.getNumTeams());
  Value first = math.mul(block, perBlock);
  if (isThread())
    first = math.add(first, thread);
  else if (isWarp())
    first = math.add(first, warp);
  Value count = numRows;
  if (numParts && step != ScanStep::Sums)
    count = math.mul(count, numParts);
  scf::ForOp loop = enterLoop(first, count, math.mul(blocks, perBlock), {});
  Value number = loop.getInductionVar();
  // What the launch before has read last may be in the cache.
  if (step == ScanStep::Apply)
    number = math.sub(math.sub(count, constant(1)), number);
  enterRow(number);
  isThread() ? emitAlone() : emitTogether();
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

/// Combines `count` elements, all of which are loaded first.
Values ScanEmitter::emitElements(Value position, unsigned count,
                                 Values carried) {
  if (step == ScanStep::Sums) {
    part = position;
    Value place = getPlaceOfPart();
    Values value = loadSums(place);
    storeSums(carried, place);
    return combine(carried, value);
  }
  SmallVector<ScanElement> elements;
  for (unsigned at = 0; at < count; ++at)
    elements.push_back(read(math.add(position, constant(at)), 1)[0]);
  for (unsigned at = 0; at < count; ++at) {
    Values next = combine(carried, elements[at].values);
    if (step != ScanStep::Reduce)
      write(math.add(position, constant(at)), elements[at], next);
    carried = next;
  }
  return carried;
}

/// Goes through the row, several elements at a time, then one by one.
void ScanEmitter::emitAlone() {
  Value one = constant(1);
  Values carried = createStart();
  // A part has an element: it needs no neutral one.
  if (step == ScanStep::Reduce) {
    carried = read(begin, 1)[0].values;
    begin = math.add(begin, one);
  }
  auto emitLoop = [&](Value from, Value to, unsigned count) {
    OpBuilder::InsertionGuard guard(builder);
    scf::ForOp loop = enterLoop(from, to, constant(count), carried);
    Values next = emitElements(loop.getInductionVar(), count,
                               Values(loop.getRegionIterArgs()));
    scf::YieldOp::create(builder, loc, next);
    carried.assign(loop.result_begin(), loop.result_end());
  };
  if (step != ScanStep::Sums) {
    Value rest = math.rem(math.sub(end, begin), constant(kUnrolled));
    Value middle = math.sub(end, rest);
    emitLoop(begin, middle, kUnrolled);
    begin = middle;
  }
  emitLoop(begin, end, 1);
  if (step == ScanStep::Reduce)
    storeSums(carried, getPlaceOfPart());
}

void tally::codegen::emitScan(PrefixScanOp op, const Kernel &kernel,
                              OpBuilder &builder, ScanStep step, ScanTeam team,
                              const ScanParts &parts) {
  ScanEmitter(op, kernel, builder, step, team, parts).emit();
}
