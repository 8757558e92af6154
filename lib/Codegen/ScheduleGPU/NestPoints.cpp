//===- NestPoints.cpp - Points of a nest that a thread takes --------------===//

#include "NestPoints.h"
#include "tally/IR/Tally.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tally::codegen;

/// The most columns that a thread takes at once, and the most operations of
/// their bodies.
static constexpr unsigned kMostAtOnce = 4;
static constexpr unsigned kMostOperations = 256;
/// The threads of a team that takes at least as many columns.
static constexpr int64_t kWarp = 32;

NestPoints::NestPoints(const NestDivision &division, OpBuilder &host,
                       ArrayRef<Value> counts, int64_t numThreads)
    : division(division),
      loc(scf::ForOp(division.getNest().getLoops().front()).getLoc()),
      rowCounts(counts.drop_back()), columns(counts.back()) {
  classify();
  IndexMath math(host, loc);
  auto atLeast = [&](int64_t least, int64_t yes, Value no) {
    Value isThere = host.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::uge, columns, math.constant(least));
    return host.createOrFold<arith::SelectOp>(loc, isThere, math.constant(yes),
                                              no);
  };
  // Short rows have as many threads as a power of two has, long ones as many
  // as take `atOnce` columns each.
  lanes = math.constant(rowCounts.empty() ? numThreads : 1);
  if (!rowCounts.empty()) {
    for (int64_t count = 2; count <= kWarp; count *= 2)
      lanes = atLeast(count / 2 + 1, count, lanes);
    for (int64_t count = 2 * kWarp; count <= numThreads; count *= 2)
      lanes = atLeast(count * atOnce, count, lanes);
  }
  Value chunk = math.mul(lanes, math.constant(atOnce));
  Value chunks = math.div(columns, chunk);
  full = math.mul(chunks, chunk);
  // Where nothing is left of one column or more, there is one team.
  groups = host.createOrFold<arith::MaxUIOp>(
      loc, chunks, math.min(columns, math.constant(1)));
  total = math.mul(math.mul(math.product(rowCounts), groups), lanes);
}

/// Whether an operation neither writes nor depends on what is asserted.
/// `isBarred`: it stands behind an assert of what has not been read.
bool NestPoints::canRunEarly(Operation *op, const llvm::DenseSet<Value> &late,
                             bool isBarred) const {
  if (op->getNumRegions() != 0 ||
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return late.contains(operand); }))
    return false;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return isPure(op);
  if (isBarred || !division.isOnlyRead(load.getMemRef()))
    return false;
  scf::ForOp outer = division.getNest().getLoops().front();
  return llvm::all_of(load.getIndices(), [&](Value index) {
    return outer.isDefinedOutsideOfLoop(index) || isa<BlockArgument>(index) ||
           index.getDefiningOp<arith::ConstantOp>();
  });
}

void NestPoints::classify() {
  llvm::DenseSet<Value> ofColumns = {division.getBody()->getArgument(0)};
  llvm::DenseSet<Value> late, read;
  bool isBarred = false, isChecked = false, hasRegions = false;
  for (Operation &op : division.getBody()->without_terminator()) {
    auto uses = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op.getOperands(), [&](Value operand) {
        return values.contains(operand);
      });
    };
    bool isEarly = canRunEarly(&op, late, isBarred);
    auto load = dyn_cast<memref::LoadOp>(op);
    bool isAssert = isa<tally::AssertOp>(op);
    // What a column asserts may be what lets a place be read.
    bool isOfRow =
        op.getNumRegions() == 0 && !uses(ofColumns) &&
        (load ? division.isOnlyRead(load.getMemRef()) && (isEarly || !isChecked)
              : isAssert || isPure(&op));
    isBarred |= isAssert && !uses(read);
    isChecked |= isAssert && !isOfRow;
    steps.push_back({&op, isOfRow, isEarly});
    hasRegions |= op.getNumRegions() != 0;
    for (Value result : op.getResults()) {
      if (!isOfRow)
        ofColumns.insert(result);
      if (!isEarly)
        late.insert(result);
      if (load || uses(read))
        read.insert(result);
    }
  }
  atOnce = hasRegions ? 1 : kMostAtOnce;
  while (atOnce > 1 && steps.size() * atOnce > kMostOperations)
    atOnce /= 2;
}

void NestPoints::enter(OpBuilder &builder, IRMapping &map, scf::ForOp loop,
                       Value number) const {
  IndexMath math(builder, loc);
  map.map(loop.getInductionVar(),
          math.add(map.lookupOrDefault(loop.getLowerBound()),
                   math.mul(number, map.lookupOrDefault(loop.getStep()))));
}

void NestPoints::emit(
    OpBuilder &builder, const IRMapping &kernel, Value thread,
    function_ref<void(OpBuilder &, IRMapping &)> finish) const {
  IRMapping map(kernel);
  IndexMath math(builder, loc);
  auto get = [&](Value value) { return map.lookupOrDefault(value); };
  Value width = get(lanes), teams = get(groups);
  Value lane = math.rem(thread, width), team = math.div(thread, width);
  Value group = team, row = team;
  if (!rowCounts.empty()) {
    group = math.rem(team, teams);
    row = math.div(team, teams);
  }
  SmallVector<Value> indices =
      math.delinearize(row, llvm::map_to_vector(rowCounts, get));
  ArrayRef<scf::ForOp> loops = division.getNest().getLoops();
  for (auto [loop, index] : llvm::zip_equal(loops.drop_back(), indices))
    enter(builder, map, loop, index);
  for (bool isEarly : {true, false})
    for (const Step &step : steps)
      if (step.isOfRow && step.isEarly == isEarly)
        builder.clone(*step.op, map);
  Value chunk = math.mul(width, math.constant(atOnce));
  if (atOnce > 1)
    emitColumns(builder, map, math.add(math.mul(group, chunk), lane), get(full),
                math.mul(teams, chunk), atOnce, finish);
  Value first = math.add(math.mul(group, width), lane);
  emitColumns(builder, map, atOnce > 1 ? math.add(get(full), first) : first,
              get(columns), math.mul(teams, width), 1, finish);
}

void NestPoints::emitColumns(
    OpBuilder &builder, const IRMapping &row, Value begin, Value end,
    Value step, unsigned count,
    function_ref<void(OpBuilder &, IRMapping &)> finish) const {
  auto loop = scf::ForOp::create(builder, loc, begin, end, step);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  IndexMath math(builder, loc);
  SmallVector<IRMapping> points(count, row);
  Value column = loop.getInductionVar();
  for (IRMapping &point : points) {
    enter(builder, point, division.getNest().getLoops().back(), column);
    column = math.add(column, row.lookup(lanes));
  }
  for (bool isEarly : {true, false})
    for (const Step &step : steps)
      if (!step.isOfRow && step.isEarly == isEarly)
        for (IRMapping &point : points)
          builder.clone(*step.op, point);
  for (IRMapping &point : points) {
    OpBuilder::InsertionGuard inside(builder);
    finish(builder, point);
  }
}
