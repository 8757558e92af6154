//===- ScanEmitter.cpp - Scans inside of kernels --------------------------===//

#include "ScanEmitter.h"

#include "ScanLanes.h"
#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <vector>

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

using Values = SmallVector<Value>;

static constexpr unsigned kWarpSize = 32;
/// How many elements a thread with a row of its own loads before it goes on.
static constexpr unsigned kUnrolled = 8;

namespace {

/// An element: what is to be accumulated of it, and the values of the body that
/// have been computed.
struct Element {
  Values values;
  IRMapping map;
};

/// What a thread has of a warp's neighboring elements: as many as there are
/// lanes, from a position on.
struct Round {
  Value position, isValid;
  SmallVector<Element> elements;
  /// What the threads before this one are combined to, unless it is the first
  /// one, and what all of the warp are.
  Values before, all;
};

class ScanEmitter {
public:
  ScanEmitter(PrefixScanOp op, const Kernel &kernel, OpBuilder &builder,
              ScanStep step, ScanTeam team, const ScanParts &parts);

  void emit();

private:
  bool isThread() const { return team.team == Team::Thread; }
  bool isWarp() const { return team.team == Team::Warp; }

  // Values
  Value constant(int64_t value) { return math.constant(value); }
  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
  }
  Values select(Value condition, ValueRange yes, ValueRange no);
  Values combine(ValueRange before, ValueRange next);
  Values shuffleUp(ValueRange values, unsigned distance);
  /// Emits `body` where the condition holds.
  void emitIf(Value condition, function_ref<void()> body);
  scf::ForOp enterLoop(Value from, Value to, Value by, ValueRange carried);

  // Elements
  SmallVector<Value> getIndices(Value position);
  Value getPlaceOfPart();
  Values loadSums(Value place);
  void storeSums(ValueRange values, Value place);
  /// The elements from a position on, as many as there are lanes.
  SmallVector<Element> read(Value position, unsigned lanes);
  SmallVector<Values> load(Value position, unsigned lanes);
  SmallVector<Values> loadAny(Value position);
  Value isWhole(Value position);
  Element map(Value position, ValueRange arguments);
  /// Stores the results, given the accumulators at each element.
  void write(Value position, MutableArrayRef<Element> elements,
             ArrayRef<Values> accumulators);
  void store(Value position, ArrayRef<Values> stored);

  // A row, or a part
  void enterRow(Value number);
  Values createStart();
  void emitAlone();
  Values emitElements(Value position, unsigned count, Values carried);
  Value findFirstTile();
  void emitTogether();
  Values emitTile(Value base, Values carried);
  Round readRound(Value start);
  Values scanRounds(MutableArrayRef<Round> rounds, Value numValid);
  void writeRound(Round &round, Values before);
  Values combineLanes(Value position, ArrayRef<Element> elements);
  /// Combines those of the threads of the warp up to this one.
  Values scanWarp(Values values, Value numValid);
  std::pair<Values, Values> scanWarps(ValueRange values, Value numValid);

  PrefixScanOp op;
  OpBuilder &builder;
  Location loc;
  IndexMath math;
  ScanStep step;
  ScanTeam team;
  /// Of the kernel.
  Values inputs, outputs, starts, sums, others;
  Value length, numRows, numParts, partLength, shift;
  Value thread, lane, warp;
  /// Shared memory: an accumulator of each warp.
  Values shared;
  /// The current row and part, and where it lies in the row.
  Value row, part, begin, end;
  SmallVector<Value> rowIndices;
};

} // namespace

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

