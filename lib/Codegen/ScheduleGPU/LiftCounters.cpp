//===- LiftCounters.cpp - Counters of loops become scans ------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/TallyScanOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace tally {
#define GEN_PASS_DEF_LIFTCOUNTERS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;

namespace {

/// Loops from 0 by 1, each of which is all that the one around it does, with a
/// number that they carry.
class CountingNest {
public:
  explicit CountingNest(scf::ForOp outermost);

  /// Lifts the first counter that there is; false if there is none.
  bool lift();

private:
  bool findStep(unsigned number);
  bool addToSlice(Value value);
  Value createSteps(OpBuilder &builder);
  Value createSums(OpBuilder &builder, Value steps);

  SmallVector<scf::ForOp> loops;
  Location loc;
  /// The sum of the counter and a step, what the step is, and how that is
  /// computed.
  arith::AddIOp sum;
  Value step;
  llvm::SetVector<Operation *> slice;
};

} // namespace

/// Whether a loop passes what it carries through another one, which is all that
/// it does.
static scf::ForOp getInner(scf::ForOp loop) {
  Block *body = loop.getBody();
  auto inner = dyn_cast<scf::ForOp>(body->front());
  if (!inner || !llvm::hasNItems(body->without_terminator(), 1) ||
      !llvm::equal(inner.getInitArgs(), loop.getRegionIterArgs()) ||
      !llvm::equal(body->getTerminator()->getOperands(), inner.getResults()))
    return {};
  return inner;
}

CountingNest::CountingNest(scf::ForOp outermost) : loc(outermost.getLoc()) {
  for (scf::ForOp loop = outermost; loop; loop = getInner(loop)) {
    auto isOutside = [&](Value bound) {
      return outermost.isDefinedOutsideOfLoop(bound);
    };
    if (!isConstantIntValue(loop.getLowerBound(), 0) ||
        !isConstantIntValue(loop.getStep(), 1) ||
        !isOutside(loop.getUpperBound()))
      break;
    loops.push_back(loop);
  }
}

/// Adds what computes a value from nothing that is carried.
bool CountingNest::addToSlice(Value value) {
  if (loops.front().isDefinedOutsideOfLoop(value))
    return true;
  for (scf::ForOp loop : loops)
    if (value == loop.getInductionVar())
      return true;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loops.back().getBody() ||
      op->getNumRegions() != 0 || !isPure(op) ||
      !llvm::all_of(op->getOperands(),
                    [&](Value operand) { return addToSlice(operand); }))
    return false;
  slice.insert(op);
  return true;
}

bool CountingNest::findStep(unsigned number) {
  scf::ForOp innermost = loops.back();
  Value counter = innermost.getRegionIterArgs()[number];
  if (!counter.getType().isIndex() && !counter.getType().isInteger(64))
    return false;
  if (!loops.front().getResult(number).use_empty())
    return false;
  sum = innermost.getYieldedValues()[number].getDefiningOp<arith::AddIOp>();
  if (!sum || sum->getBlock() != innermost.getBody())
    return false;
  if (sum.getLhs() != counter && sum.getRhs() != counter)
    return false;
  step = sum.getLhs() == counter ? sum.getRhs() : sum.getLhs();
  slice.clear();
  // A number that counts iterations is no scan.
  return !loops.front().isDefinedOutsideOfLoop(step) && addToSlice(step);
}

/// The steps of all iterations.
Value CountingNest::createSteps(OpBuilder &builder) {
  SmallVector<OpFoldResult> sizes;
  for (scf::ForOp loop : loops)
    sizes.push_back(getAsOpFoldResult(loop.getUpperBound()));
  Value empty =
      tensor::EmptyOp::create(builder, loc, sizes, builder.getI64Type());
  auto rank = unsigned(loops.size());
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto made = linalg::GenericOp::create(
      builder, loc, empty.getType(), ValueRange(), empty,
      builder.getMultiDimIdentityMap(rank), iterators,
      [&](OpBuilder &inner, Location loc, ValueRange) {
        IRMapping map;
        for (auto [dim, loop] : llvm::enumerate(loops))
          map.map(loop.getInductionVar(),
                  linalg::IndexOp::create(inner, loc, int64_t(dim)));
        for (Operation *op : slice)
          inner.clone(*op, map);
        Value value = map.lookupOrDefault(step);
        if (value.getType().isIndex())
          value =
              arith::IndexCastOp::create(inner, loc, inner.getI64Type(), value);
        linalg::YieldOp::create(inner, loc, value);
      });
  return made.getResult(0);
}

