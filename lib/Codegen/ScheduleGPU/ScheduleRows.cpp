//===- ScheduleRows.cpp - Kernels that reduce rows ------------------------===//
//
// A row is a point of all dimensions that are not reduced. Its reductions run
// phase by phase; between them, what follows for the row is computed once.
//
//===----------------------------------------------------------------------===//

#include "Common/Choices.h"
#include "Kernels/PointEmitter.h"
#include "Schedules.h"
#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

/// The operation that combines two partial results, if it is one.
static Operation *getCombiner(linalg::GenericOp op, unsigned result) {
  Block *body = op.getBody();
  BlockArgument accumulator = body->getArgument(op.getNumDpsInputs() + result);
  Operation *combiner =
      body->getTerminator()->getOperand(result).getDefiningOp();
  if (!combiner || combiner->getBlock() != body ||
      combiner->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combiner ||
      !isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
           arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
           arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
           arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          combiner) ||
      !arith::getNeutralElement(combiner))
    return nullptr;
  return combiner;
}

/// The choice of an element and its index that an operation makes, if it does.
static std::optional<Choice> getChoice(linalg::GenericOp op) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  if (reduced.size() != 1)
    return std::nullopt;
  std::optional<Choice> choice = matchChoiceAlong(op, reduced.front());
  return choice && choice->hasIndex ? choice : std::nullopt;
}

bool tally::codegen::canReduceInParts(linalg::GenericOp op) {
  return getChoice(op) ||
         llvm::all_of(llvm::seq(op->getNumResults()),
                      [&](unsigned result) { return getCombiner(op, result); });
}

namespace {

/// Results of a reduction of the phase that is being emitted that are combined
/// at once: one, or an element and its index.
struct Accumulator {
  linalg::GenericOp op;
  unsigned firstResult;
  SmallVector<Value> inits;
  /// None of both where a thread reduces all of a row.
  Operation *combiner = nullptr;
  std::optional<Choice> choice;

  /// What a part starts from: what is chosen is better than the init, so that
  /// it may be that of all parts.
  SmallVector<Value> createStart(OpBuilder &builder, Location loc) const;
  /// Combines two partial results.
  SmallVector<Value> combine(OpBuilder &builder, Location loc, ValueRange a,
                             ValueRange b) const;
};

/// Emits a row for one thread of its team.
class RowEmitter {
public:
  /// `parts`, inside of the function, is where parts of results are left, or
  /// where they come from.
  RowEmitter(OpBuilder &builder, const KernelOperands &kernelOperands,
             const TeamReduction &team, unsigned lanes, Value row,
             RowParts parts)
      : builder(builder), kernelOperands(kernelOperands),
        space(kernelOperands.getSpace()), team(team), lanes(lanes),
        loc(kernelOperands.getLoc()), math(builder, loc), row(row),
        parts(std::move(parts)) {
    SmallVector<Value> rowExtents;
    for (auto [dim, info] : llvm::enumerate(space.getDims()))
      (info.isReduced ? extents : rowExtents)
          .push_back(kernelOperands.getExtent(dim));
    at = math.delinearize(row, rowExtents);
    at.resize(space.getDims().size());
    length = math.product(extents);
  }

  void run() {
    for (unsigned phase = 0; phase < space.getPhases().size(); ++phase) {
      addRowValues(builder, kernelOperands, at, phase, rows);
      reduce(space.getPhases()[phase]);
    }
    if (team.getPart())
      return;
    addRowValues(builder, kernelOperands, at, space.getPhases().size(), rows);
    storeElements();
    storeRow();
  }

private:
  PointEmitter atRow() {
    return PointEmitter(builder, kernelOperands, rows, {at});
  }

  /// A loop over the elements of the row that are this thread's.
  scf::ForOp createLoop(ValueRange carried) {
    Value width = math.constant(lanes);
    return scf::ForOp::create(builder, loc, math.mul(team.getMember(), width),
                              length, math.mul(team.getSize(), width), carried);
  }

  Point getPoint(Value element) {
    SmallVector<Value> indices = at;
    unsigned firstReduced = space.getNumRowDims();
    for (auto [dim, index] :
         llvm::enumerate(math.delinearize(element, extents)))
      indices[firstReduced + dim] = index;
    return {indices, lanes, unsigned(indices.size() - 1)};
  }

  void reduce(ArrayRef<linalg::GenericOp> ops);
  SmallVector<Value> createStart(ArrayRef<Accumulator> accumulators,
                                 unsigned copies);
  void fillLoop(scf::ForOp loop, ArrayRef<linalg::GenericOp> ops);
  SmallVector<Accumulator> getAccumulators(ArrayRef<linalg::GenericOp> ops);
  SmallVector<Value> reduceElements(ArrayRef<linalg::GenericOp> ops,
                                    ArrayRef<Accumulator> accumulators);
  SmallVector<Value> reduceParts(ArrayRef<Accumulator> accumulators);
  void leavePart(ArrayRef<Value> values);

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
    scf::ForOp loop = createLoop({});
    builder.setInsertionPointToStart(loop.getBody());
    PointEmitter emitter(builder, kernelOperands, rows,
                         getPoint(loop.getInductionVar()));
    for (auto &[access, value] : writes)
      emitter.store(access, emitter.get(value));
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
  Location loc;
  IndexMath math;
  /// The row; null for the dimensions that it reduces.
  SmallVector<Value> at;
  /// How often each reduced dimension runs, and all of them.
  SmallVector<Value> extents;
  Value length;
  /// The number of the row.
  Value row;
  RowParts parts;
  RowValues rows;
};

} // namespace