Element ScanEmitter::map(Value position, ValueRange arguments) {
  Block &body = op.getBody().front();
  AccumulateOp accumulate = op.getAccumulate();
  Element element;
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

SmallVector<Element> ScanEmitter::read(Value position, unsigned lanes) {
  SmallVector<Values> loaded =
      shift && lanes > 1 ? loadAny(position) : load(position, lanes);
  SmallVector<Element> elements;
  for (unsigned at = 0; at < lanes; ++at)
    elements.push_back(map(math.add(position, constant(at)), loaded[at]));
  return elements;
}

/// Stores the outputs from a position on: for each lane those of its element.
void ScanEmitter::store(Value position, ArrayRef<Values> stored) {
  storeLanes(builder, loc, outputs, getIndices(position), stored);
}

void ScanEmitter::write(Value position, MutableArrayRef<Element> elements,
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
  enterRow(loop.getInductionVar());
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
  SmallVector<Element> elements;
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

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

/// The first `numValid` threads of the warp, a number that may be larger, have
/// a value. The last thread gets what all of them are combined to.
Values ScanEmitter::scanWarp(Values values, Value numValid) {
  for (unsigned distance = 1; distance < kWarpSize; distance *= 2) {
    Values before = shuffleUp(values, distance);
    // A thread behind has a value already if one of those that it has asked
    // had one.
    Value limit = math.add(numValid, constant(distance - 1));
    Value has = compare(arith::CmpIPredicate::slt, lane, limit);
    Value asks = compare(arith::CmpIPredicate::uge, lane, constant(distance));
    Values both = select(has, combine(before, values), before);
    values = select(asks, both, values);
  }
  return values;
}

/// Given what each warp is combined to, returns what those before this one are,
/// unless it is the first one, and what all of them are.
std::pair<Values, Values> ScanEmitter::scanWarps(ValueRange values,
                                                 Value numValid) {
  Value isLast =
      compare(arith::CmpIPredicate::eq, lane, constant(kWarpSize - 1));
  emitIf(isLast, [&] {
    for (auto [value, buffer] : llvm::zip_equal(values, shared))
      memref::StoreOp::create(builder, loc, value, buffer, warp);
  });
  gpu::BarrierOp::create(builder, loc);
  Values before, all;
  for (unsigned number = 0; number < team.getNumThreads() / kWarpSize;
       ++number) {
    Values next = llvm::map_to_vector(shared, [&](Value buffer) -> Value {
      return memref::LoadOp::create(builder, loc, buffer, constant(number));
    });
    if (number == 0) {
      before = all = next;
      continue;
    }
    Value isHere = compare(arith::CmpIPredicate::eq, warp, constant(number));
    before = select(isHere, all, before);
    Value has =
        compare(arith::CmpIPredicate::slt,
                constant(int64_t(number) * kWarpSize * team.rounds), numValid);
    all = select(has, combine(all, next), all);
  }
  // The next tile writes there again.
  gpu::BarrierOp::create(builder, loc);
  return {before, all};
}

/// What the lanes from a position on are combined to. Lanes outside of the row
/// are at its ends: what is before it is replaced, and nothing comes after it.
Values ScanEmitter::combineLanes(Value position, ArrayRef<Element> elements) {
  Values own = elements[0].values;
  for (unsigned lane = 1; lane < elements.size(); ++lane) {
    Values both = combine(own, elements[lane].values);
    if (shift) {
      Value at = math.add(position, constant(lane));
      both = select(compare(arith::CmpIPredicate::slt, at, end), both, own);
      both = select(compare(arith::CmpIPredicate::sle, at, begin),
                    elements[lane].values, both);
    }
    own = both;
  }
  return own;
}

/// Reads what a thread has of one round, and scans it within the warp.
Round ScanEmitter::readRound(Value start) {
  unsigned lanes = team.lanes;
  Round round;
  round.position = math.add(start, math.mul(lane, constant(lanes)));
  round.isValid = compare(arith::CmpIPredicate::slt, round.position, end);
  // A thread without an element looks at the last one.
  Value inside = round.position;
  if (!shift)
    inside = math.min(inside, math.sub(end, constant(lanes)));
  if (step == ScanStep::Sums) {
    part = inside;
    round.elements.emplace_back();
    round.elements[0].values = loadSums(getPlaceOfPart());
  } else {
    round.elements = read(inside, lanes);
  }
  return round;
}

/// Combines the rounds of a warp, whose first `numValid` groups of lanes have
/// values: sets what each thread has before it in its round and what a round
/// is combined to. Returns what all of them are.
Values ScanEmitter::scanRounds(MutableArrayRef<Round> rounds, Value numValid) {
  Values all;
  for (auto [number, round] : llvm::enumerate(rounds)) {
    Values upToHere =
        scanWarp(combineLanes(round.position, round.elements), numValid);
    round.before = shuffleUp(upToHere, 1);
    for (Value value : upToHere)
      round.all.push_back(createShuffle(builder, loc, value, kWarpSize - 1,
                                        gpu::ShuffleMode::IDX));
    Value has = compare(arith::CmpIPredicate::sgt, numValid, constant(0));
    all = number == 0 ? round.all : select(has, combine(all, round.all), all);
    numValid = math.sub(numValid, constant(kWarpSize));
  }
  return all;
}

/// Stores what a thread has of a round, given what is combined before it.
void ScanEmitter::writeRound(Round &round, Values before) {
  if (step == ScanStep::Sums) {
    part = round.position;
    return storeSums(before, getPlaceOfPart());
  }
  SmallVector<Values> accumulators;
  for (auto [number, element] : llvm::enumerate(round.elements)) {
    Values next = combine(before, element.values);
    // Nothing has been combined before the row.
    if (shift && number + 1 < team.lanes)
      next = select(compare(arith::CmpIPredicate::sge,
                            math.add(round.position, constant(int64_t(number))),
                            begin),
                    next, before);
    accumulators.push_back(next);
    before = next;
  }
  write(round.position, round.elements, accumulators);
}

/// Takes the tile at `base`; returns what is carried to the next one.
Values ScanEmitter::emitTile(Value base, Values carried) {
  int64_t ofRound = int64_t(kWarpSize) * team.lanes;
  Value numValid = math.ceilDiv(math.sub(end, base), team.lanes);
  Value start = base, ofWarp = numValid;
  if (!isWarp()) {
    Value first = math.mul(warp, constant(int64_t(kWarpSize) * team.rounds));
    start = math.add(base, math.mul(first, constant(team.lanes)));
    ofWarp = math.sub(numValid, first);
  }
  std::vector<Round> rounds;
  for (unsigned number = 0; number < team.rounds; ++number)
    rounds.push_back(readRound(math.add(start, constant(number * ofRound))));
  Values all = scanRounds(rounds, ofWarp), beforeWarp;
  if (!isWarp())
    std::tie(beforeWarp, all) = scanWarps(all, numValid);
  if (step == ScanStep::Reduce) {
    Value isFirst = compare(arith::CmpIPredicate::sle, base, begin);
    return select(isFirst, all, combine(carried, all));
  }
  Value zero = constant(0);
  Values before = carried;
  if (!isWarp())
    before = select(compare(arith::CmpIPredicate::eq, warp, zero), before,
                    combine(before, beforeWarp));
  Value isFirstLane = compare(arith::CmpIPredicate::eq, lane, zero);
  for (Round &round : rounds) {
    Values here = select(isFirstLane, before, combine(before, round.before));
    emitIf(round.isValid, [&] { writeRound(round, here); });
    before = combine(before, round.all);
  }
  return combine(carried, all);
}

/// Where the first tile starts: at the multiple of the lanes in memory that is
/// at the first element or before it.
Value ScanEmitter::findFirstTile() {
  if (!shift)
    return begin;
  Value place = math.add(math.add(shift, math.mul(row, length)), begin);
  Value first = math.sub(begin, math.rem(place, constant(team.lanes)));
  // No tile of an empty row.
  return builder.createOrFold<arith::SelectOp>(
      loc, compare(arith::CmpIPredicate::eq, begin, end), begin, first);
}

void ScanEmitter::emitTogether() {
  unsigned members = isWarp() ? kWarpSize : team.getNumThreads();
  Values carried = createStart();
  scf::ForOp loop;
  {
    OpBuilder::InsertionGuard guard(builder);
    loop = enterLoop(findFirstTile(), end,
                     constant(int64_t(members) * team.lanes * team.rounds),
                     carried);
    Values next =
        emitTile(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
    scf::YieldOp::create(builder, loc, next);
  }
  if (step != ScanStep::Reduce)
    return;
  Value isFirst = compare(arith::CmpIPredicate::eq, thread, constant(0));
  emitIf(isFirst, [&] { storeSums(loop.getResults(), getPlaceOfPart()); });
}

void tally::codegen::emitScan(PrefixScanOp op, const Kernel &kernel,
                              OpBuilder &builder, ScanStep step, ScanTeam team,
                              const ScanParts &parts) {
  ScanEmitter(op, kernel, builder, step, team, parts).emit();
}
