//===- ScheduleRows.cpp - Kernels that reduce rows ------------------------===//
//
// A row is a point of all dimensions that are not reduced. Its reductions run
// phase by phase; between them, what follows for the row is computed once.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"
#include "Schedules.h"
#include "TeamReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally::codegen;

Operation *tally::codegen::getCombiner(linalg::GenericOp op, unsigned result) {
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

namespace {

/// A result of a reduction of the phase that is being emitted.
struct Accumulator {
  linalg::GenericOp op;
  unsigned result;
  /// Null where a thread reduces all of a row.
  Operation *combiner;
  Value init;
};

/// Emits a row for one thread of its team.
class RowEmitter {
public:
  RowEmitter(OpBuilder &builder, const KernelScope &scope,
             const TeamReduction &team, unsigned lanes, Value row)
      : builder(builder), scope(scope), space(scope.getSpace()), team(team),
        lanes(lanes), loc(scope.getLoc()), math(builder, loc) {
    SmallVector<Value> rowExtents;
    for (auto [dim, info] : llvm::enumerate(space.getDims()))
      (info.isReduced ? extents : rowExtents).push_back(scope.getExtent(dim));
    at = math.delinearize(row, rowExtents);
    at.resize(space.getDims().size());
    length = math.product(extents);
  }

  void run() {
    for (unsigned phase = 0; phase < space.getPhases().size(); ++phase) {
      computeForRow(phase);
      reduce(space.getPhases()[phase]);
    }
    computeForRow(space.getPhases().size());
    storeElements();
    storeRow();
  }

private:
  PointEmitter atRow() { return PointEmitter(builder, scope, rows, {at}); }

  /// What has one element for a row and needs no more than `phase` phases.
  void computeForRow(unsigned phase) {
    PointEmitter emitter = atRow();
    for (linalg::GenericOp op : space.getOps())
      if (op.getNumReductionLoops() == 0 && space.isOfRow(op) &&
          space.getPhase(op) == phase)
        for (Value result : op->getResults())
          rows[result] = emitter.get(result).front();
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
  SmallVector<Value> createStart(ArrayRef<Accumulator> accumulators);
  void fillLoop(scf::ForOp loop, ArrayRef<Accumulator> accumulators);

  /// What has an element for each of the row.
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
    PointEmitter emitter(builder, scope, rows,
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
  const KernelScope &scope;
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
  RowValues rows;
};

} // namespace

/// Combines two partial results.
static Value combine(OpBuilder &builder, Operation *combiner, Value a,
                     Value b) {
  IRMapping map;
  map.map(combiner->getOperand(0), a);
  map.map(combiner->getOperand(1), b);
  return builder.clone(*combiner, map)->getResult(0);
}

SmallVector<Value> RowEmitter::createStart(ArrayRef<Accumulator> accumulators) {
  SmallVector<Value> start;
  for (const Accumulator &accumulator : accumulators) {
    Value first = accumulator.init;
    if (accumulator.combiner)
      first = arith::ConstantOp::create(
          builder, loc, *arith::getNeutralElement(accumulator.combiner));
    start.append(lanes, first);
  }
  return start;
}

void RowEmitter::fillLoop(scf::ForOp loop, ArrayRef<Accumulator> accumulators) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter emitter(builder, scope, rows, getPoint(loop.getInductionVar()));
  SmallVector<Value> next(loop.getRegionIterArgs());
  for (unsigned index = 0; index < accumulators.size();) {
    linalg::GenericOp op = accumulators[index].op;
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

void RowEmitter::reduce(ArrayRef<linalg::GenericOp> ops) {
  SmallVector<Accumulator> accumulators;
  PointEmitter emitter = atRow();
  for (linalg::GenericOp op : ops)
    for (OpOperand &init : op.getDpsInitsMutable()) {
      unsigned result = op.getTiedOpResult(&init).getResultNumber();
      Operation *combiner =
          team.isOneThread() ? nullptr : getCombiner(op, result);
      accumulators.push_back(
          {op, result, combiner, emitter.getOperand(op, init).front()});
    }
  scf::ForOp loop = createLoop(createStart(accumulators));
  fillLoop(loop, accumulators);
  for (unsigned index = 0; index < accumulators.size(); ++index) {
    const Accumulator &accumulator = accumulators[index];
    ValueRange parts = loop.getResults().slice(index * lanes, lanes);
    Value value = parts.front();
    auto join = [&](Value a, Value b) {
      return combine(builder, accumulator.combiner, a, b);
    };
    for (Value part : parts.drop_front())
      value = join(value, part);
    if (accumulator.combiner)
      value = join(accumulator.init, team.reduce(builder, value, join));
    rows[accumulator.op->getResult(accumulator.result)] = value;
  }
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

namespace {

class RowSchedule : public Schedule {
public:
  RowSchedule(const KernelSpace &space, Team team, unsigned lanes)
      : space(space), team(team), lanes(lanes) {}

  std::string getSuffix() const override {
    StringRef name = team == Team::Thread  ? "_thread"
                     : team == Team::Warp  ? "_warp"
                     : team == Team::Block ? "_block"
                                           : "_column";
    return lanes == 1 ? name.str() : (name + "_x" + Twine(lanes)).str();
  }
  unsigned getNumThreads() const override {
    return team == Team::Column ? 1024 : team == Team::Block ? 256 : 128;
  }

  Value createNumBlocks(OpBuilder &host,
                        ArrayRef<Value> extents) const override {
    IndexMath math(host, space.getKernel()->getLoc());
    return math.ceilDiv(
        math.product(extents.take_front(space.getNumRowDims())),
        getNumThreads() / TeamReduction::getNumThreads(team, getNumThreads()));
  }

  void emit(const Kernel &kernel, OpBuilder &builder) const override {
    Location loc = space.getKernel()->getLoc();
    KernelScope scope(space, kernel, builder);
    TeamReduction reduction(builder, loc, kernel.function, team,
                            getNumThreads());
    IndexMath math(builder, loc);
    SmallVector<Value> extents;
    for (unsigned dim = 0; dim < space.getNumRowDims(); ++dim)
      extents.push_back(scope.getExtent(dim));
    Value row = reduction.enterRows(builder, math.product(extents));
    RowEmitter(builder, scope, reduction, lanes, row).run();
  }

private:
  const KernelSpace &space;
  Team team;
  unsigned lanes;
};

} // namespace

std::unique_ptr<Schedule>
tally::codegen::createRowSchedule(const KernelSpace &space, Team team,
                                  unsigned lanes) {
  return std::make_unique<RowSchedule>(space, team, lanes);
}
