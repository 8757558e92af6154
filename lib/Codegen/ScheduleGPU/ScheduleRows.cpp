//===- ScheduleRows.cpp - Kernels that reduce rows ------------------------===//
//
// A row is a point of all dimensions that are not reduced. Its reductions run
// phase by phase; between them, what follows for the row is computed once.
//
//===----------------------------------------------------------------------===//

#include "Accumulators.h"
#include "Kernels/ExponentialSums.h"
#include "Kernels/PointEmitter.h"
#include "Schedules.h"
#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

/// The most operations of a row's body that a loop has, so that code does not
/// grow where it pays little.
static constexpr int64_t kMaxUnrolledSize = 256;

/// Where parts of the results of a phase are.
static SmallVector<Value> getBuffersOfPhase(const KernelSpace &space,
                                            const RowParts &parts,
                                            unsigned phase) {
  if (!parts.count)
    return {};
  unsigned first = 0, count = 0;
  for (unsigned number = 0; number <= phase; ++number) {
    first += count;
    count = 0;
    for (linalg::GenericOp op : space.getPhases()[number])
      count += op->getNumResults();
  }
  return SmallVector<Value>(ArrayRef(parts.buffers).slice(first, count));
}

namespace {

/// Emits a row for one thread of its team, or as many as there are lanes.
class RowEmitter {
public:
  /// `parts`, inside of the function, is where parts of results are left, or
  /// where they come from.
  RowEmitter(OpBuilder &builder, const KernelOperands &kernelOperands,
             const TeamReduction &team, const RowTeam &shape, Value row,
             RowParts parts)
      : builder(builder), kernelOperands(kernelOperands),
        space(kernelOperands.getSpace()), team(team), lanes(shape.lanes),
        lanesAreRows(shape.lanesAreRows), loc(kernelOperands.getLoc()),
        math(builder, loc), row(row), parts(std::move(parts)) {
    SmallVector<Value> rowExtents;
    for (auto [dim, info] : llvm::enumerate(space.getDims()))
      (info.isReduced ? extents : rowExtents)
          .push_back(kernelOperands.getExtent(dim));
    at.indices = math.delinearize(row, rowExtents);
    at.indices.resize(space.getDims().size());
    if (lanesAreRows) {
      at.lanes = lanes;
      at.laneDim = rowExtents.size() - 1;
    }
    length = math.product(extents);
  }

  void run() {
    unsigned numPhases = space.getPhases().size();
    for (unsigned phase = 0; phase < numPhases; ++phase) {
      addRowValues(builder, kernelOperands, at, phase, rows);
      reduce(phase);
      if (parts.count && phase == parts.phase)
        return;
    }
    addRowValues(builder, kernelOperands, at, numPhases, rows);
    storeElements();
    storeRow();
  }

private:
  unsigned getNumRows() const { return at.lanes; }
  Value isEmpty() {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, length,
                                 math.constant(0));
  }
  unsigned getNumElements() const { return lanesAreRows ? 1 : lanes; }

  PointEmitter atRow() {
    return PointEmitter(builder, kernelOperands, rows, at);
  }

  Point getPoint(Value element) {
    Point point = at;
    unsigned firstReduced = space.getNumRowDims();
    for (auto [dim, index] :
         llvm::enumerate(math.delinearize(element, extents)))
      point.indices[firstReduced + dim] = index;
    if (!lanesAreRows) {
      point.lanes = lanes;
      point.laneDim = point.indices.size() - 1;
    }
    return point;
  }

  /// Takes some elements, and replaces what is carried from one step of a loop
  /// to the next.
  using Step = llvm::function_ref<void(ArrayRef<Value>, SmallVector<Value> &)>;
  /// Emits a loop from `from` to `to` whose steps take `count` elements.
  void emitLoop(Value from, Value to, Value step, unsigned count,
                SmallVector<Value> &carried, Step body);
  /// Goes through the elements of the row that are this thread's.
  SmallVector<Value> forEachElement(SmallVector<Value> carried, Step body);
  unsigned getNumUnrolled() const;

