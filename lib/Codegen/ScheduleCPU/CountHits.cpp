//===- CountHits.cpp - Histograms take each element once ------------------===//
//
// See the description of the pass in ReductionPasses.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_COUNTHITS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-count-hits"

using namespace mlir;

/// So many counters are fast side by side.
static constexpr int64_t kFewCounters = 8;

namespace {
/// An operation that adds one to a counter for each element whose place, an
/// i64 or an index, is the counter's.
struct Histogram {
  /// The loop over the counters.
  unsigned loop;
  Value place;
  Operation *sum;
};
} // namespace

/// The loop whose index an integer is.
static std::optional<unsigned> getLoop(Value value) {
  if (auto cast = value.getDefiningOp<arith::IndexCastOp>()) {
    if (!cast.getType().isInteger(64))
      return std::nullopt;
    value = cast.getIn();
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  return index ? std::optional<unsigned>(index.getDim()) : std::nullopt;
}

/// Whether all that a value depends on in the body is the same for all
/// counters, and has no effect.
static bool isSameForAll(Value value, linalg::GenericOp op, unsigned loop) {
  SetVector<Value> pending;
  pending.insert(value);
  for (size_t i = 0; i < pending.size(); ++i) {
    if (pending[i] == op.getRegionOutputArgs().front())
      return false;
    Operation *def = pending[i].getDefiningOp();
    if (!def || def->getBlock() != op.getBody())
      continue;
    auto index = dyn_cast<linalg::IndexOp>(def);
    if ((index && index.getDim() == loop) || def->getNumRegions() != 0 ||
        (!index && !isPure(def)))
      return false;
    pending.insert(def->operand_begin(), def->operand_end());
  }
  return true;
}

/// Whether the operation has one counter for each step of one loop, and other
/// operands along the other loops.
static bool hasCounters(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != 1 || op.getNumReductionLoops() == 0)
    return false;
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  auto counters = cast<RankedTensorType>(op.getDpsInits().front().getType());
  AffineMap places = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (counters.getRank() != 1 ||
      places.getResult(0) != getAffineDimExpr(loops[0], op.getContext()) ||
      (!counters.isDynamicDim(0) && counters.getDimSize(0) <= kFewCounters))
    return false;
  return llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    return map.isProjectedPermutation() && !map.isFunctionOfDim(loops[0]) &&
           isa<RankedTensorType>(operand->get().getType());
  });
}

static std::optional<Histogram> findHistogram(linalg::GenericOp op) {
  if (!hasCounters(op))
    return std::nullopt;
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument old = op.getRegionOutputArgs().front();
  if (!isa_and_present<arith::AddFOp, arith::AddIOp>(sum) ||
      !llvm::is_contained(sum->getOperands(), old))
    return std::nullopt;
  Value added = sum->getOperand(sum->getOperand(0) == old ? 1 : 0);
  Operation *widened = added.getDefiningOp();
  if (!isa_and_present<arith::UIToFPOp, arith::ExtUIOp>(widened) ||
      !widened->getOperand(0).getType().isInteger(1))
    return std::nullopt;
  auto hit = widened->getOperand(0).getDefiningOp<arith::CmpIOp>();
  if (!hit || hit.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  SmallVector<unsigned> loops;
  op.getParallelDims(loops);
  for (auto [counter, place] : {std::pair(hit.getLhs(), hit.getRhs()),
                                std::pair(hit.getRhs(), hit.getLhs())})
    if (getLoop(counter) == loops[0] && isSameForAll(place, op, loops[0]))
      return Histogram{loops[0], place, sum};
  return std::nullopt;
}

/// Adds one to the counter at a place, if there is one.
static Value addOne(OpBuilder &builder, Location loc, Value counters,
                    Value place, Value size, Operation *sum) {
  Value isCounted = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, place, size);
  auto choice = scf::IfOp::create(
      builder, loc, isCounted,
      [&](OpBuilder &b, Location loc) {
        Value old = tensor::ExtractOp::create(b, loc, counters, place);
        Value one =
            arith::ConstantOp::create(b, loc, b.getOneAttr(old.getType()));
        Value next = isa<arith::AddFOp>(sum)
                         ? arith::AddFOp::create(b, loc, old, one).getResult()
                         : arith::AddIOp::create(b, loc, old, one).getResult();
        Value all = tensor::InsertOp::create(b, loc, next, counters, place);
        scf::YieldOp::create(b, loc, all);
      },
      [&](OpBuilder &b, Location loc) {
        scf::YieldOp::create(b, loc, counters);
      });
  return choice.getResult(0);
}

/// Computes the place of an element in the body of loops: `at` has the index of
/// each loop but that over counters.
static Value computePlace(OpBuilder &b, linalg::GenericOp op,
                          const Histogram &histogram, ArrayRef<Value> at) {
  Location loc = op.getLoc();
  IRMapping map;
  for (auto [operand, argument] :
       llvm::zip_equal(op.getDpsInputOperands(), op.getRegionInputArgs())) {
    SmallVector<Value> indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
      indices.push_back(at[cast<AffineDimExpr>(expr).getPosition()]);
    map.map(
        argument,
        tensor::ExtractOp::create(b, loc, operand->get(), indices).getResult());
  }
  for (Operation &each : op.getBody()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(each);
    if (index && index.getDim() != histogram.loop)
      map.map(index.getResult(), at[index.getDim()]);
    else if (llvm::all_of(each.getResults(), [&](Value v) {
               return isSameForAll(v, op, histogram.loop);
             }))
      b.clone(each, map);
  }
  Value place = map.lookupOrDefault(histogram.place);
  if (place.getType().isIndex())
    return place;
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
}

/// Writes loops over the elements.
static void countHits(linalg::GenericOp op, const Histogram &histogram) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(builder, loc);
  SmallVector<Value> sizes, lows, highs, steps;
  for (auto [loop, range] : llvm::enumerate(ranges)) {
    sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, range.size));
    if (loop == histogram.loop)
      continue;
    lows.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
    highs.push_back(sizes.back());
    steps.push_back(arith::ConstantIndexOp::create(builder, loc, 1));
  }
  auto emit = [&](OpBuilder &b, Location loc, ValueRange indices,
                  ValueRange counters) -> scf::ValueVector {
    SmallVector<Value> at(indices);
    // The loop over counters is none any more.
    at.insert(at.begin() + histogram.loop, Value());
    Value place = computePlace(b, op, histogram, at);
    return {addOne(b, loc, counters.front(), place, sizes[histogram.loop],
                   histogram.sum)};
  };
  scf::LoopNest nest = scf::buildLoopNest(builder, loc, lows, highs, steps,
                                          op.getDpsInits(), emit);
  op.getResult(0).replaceAllUsesWith(nest.results.front());
  op.erase();
}

void tally::countHits(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : ops)
    if (std::optional<Histogram> histogram = findHistogram(op)) {
      LDBG() << "counters of a histogram: each element once";
      ::countHits(op, *histogram);
    }
}

namespace {
struct CountHitsPass : tally::impl::CountHitsBase<CountHitsPass> {
  void runOnOperation() override { tally::countHits(getOperation()); }
};
} // namespace