/// The sums of the steps of all iterations up to each one.
Value CountingNest::createSums(OpBuilder &builder, Value steps) {
  auto type = cast<RankedTensorType>(steps.getType());
  SmallVector<OpFoldResult> sizes;
  for (scf::ForOp loop : loops)
    sizes.push_back(getAsOpFoldResult(loop.getUpperBound()));
  ReassociationIndices all(type.getRank());
  std::iota(all.begin(), all.end(), 0);
  Value row = steps;
  if (type.getRank() > 1)
    row = tensor::CollapseShapeOp::create(builder, loc, steps,
                                          ArrayRef<ReassociationIndices>(all));
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, row),
      builder.getI64Type());
  Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
  auto scan = PrefixScanOp::create(builder, loc, empty.getType(), row, empty,
                                   zero, /*dim=*/0, /*associative=*/true);
  auto enter = [&](Region &region, TypeRange types) {
    Block &block = region.emplaceBlock();
    block.addArguments(types, SmallVector<Location>(types.size(), loc));
    return OpBuilder::atBlockEnd(&block);
  };
  Type number = builder.getI64Type();
  OpBuilder body = enter(scan.getBody(), {builder.getIndexType(), number});
  auto total = AccumulateOp::create(body, loc, number,
                                    scan.getBody().front().getArgument(1));
  YieldOp::create(body, loc, total.getResults());
  OpBuilder inner = enter(total.getCombine(), {number, number});
  Block &pair = total.getCombine().front();
  Value both = arith::AddIOp::create(inner, loc, pair.getArgument(0),
                                     pair.getArgument(1));
  YieldOp::create(inner, loc, both);
  if (type.getRank() == 1)
    return scan.getResult(0);
  return tensor::ExpandShapeOp::create(builder, loc, type, scan.getResult(0),
                                       ArrayRef<ReassociationIndices>(all),
                                       sizes);
}

bool CountingNest::lift() {
  if (loops.empty())
    return false;
  unsigned number = 0, count = loops.front().getNumResults();
  while (number < count && !findStep(number))
    ++number;
  if (number == count)
    return false;
  OpBuilder builder(loops.front());
  Value sums = createSums(builder, createSteps(builder));
  scf::ForOp innermost = loops.back();
  Value counter = innermost.getRegionIterArgs()[number];
  Value initial = loops.front().getInitArgs()[number];
  builder.setInsertionPoint(sum);
  SmallVector<Value> at;
  for (scf::ForOp loop : loops)
    at.push_back(loop.getInductionVar());
  // The sum before an iteration is that with it without its step.
  auto createSum = [&](bool isBefore) {
    Value value = tensor::ExtractOp::create(builder, loc, sums, at);
    if (initial.getType().isIndex())
      value =
          arith::IndexCastOp::create(builder, loc, initial.getType(), value);
    value = arith::AddIOp::create(builder, loc, initial, value);
    return isBefore
               ? arith::SubIOp::create(builder, loc, value, step).getResult()
               : value;
  };
  innermost.getBody()->getTerminator()->setOperand(number, counter);
  if (!sum->use_empty())
    sum.replaceAllUsesWith(createSum(/*isBefore=*/false));
  sum.erase();
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : counter.getUses())
    if (use.getOwner() != innermost.getBody()->getTerminator())
      uses.push_back(&use);
  if (uses.empty())
    return true;
  // Steps are computed before anything uses the counter.
  builder.setInsertionPointToStart(innermost.getBody());
  IRMapping map;
  for (Operation *op : slice)
    builder.clone(*op, map);
  step = map.lookupOrDefault(step);
  Value before = createSum(/*isBefore=*/true);
  for (OpOperand *use : uses)
    use->set(before);
  return true;
}

void tally::liftCounters(Operation *root) {
  SmallVector<scf::ForOp> outermost;
  root->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    auto parent = dyn_cast<scf::ForOp>(loop->getParentOp());
    if (!parent || getInner(parent) != loop)
      outermost.push_back(loop);
  });
  for (scf::ForOp loop : outermost)
    while (CountingNest(loop).lift())
      ;
}

namespace {
struct LiftCountersPass : tally::impl::LiftCountersBase<LiftCountersPass> {
  void runOnOperation() override { tally::liftCounters(getOperation()); }
};
} // namespace
