//===- LowerScans.cpp - tally.prefix_scan to loops ------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"
#include "tally/IR/TallyScanOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERSCANS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-scans"

using namespace mlir;
using tally::PrefixScanOp;

/// Clones what stands in a block; returns what it yields. `op` accumulates:
/// in its place stand `accumulators`, which become their next values.
static SmallVector<Value> inlineBlock(OpBuilder &builder, Block &block,
                                      IRMapping &map,
                                      SmallVectorImpl<Value> *accumulators) {
  for (Operation &op : block.without_terminator()) {
    auto accumulate = dyn_cast<tally::AccumulateOp>(op);
    if (!accumulate) {
      builder.clone(op, map);
      continue;
    }
    auto pairs = llvm::to_vector(*accumulators);
    for (Value value : accumulate.getValues())
      pairs.push_back(map.lookupOrDefault(value));
    Block &combine = accumulate.getCombine().front();
    IRMapping inner;
    inner.map(combine.getArguments(), pairs);
    *accumulators = inlineBlock(builder, combine, inner, nullptr);
    map.map(accumulate.getResults(), *accumulators);
  }
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return map.lookupOrDefault(value); });
}

/// One element: `carried` are the destinations, then the accumulators.
static SmallVector<Value> createStep(OpBuilder &builder, PrefixScanOp op,
                                     ValueRange indices, ValueRange carried) {
  Location loc = op.getLoc();
  size_t count = op.getOutputs().size();
  SmallVector<Value> arguments{indices[op.getDim()]};
  for (Value input : op.getInputs())
    arguments.push_back(
        tensor::ExtractOp::create(builder, loc, input, indices));
  IRMapping map;
  map.map(op.getBody().getArguments(), arguments);
  SmallVector<Value> accumulators(carried.drop_front(count)), next;
  for (auto [value, output] : llvm::zip_equal(
           inlineBlock(builder, op.getBody().front(), map, &accumulators),
           carried.take_front(count)))
    next.push_back(
        tensor::InsertOp::create(builder, loc, value, output, indices));
  llvm::append_range(next, accumulators);
  return next;
}

/// Loops over all other dimensions, and inside over that of the scan with the
/// accumulators carried along.
static void lowerScan(PrefixScanOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto dim = int64_t(op.getDim());
  Value first = op.getOutputs().front();
  int64_t rank = cast<RankedTensorType>(first.getType()).getRank();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> upper;
  for (int64_t i = 0; i < rank; ++i)
    upper.push_back(builder.createOrFold<tensor::DimOp>(loc, first, i));
  Value length = upper[dim];
  upper.erase(upper.begin() + dim);
  auto scanRow = [&](OpBuilder &outer, Location, ValueRange others,
                     ValueRange outputs) -> SmallVector<Value> {
    SmallVector<Value> carried(outputs);
    llvm::append_range(carried, op.getStarts());
    auto loop = scf::ForOp::create(
        outer, loc, zero, length, one, carried,
        [&](OpBuilder &inner, Location, Value i, ValueRange args) {
          SmallVector<Value> indices(others);
          indices.insert(indices.begin() + dim, i);
          scf::YieldOp::create(inner, loc,
                               createStep(inner, op, indices, args));
        });
    return SmallVector<Value>(loop.getResults().take_front(outputs.size()));
  };
  SmallVector<Value> results;
  if (upper.empty())
    results = scanRow(builder, loc, {}, op.getOutputs());
  else
    results =
        scf::buildLoopNest(builder, loc, SmallVector<Value>(upper.size(), zero),
                           upper, SmallVector<Value>(upper.size(), one),
                           op.getOutputs(), scanRow)
            .results;
  op.replaceAllUsesWith(results);
  op.erase();
}

/// Whether the body of a scan has an operation that is not defined for all of
/// its operands, such as a division of integers.
static bool mayFail(PrefixScanOp op) {
  return op
      ->walk([&](Operation *inner) {
        bool isOfScan = isa<PrefixScanOp, tally::AccumulateOp>(inner);
        return isOfScan || isSpeculatable(inner) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

void tally::lowerScans(Operation *root, bool failingOnly) {
  SmallVector<PrefixScanOp> scans;
  root->walk([&](PrefixScanOp op) {
    if (op->getNumResults() != 0 && (!failingOnly || mayFail(op)))
      scans.push_back(op);
  });
  for (PrefixScanOp op : scans) {
    LDBG() << codegen::describeLastPart(op)
           << ": a loop along each row, element by element";
    lowerScan(op);
  }
}

namespace {
struct LowerScansPass : tally::impl::LowerScansBase<LowerScansPass> {
  using LowerScansBase::LowerScansBase;

  void runOnOperation() override {
    tally::lowerScans(getOperation(), failingOnly);
  }
};
} // namespace
