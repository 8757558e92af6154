//===- ParallelizeLoops.cpp - Loops whose iterations are independent ------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Common/LoopNest.h"
#include "Common/Utils.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PARALLELIZELOOPS
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-parallelize-loops"

using namespace mlir;
using namespace tally::codegen;

/// The most iterations of a loop in another one that a thread takes at once,
/// as those of the other one are taken once for each block; and the least.
static constexpr int64_t kBlock = 256, kLeastBlock = 16;

/// Returns the iterations of a block of a loop, of which there are two at
/// least; 0 where the loop is too short for that. What is not parallel is not
/// compiled for several levels of processors.
static int64_t getBlock(scf::ForOp loop) {
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  if (!count || count->ugt(kBlock))
    return kBlock;
  auto half = int64_t(llvm::divideCeil(count->getZExtValue(), 2));
  return half < kLeastBlock ? 0 : int64_t(llvm::alignTo(half, kLeastBlock));
}

/// Counts the loops from the outermost one on that have independent iterations.
static unsigned countIndependent(const LoopNest &nest, BufferOrigins &origins) {
  unsigned count = 0;
  while (nest.isKnown() && count < nest.getLoops().size() &&
         nest.isIndependent(count, origins))
    ++count;
  return count;
}

/// Makes one parallel loop of the first loops.
static void parallelize(ArrayRef<scf::ForOp> loops) {
  scf::ForOp outer = loops.front(), inner = loops.back();
  OpBuilder builder(outer);
  SmallVector<Value> lower, upper, steps;
  for (scf::ForOp loop : loops) {
    lower.push_back(loop.getLowerBound());
    upper.push_back(loop.getUpperBound());
    steps.push_back(loop.getStep());
  }
  auto parallel =
      scf::ParallelOp::create(builder, outer.getLoc(), lower, upper, steps);
  for (auto [loop, index] : llvm::zip(loops, parallel.getInductionVars()))
    scf::ForOp(loop).getInductionVar().replaceAllUsesWith(index);
  Block *body = inner.getBody(), *to = parallel.getBody();
  to->getOperations().splice(to->begin(), body->getOperations(), body->begin(),
                             body->getTerminator()->getIterator());
  outer.erase();
}

/// Finds the last loop with independent iterations in all of the nest.
static std::optional<unsigned> findIndependent(const LoopNest &nest,
                                               BufferOrigins &origins) {
  ArrayRef<scf::ForOp> loops = nest.getLoops();
  for (unsigned loop = loops.size(); nest.isKnown() && loop-- > 1;)
    if (getBlock(loops[loop]) != 0 && nest.isIndependent(loop, origins))
      return loop;
  return std::nullopt;
}

/// Moves in front of a loop of independent iterations, of which there is one at
/// least, what all of them do alike. LLVM does not know that what is stored in
/// one is not what the next one loads.
static void hoistInvariants(scf::ForOp loop) {
  for (Operation &op :
       llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    // Behind what writes, an iteration may read what it wrote.
    if (op.getNumRegions() != 0 || !(isa<memref::LoadOp>(op) || isPure(&op)))
      return;
    if (llvm::all_of(op.getOperands(), [&](Value operand) {
          return loop.isDefinedOutsideOfLoop(operand);
        }))
      op.moveBefore(loop);
  }
}

/// Makes a parallel loop over blocks of iterations of `loop` around `outer`.
static void parallelizeBlocks(scf::ForOp outer, scf::ForOp loop) {
  OpBuilder builder(outer);
  Location loc = outer.getLoc();
  Value upper = loop.getUpperBound();
  Value step = arith::MulIOp::create(
      builder, loc, loop.getStep(),
      arith::ConstantIndexOp::create(builder, loc, getBlock(loop)));
  auto blocks =
      scf::ParallelOp::create(builder, loc, loop.getLowerBound(), upper, step);
  builder.setInsertionPointToStart(blocks.getBody());
  Value begin = blocks.getInductionVars().front();
  Value end = arith::AddIOp::create(builder, loc, begin, step);
  loop.getLowerBoundMutable().assign(begin);
  loop.getUpperBoundMutable().assign(
      arith::MinSIOp::create(builder, loc, end, upper));
  markIndependent(loop);
  hoistInvariants(loop);
  outer->moveBefore(blocks.getBody()->getTerminator());
}

void tally::parallelizeLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> found;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ParallelOp>(op))
      return WalkResult::skip();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      found.push_back(loop);
    return WalkResult::advance();
  });
  if (found.empty())
    return;
  BufferOrigins origins(function);
  llvm::DenseSet<Operation *> gone;
  for (scf::ForOp loop : found) {
    // Those in a loop that has become parallel are left as they are.
    if (gone.contains(loop) || loop->getParentOfType<scf::ParallelOp>())
      continue;
    LoopNest nest(loop);
    unsigned count = countIndependent(nest, origins);
    std::optional<unsigned> later;
    if (count == 0)
      later = findIndependent(nest, origins);
    if (later) {
      LDBG() << describeLastPart(loop) << ": blocks of loop " << *later
             << " are independent";
      parallelizeBlocks(loop, nest.getLoops()[*later]);
    }
    if (count == 0)
      continue;
    LDBG() << describeLastPart(loop) << ": " << count
           << " loops have independent iterations";
    ArrayRef<scf::ForOp> parallel = nest.getLoops().take_front(count);
    gone.insert_range(parallel);
    parallelize(parallel);
  }
}

namespace {
struct ParallelizeLoopsPass
    : tally::impl::ParallelizeLoopsBase<ParallelizeLoopsPass> {
  void runOnOperation() override { tally::parallelizeLoops(getOperation()); }
};
} // namespace