  void reduce(unsigned phase);
  SmallVector<Value> createStart(ArrayRef<Accumulator> accumulators,
                                 unsigned copies);
  void reduceStep(ArrayRef<linalg::GenericOp> ops, ArrayRef<Value> elements,
                  SmallVector<Value> &next);
  void addToSums(MutableArrayRef<PointEmitter> emitters,
                 linalg::GenericOp maximum, MutableArrayRef<Value> values);
  SmallVector<Accumulator> getAccumulators(ArrayRef<linalg::GenericOp> ops);
  SmallVector<Value> reduceElements(ArrayRef<linalg::GenericOp> ops,
                                    ArrayRef<Accumulator> accumulators);
  SmallVector<Value> reduceParts(ArrayRef<Accumulator> accumulators,
                                 ArrayRef<Value> buffers);
  void joinLanes(ArrayRef<Accumulator> accumulators,
                 SmallVector<Value> &values);
  void joinTeam(ArrayRef<Accumulator> accumulators, SmallVector<Value> &values);
  void leavePart(ArrayRef<Value> values, ArrayRef<Value> buffers);
  Value getPlaceOfPart(unsigned lane, Value part) {
    Value ownRow = math.add(row, math.constant(lane));
    return math.add(math.mul(ownRow, parts.count), part);
  }

  /// Stores the results that have an element for each of the row.
  void storeElements() {
    SmallVector<std::pair<KernelAccess, Value>> writes;
    for (auto [access, value] :
         llvm::zip_equal(space.getWrites(), space.getKernel().getYielded()))
      if (!space.isOfRow(access.op))
        writes.push_back({access, value});
    if (writes.empty())
      return;
    OpBuilder::InsertionGuard guard(builder);
    team.enterOwnRow(builder);
    forEachElement({}, [&](ArrayRef<Value> elements, SmallVector<Value> &) {
      for (Value element : elements) {
        PointEmitter emitter(builder, kernelOperands, rows, getPoint(element));
        for (auto &[access, value] : writes)
          emitter.store(access, emitter.get(value));
      }
    });
  }

  void storeRow() {
    PointEmitter emitter = atRow();
    std::optional<OpBuilder::InsertionGuard> guard;
    for (auto [access, value] :
         llvm::zip_equal(space.getWrites(), space.getKernel().getYielded())) {
      if (!space.isOfRow(access.op))
        continue;
      if (!guard) {
        guard.emplace(builder);
        team.enterFirstPart(builder);
        team.enterOneMember(builder);
      }
      emitter.store(access, emitter.get(value));
    }
  }

  OpBuilder &builder;
  const KernelOperands &kernelOperands;
  const KernelSpace &space;
  const TeamReduction &team;
  unsigned lanes;
  bool lanesAreRows;
  Location loc;
  IndexMath math;
  /// The row; null for the dimensions that it reduces.
  Point at;
  /// How often each reduced dimension runs, and all of them.
  SmallVector<Value> extents;
  Value length;
  /// The number of the row.
  Value row;
  RowParts parts;
  RowValues rows;
};

} // namespace

//===----------------------------------------------------------------------===//
// Loops over elements
//===----------------------------------------------------------------------===//

/// As many elements as keep memory busy, fewer where each is much code.
unsigned RowEmitter::getNumUnrolled() const {
  int64_t size = space.getCodeSize() * lanes;
  for (unsigned count = lanes == 1 ? 8 : 4; count > 1; count /= 2)
    if (size * count <= kMaxUnrolledSize)
      return count;
  return 1;
}

void RowEmitter::emitLoop(Value from, Value to, Value step, unsigned count,
                          SmallVector<Value> &carried, Step body) {
  auto loop = scf::ForOp::create(builder, loc, from, to,
                                 math.mul(step, math.constant(count)), carried);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next(loop.getRegionIterArgs());
  SmallVector<Value> elements = {loop.getInductionVar()};
  while (elements.size() < count)
    elements.push_back(math.add(elements.back(), step));
  body(elements, next);
  if (!next.empty())
    scf::YieldOp::create(builder, loc, next);
  carried.assign(loop.result_begin(), loop.result_end());
}