SmallVector<Value> Accumulator::createStart(OpBuilder &builder,
                                            Location loc) const {
  if (!combiner)
    return inits;
  return {arith::ConstantOp::create(builder, loc,
                                    *arith::getNeutralElement(combiner))};
}

SmallVector<Value> Accumulator::combine(OpBuilder &builder, Location loc,
                                        ValueRange a, ValueRange b) const {
  if (choice)
    return joinChoices(builder, loc, *choice, a, b);
  IRMapping map;
  map.map(combiner->getOperand(0), a.front());
  map.map(combiner->getOperand(1), b.front());
  return {builder.clone(*combiner, map)->getResult(0)};
}

SmallVector<Value> RowEmitter::createStart(ArrayRef<Accumulator> accumulators,
                                           unsigned copies) {
  SmallVector<Value> start;
  for (const Accumulator &accumulator : accumulators)
    for (Value value : accumulator.createStart(builder, loc))
      start.append(copies, value);
  return start;
}

void RowEmitter::fillLoop(scf::ForOp loop, ArrayRef<linalg::GenericOp> ops) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter emitter(builder, kernelOperands, rows,
                       getPoint(loop.getInductionVar()));
  SmallVector<Value> next(loop.getRegionIterArgs());
  unsigned index = 0;
  for (linalg::GenericOp op : ops) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      SmallVector<Value> elements =
          emitter.getElements(op, lane, /*withInits=*/false);
      for (unsigned result = 0; result < op->getNumResults(); ++result)
        elements[op.getNumDpsInputs() + result] =
            next[(index + result) * lanes + lane];
      for (auto [result, value] :
           llvm::enumerate(emitter.computePayload(op, lane, elements)))
        next[(index + result) * lanes + lane] = value;
    }
    index += op->getNumResults();
  }
  if (!next.empty())
    scf::YieldOp::create(builder, loc, next);
}

/// Reduces what of the row is this thread's.
SmallVector<Value>
RowEmitter::reduceElements(ArrayRef<linalg::GenericOp> ops,
                           ArrayRef<Accumulator> accumulators) {
  scf::ForOp loop = createLoop(createStart(accumulators, lanes));
  fillLoop(loop, ops);
  SmallVector<Value> values;
  for (const Accumulator &accumulator : accumulators) {
    unsigned width = accumulator.inits.size();
    auto ofLane = [&, first = values.size()](unsigned lane) {
      return llvm::map_to_vector(
          llvm::seq(width), [&](unsigned result) -> Value {
            return loop.getResult((first + result) * lanes + lane);
          });
    };
    SmallVector<Value> joined = ofLane(0);
    for (unsigned lane = 1; lane < lanes; ++lane)
      joined = accumulator.combine(builder, loc, joined, ofLane(lane));
    llvm::append_range(values, joined);
  }
  return values;
}

/// Joins what of the parts is this thread's.
SmallVector<Value> RowEmitter::reduceParts(ArrayRef<Accumulator> accumulators) {
  auto loop = scf::ForOp::create(builder, loc, team.getMember(), parts.count,
                                 team.getSize(), createStart(accumulators, 1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = math.add(math.mul(row, parts.count), loop.getInductionVar());
  SmallVector<Value> next;
  for (const Accumulator &accumulator : accumulators) {
    unsigned first = next.size(), width = accumulator.inits.size();
    SmallVector<Value> part;
    for (Value buffer : ArrayRef(parts.buffers).slice(first, width))
      part.push_back(memref::LoadOp::create(builder, loc, buffer, at));
    llvm::append_range(
        next,
        accumulator.combine(
            builder, loc,
            ValueRange(loop.getRegionIterArgs()).slice(first, width), part));
  }
  scf::YieldOp::create(builder, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void RowEmitter::leavePart(ArrayRef<Value> values) {
  OpBuilder::InsertionGuard guard(builder);
  team.enterOneMember(builder);
  Value at = math.add(math.mul(row, parts.count), team.getPart());
  for (auto [value, buffer] : llvm::zip_equal(values, parts.buffers))
    memref::StoreOp::create(builder, loc, value, buffer, at);
}

SmallVector<Accumulator>
RowEmitter::getAccumulators(ArrayRef<linalg::GenericOp> ops) {
  SmallVector<Accumulator> accumulators;
  PointEmitter emitter = atRow();
  for (linalg::GenericOp op : ops) {
    std::optional<Choice> choice;
    if (!team.isOneThread())
      choice = getChoice(op);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      unsigned result = op.getTiedOpResult(&init).getResultNumber();
      Value value = emitter.getOperand(op, init).front();
      if (choice && result > 0) {
        accumulators.back().inits.push_back(value);
        continue;
      }
      bool isCombined = !choice && !team.isOneThread();
      accumulators.push_back({op,
                              result,
                              {value},
                              isCombined ? getCombiner(op, result) : nullptr,
                              choice});
    }
  }
  return accumulators;
}

void RowEmitter::reduce(ArrayRef<linalg::GenericOp> ops) {
  SmallVector<Accumulator> accumulators = getAccumulators(ops);
  bool areLeft = parts.count && !team.getPart();
  SmallVector<Value> values =
      areLeft ? reduceParts(accumulators) : reduceElements(ops, accumulators);
  unsigned first = 0;
  for (const Accumulator &accumulator : accumulators) {
    MutableArrayRef<Value> own =
        MutableArrayRef(values).slice(first, accumulator.inits.size());
    first += own.size();
    if (!team.isOneThread())
      llvm::copy(team.reduce(builder, own,
                             [&](ValueRange a, ValueRange b) {
                               return accumulator.combine(builder, loc, a, b);
                             }),
                 own.begin());
  }
  if (team.getPart())
    return leavePart(values);
  first = 0;
  for (const Accumulator &accumulator : accumulators) {
    SmallVector<Value> own(
        ArrayRef(values).slice(first, accumulator.inits.size()));
    first += own.size();
    if (accumulator.combiner)
      own = accumulator.combine(builder, loc, accumulator.inits, own);
    for (auto [result, value] : llvm::enumerate(own))
      rows[accumulator.op->getResult(accumulator.firstResult + result)] = value;
  }
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

namespace {

class RowSchedule : public Schedule {
public:
  RowSchedule(const KernelSpace &space, Team team, unsigned lanes,
              RowParts parts = {})
      : space(space), team(team), lanes(lanes), parts(std::move(parts)) {}

  SmallVector<Value> getCaptures() const override {
    SmallVector<Value> captures(parts.buffers);
    if (parts.count)
      captures.push_back(parts.count);
    return captures;
  }

  std::string getSuffix() const override {
    StringRef name = getName();
    return lanes == 1 ? name.str() : (name + "_x" + Twine(lanes)).str();
  }
  unsigned getNumThreads() const override {
    switch (team) {
    case Team::Thread:
    case Team::Warp:
      return 128;
    case Team::Block:
    case Team::Blocks:
      return 256;
    case Team::Column:
      return 1024;
    }
    llvm_unreachable("no such team");
  }

  Value createNumBlocks(OpBuilder &host,
                        ArrayRef<Value> extents) const override {
    IndexMath math(host, space.getKernel()->getLoc());
    Value rows = math.product(extents.take_front(space.getNumRowDims()));
    if (team == Team::Blocks)
      return math.mul(rows, parts.count);
    return math.ceilDiv(rows, getNumThreads() / TeamReduction::getNumThreads(
                                                    team, getNumThreads()));
  }

  void emit(const Kernel &kernel, OpBuilder &builder) const override {
    Location loc = space.getKernel()->getLoc();
    KernelOperands kernelOperands(space, kernel.map, builder);
    RowParts inside;
    for (Value buffer : parts.buffers)
      inside.buffers.push_back(kernel.map.lookup(buffer));
    if (parts.count)
      inside.count = kernel.map.lookupOrDefault(parts.count);
    TeamReduction reduction(builder, loc, kernel.function, team,
                            getNumThreads(), inside.count);
    IndexMath math(builder, loc);
    SmallVector<Value> extents;
    for (unsigned dim = 0; dim < space.getNumRowDims(); ++dim)
      extents.push_back(kernelOperands.getExtent(dim));
    Value row = reduction.enterRows(builder, math.product(extents));
    RowEmitter(builder, kernelOperands, reduction, lanes, row, inside).run();
  }

private:
  StringRef getName() const {
    switch (team) {
    case Team::Thread:
      return "_thread";
    case Team::Warp:
      return parts.count ? "_join" : "_warp";
    case Team::Block:
      return "_block";
    case Team::Blocks:
      return "_parts";
    case Team::Column:
      return "_column";
    }
    llvm_unreachable("no such team");
  }

  const KernelSpace &space;
  Team team;
  unsigned lanes;
  RowParts parts;
};

} // namespace

std::unique_ptr<Schedule>
tally::codegen::createRowSchedule(const KernelSpace &space, Team team,
                                  unsigned lanes) {
  return std::make_unique<RowSchedule>(space, team, lanes);
}

std::unique_ptr<Schedule>
tally::codegen::createPartsSchedule(const KernelSpace &space, RowParts parts,
                                    unsigned lanes) {
  return std::make_unique<RowSchedule>(space, Team::Blocks, lanes,
                                       std::move(parts));
}

std::unique_ptr<Schedule>
tally::codegen::createJoinSchedule(const KernelSpace &space, RowParts parts) {
  return std::make_unique<RowSchedule>(space, Team::Warp, 1, std::move(parts));
}