SmallVector<Value> RowEmitter::forEachElement(SmallVector<Value> carried,
                                              Step body) {
  Value width = math.constant(getNumElements());
  Value step = math.mul(team.getSize(), width);
  Value from = math.mul(team.getMember(), width), to = length;
  if (unsigned count = getNumUnrolled(); count > 1) {
    Value all = math.mul(step, math.constant(count));
    Value middle = math.sub(length, math.rem(length, all));
    emitLoop(from, middle, step, count, carried, body);
    from = math.add(from, middle);
  }
  emitLoop(from, to, step, 1, carried, body);
  return carried;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Values are in the order of results, and of lanes for each.
SmallVector<Value> RowEmitter::createStart(ArrayRef<Accumulator> accumulators,
                                           unsigned copies) {
  SmallVector<Value> start;
  for (const Accumulator &accumulator : accumulators) {
    SmallVector<SmallVector<Value>> lanesOf;
    for (unsigned lane = 0; lane < copies; ++lane)
      lanesOf.push_back(accumulator.createStart(builder, loc, lane));
    for (unsigned result = 0; result < accumulator.inits.size(); ++result)
      for (ArrayRef<Value> values : lanesOf)
        start.push_back(values[result]);
  }
  return start;
}

void RowEmitter::reduceStep(ArrayRef<linalg::GenericOp> ops,
                            ArrayRef<Value> elements,
                            SmallVector<Value> &next) {
  std::vector<PointEmitter> emitters;
  for (Value element : elements)
    emitters.emplace_back(builder, kernelOperands, rows, getPoint(element));
  unsigned index = 0;
  for (unsigned number = 0; number < ops.size(); ++number) {
    linalg::GenericOp op = ops[number];
    MutableArrayRef<Value> values =
        MutableArrayRef(next).drop_front(index * lanes);
    if (space.getJoinedSum(op)) {
      addToSums(emitters, op, values);
      index += 2;
      // The sum is the next operation.
      ++number;
      continue;
    }
    for (PointEmitter &emitter : emitters)
      for (unsigned lane = 0; lane < lanes; ++lane) {
        SmallVector<Value> given =
            emitter.getElements(op, lane, /*withInits=*/false);
        for (unsigned result = 0; result < op->getNumResults(); ++result)
          given[op.getNumDpsInputs() + result] = values[result * lanes + lane];
        for (auto [result, value] :
             llvm::enumerate(emitter.computePayload(op, lane, given)))
          values[result * lanes + lane] = value;
      }
    index += op->getNumResults();
  }
}

/// Adds elements to a maximum and the sum that is joined with it: `values` are
/// the lanes of the first, then those of the second.
void RowEmitter::addToSums(MutableArrayRef<PointEmitter> emitters,
                           linalg::GenericOp maximum,
                           MutableArrayRef<Value> values) {
  Value lowest = arith::ConstantOp::create(
      builder, loc, *arith::getNeutralElement(getCombiner(maximum, 0)));
  SmallVector<ExponentialSum> sums;
  SmallVector<SmallVector<Value>> elements(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    sums.push_back({values[lane], values[lanes + lane]});
    for (PointEmitter &emitter : emitters) {
      SmallVector<Value> given =
          emitter.getElements(maximum, lane, /*withInits=*/false);
      given.back() = lowest;
      elements[lane].push_back(
          emitter.computePayload(maximum, lane, given).front());
    }
  }
  addElements(builder, loc, sums, elements);
  for (auto [lane, sum] : llvm::enumerate(sums)) {
    values[lane] = sum.maximum;
    values[lanes + lane] = sum.sum;
  }
}

/// The values of an accumulator in a lane.
static SmallVector<Value> getLane(ArrayRef<Value> values, unsigned first,
                                  unsigned width, unsigned lanes,
                                  unsigned lane) {
  return llvm::map_to_vector(llvm::seq(width), [&](unsigned result) {
    return values[(first + result) * lanes + lane];
  });
}

/// Joins the lanes of each accumulator into one.
void RowEmitter::joinLanes(ArrayRef<Accumulator> accumulators,
                           SmallVector<Value> &values) {
  SmallVector<Value> result;
  for (const Accumulator &accumulator : accumulators) {
    unsigned width = accumulator.inits.size(), first = result.size();
    SmallVector<Value> joined = getLane(values, first, width, lanes, 0);
    for (unsigned lane = 1; lane < lanes; ++lane)
      joined = accumulator.combine(builder, loc, joined,
                                   getLane(values, first, width, lanes, lane));
    llvm::append_range(result, joined);
  }
  values = result;
}

/// Joins what the threads of the team have.
void RowEmitter::joinTeam(ArrayRef<Accumulator> accumulators,
                          SmallVector<Value> &values) {
  unsigned first = 0, numRows = getNumRows();
  for (const Accumulator &accumulator : accumulators) {
    unsigned width = accumulator.inits.size();
    for (unsigned lane = 0; lane < numRows; ++lane) {
      SmallVector<Value> joined =
          team.reduce(builder, getLane(values, first, width, numRows, lane),
                      [&](ValueRange a, ValueRange b) {
                        return accumulator.combine(builder, loc, a, b);
                      });
      for (auto [result, value] : llvm::enumerate(joined))
        values[(first + result) * numRows + lane] = value;
    }
    first += width;
  }
}

/// Reduces what of the row is this thread's.
SmallVector<Value>
RowEmitter::reduceElements(ArrayRef<linalg::GenericOp> ops,
                           ArrayRef<Accumulator> accumulators) {
  SmallVector<Value> values =
      forEachElement(createStart(accumulators, lanes),
                     [&](ArrayRef<Value> elements, SmallVector<Value> &next) {
                       reduceStep(ops, elements, next);
                     });
  if (!lanesAreRows)
    joinLanes(accumulators, values);
  return values;
}

/// Joins what of the parts is this thread's.
SmallVector<Value> RowEmitter::reduceParts(ArrayRef<Accumulator> accumulators,
                                           ArrayRef<Value> buffers) {
  unsigned numRows = getNumRows();
  auto loop = scf::ForOp::create(builder, loc, team.getMemberOfBlock(),
                                 parts.count, team.getSizeInBlock(),
                                 createStart(accumulators, numRows));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> values(loop.getRegionIterArgs());
  for (unsigned lane = 0; lane < numRows; ++lane) {
    Value place = getPlaceOfPart(lane, loop.getInductionVar());
    unsigned first = 0;
    for (const Accumulator &accumulator : accumulators) {
      unsigned width = accumulator.inits.size();
      SmallVector<Value> part;
      for (Value buffer : buffers.slice(first, width))
        part.push_back(memref::LoadOp::create(builder, loc, buffer, place));
      SmallVector<Value> joined = accumulator.combine(
          builder, loc, getLane(values, first, width, numRows, lane), part);
      for (auto [result, value] : llvm::enumerate(joined))
        values[(first + result) * numRows + lane] = value;
      first += width;
    }
  }
  scf::YieldOp::create(builder, loc, values);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void RowEmitter::leavePart(ArrayRef<Value> values, ArrayRef<Value> buffers) {
  OpBuilder::InsertionGuard guard(builder);
  team.enterOneMember(builder);
  for (unsigned lane = 0; lane < getNumRows(); ++lane) {
    Value place = getPlaceOfPart(lane, team.getPart());
    for (auto [result, buffer] : llvm::enumerate(buffers))
      memref::StoreOp::create(
          builder, loc, values[result * getNumRows() + lane], buffer, place);
  }
}

SmallVector<Accumulator>
RowEmitter::getAccumulators(ArrayRef<linalg::GenericOp> ops) {
  SmallVector<Accumulator> accumulators;
  PointEmitter emitter = atRow();
  linalg::GenericOp joined;
  for (linalg::GenericOp op : ops) {
    std::optional<Choice> choice;
    if (!team.isOneThread())
      choice = getPlacedChoice(op);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      OpResult result = op.getTiedOpResult(&init);
      SmallVector<Value> lanesOf = emitter.getOperand(op, init);
      if (op == joined || (choice && result.getResultNumber() > 0)) {
        accumulators.back().inits.push_back(lanesOf);
        accumulators.back().results.push_back(result);
        continue;
      }
      bool isCombined = !choice && !team.isOneThread();
      Operation *combiner =
          isCombined ? getCombiner(op, result.getResultNumber()) : nullptr;
      accumulators.push_back({{result}, {lanesOf}, combiner, choice});
    }
    joined = space.getJoinedSum(op);
  }
  return accumulators;
}

void RowEmitter::reduce(unsigned phase) {
  ArrayRef<linalg::GenericOp> ops = space.getPhases()[phase];
  SmallVector<Accumulator> accumulators = getAccumulators(ops);
  SmallVector<Value> buffers = getBuffersOfPhase(space, parts, phase);
  bool areLeft = parts.count && phase < parts.phase;
  SmallVector<Value> values = areLeft ? reduceParts(accumulators, buffers)
                                      : reduceElements(ops, accumulators);
  if (!team.isOneThread())
    joinTeam(accumulators, values);
  if (parts.count && phase == parts.phase)
    return leavePart(values, buffers);
  unsigned first = 0, numRows = getNumRows();
  for (const Accumulator &accumulator : accumulators) {
    unsigned width = accumulator.inits.size();
    for (unsigned lane = 0; lane < numRows; ++lane) {
      SmallVector<Value> own = getLane(values, first, width, numRows, lane);
      if (accumulator.isExponentialSum())
        own[1] = getSumOfTwoPasses(builder, loc, {own[0], own[1]}, isEmpty());
      else if (accumulator.combiner)
        own =
            accumulator.combine(builder, loc, accumulator.getInits(lane), own);
      for (auto [result, value] : llvm::zip_equal(accumulator.results, own))
        rows[result].push_back(value);
    }
    first += width;
  }
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

namespace {

class RowSchedule : public Schedule {
public:
  RowSchedule(const KernelSpace &space, RowTeam team, RowParts parts = {})
      : space(space), team(team), parts(std::move(parts)) {}

  SmallVector<Value> getCaptures() const override {
    SmallVector<Value> captures(parts.buffers);
    if (parts.count)
      captures.push_back(parts.count);
    return captures;
  }

  std::string getSuffix() const override;

  unsigned getNumThreads() const override {
    if (team.numThreads)
      return team.numThreads;
    switch (team.team) {
    case Team::Thread:
    case Team::FewThreads:
    case Team::Warp:
      return 128;
    case Team::Block:
    case Team::Blocks:
    case Team::Column:
    case Team::ColumnBlocks:
      return 256;
    }
    llvm_unreachable("no such team");
  }

  Value createNumBlocks(OpBuilder &host,
                        ArrayRef<Value> extents) const override {
    Location loc = space.getKernel()->getLoc();
    IndexMath math(host, loc);
    Value teams = createNumTeams(math, extents);
    Value blocks;
    if (team.team == Team::Column || team.team == Team::ColumnBlocks)
      blocks = createNumColumnBlocks(host, loc, teams, team.getMostColumns());
    else
      blocks = math.ceilDiv(
          teams, getNumThreads() /
                     TeamReduction::getNumThreads(team.team, getNumThreads()));
    bool areSeveral =
        team.team == Team::Blocks || team.team == Team::ColumnBlocks;
    return areSeveral ? math.mul(blocks, parts.count) : blocks;
  }

  void emit(const Kernel &kernel, OpBuilder &builder) const override {
    Location loc = space.getKernel()->getLoc();
    KernelOperands kernelOperands(space, kernel.map, builder);
    RowParts inside = parts;
    for (Value &buffer : inside.buffers)
      buffer = kernel.map.lookup(buffer);
    if (parts.count)
      inside.count = kernel.map.lookupOrDefault(parts.count);
    IndexMath math(builder, loc);
    SmallVector<Value> extents;
    for (unsigned dim = 0; dim < space.getNumRowDims(); ++dim)
      extents.push_back(kernelOperands.getExtent(dim));
    TeamReduction reduction(builder, loc, kernel.function, team.team,
                            getNumThreads(), createNumTeams(math, extents),
                            team.getMostColumns(), inside.count);
    Value row = reduction.enterRows(builder);
    if (team.lanesAreRows)
      row = math.mul(row, math.constant(team.lanes));
    RowEmitter(builder, kernelOperands, reduction, team, row, inside).run();
  }

private:
  Value createNumTeams(const IndexMath &math, ArrayRef<Value> extents) const {
    Value rows = math.product(extents.take_front(space.getNumRowDims()));
    return team.lanesAreRows ? math.div(rows, math.constant(team.lanes)) : rows;
  }
  StringRef getName() const;

  const KernelSpace &space;
  RowTeam team;
  RowParts parts;
};

} // namespace

StringRef RowSchedule::getName() const {
  switch (team.team) {
  case Team::Thread:
    return "_thread";
  case Team::FewThreads:
    return "_few";
  case Team::Warp:
    return parts.count ? "_join" : "_warp";
  case Team::Block:
    return parts.count ? "_join_block" : team.numThreads ? "_wide" : "_block";
  case Team::Blocks:
    return "_parts";
  case Team::Column:
    return "_column";
  case Team::ColumnBlocks:
    return "_column_parts";
  }
  llvm_unreachable("no such team");
}

std::string RowSchedule::getSuffix() const {
  std::string suffix = getName().str();
  bool isCut = team.team == Team::Blocks || team.team == Team::ColumnBlocks;
  if (isCut) {
    if (parts.phase == space.getPhases().size())
      suffix += "_apply";
    else if (parts.phase > 0)
      suffix += "_" + std::to_string(parts.phase);
  }
  if (team.lanes > 1)
    suffix += "_x" + std::to_string(team.lanes);
  return suffix;
}

std::unique_ptr<Schedule>
tally::codegen::createRowSchedule(const KernelSpace &space, RowTeam team) {
  return std::make_unique<RowSchedule>(space, team);
}

std::unique_ptr<Schedule>
tally::codegen::createPartsSchedule(const KernelSpace &space, RowTeam team,
                                    RowParts parts) {
  return std::make_unique<RowSchedule>(space, team, std::move(parts));
}

Value tally::codegen::createNumColumnBlocks(OpBuilder &host, Location loc,
                                            Value rows, unsigned most) {
  IndexMath math(host, loc);
  Value columns = createNumColumns(host, loc, rows, most);
  return math.div(math.add(rows, math.sub(columns, math.constant(1))), columns);
}
