//===- ParallelizeLoops.cpp - Loops whose iterations are independent ------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/BufferOrigins.h"
#include "Common/Fusion.h"
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

namespace {

/// A read or a write of one element.
struct Access {
  Value memref;
  ValueRange indices;
};

/// Loops that carry nothing, each of which is all that the one around it does.
class LoopNest {
public:
  explicit LoopNest(scf::ForOp outermost);

  ArrayRef<scf::ForOp> getLoops() const { return loops; }
  /// How many loops from the outermost one on have independent iterations.
  unsigned countIndependent(BufferOrigins &origins) const;
  /// Makes one parallel loop of the first loops.
  void parallelize(unsigned count);
  /// Returns the last loop with independent iterations in all of the nest.
  std::optional<unsigned> findIndependent(BufferOrigins &origins) const;
  /// Makes a parallel loop over blocks of iterations of a loop around all.
  void parallelizeBlocks(unsigned loop);

private:
  bool collectAccesses();
  bool isIndependent(unsigned loop, BufferOrigins &origins) const;

  SmallVector<scf::ForOp> loops;
  SmallVector<Access> reads, writes;
  bool isKnown;
};

} // namespace

LoopNest::LoopNest(scf::ForOp outermost) {
  scf::ForOp loop = outermost;
  while (loop && loop.getNumResults() == 0 &&
         llvm::all_of(loop->getOperands(), [&](Value bound) {
           return outermost.isDefinedOutsideOfLoop(bound);
         })) {
    loops.push_back(loop);
    Block *body = loop.getBody();
    bool isAlone = llvm::hasNItems(body->without_terminator(), 1);
    loop = isAlone ? dyn_cast<scf::ForOp>(body->front()) : scf::ForOp();
  }
  isKnown = !loops.empty() && collectAccesses();
}

/// Finds what is read and written; false if anything else has an effect.
bool LoopNest::collectAccesses() {
  WalkResult result = loops.back().getBody()->walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      reads.push_back({load.getMemRef(), load.getIndices()});
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      writes.push_back({store.getMemRef(), store.getIndices()});
    else if (!isa<scf::ForOp, scf::IfOp>(op) &&
             !op->hasTrait<OpTrait::IsTerminator>() &&
             (op->getNumRegions() != 0 || !isPure(op)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

/// Whether a buffer has a place of its own for each of its elements, which it
/// has as an allocation or a part of one.
static bool hasOwnElements(Value memref) {
  while (isa_and_nonnull<memref::SubViewOp, memref::CollapseShapeOp,
                         memref::ExpandShapeOp, memref::CastOp>(
      memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return isa_and_nonnull<memref::AllocOp>(memref.getDefiningOp());
}

/// Returns the dimension in which an access is at an index; -1 if it is in
/// none.
static int64_t findDim(const Access &access, Value index) {
  for (auto [dim, other] : llvm::enumerate(access.indices))
    if (other == index)
      return int64_t(dim);
  return -1;
}

/// Whether no iteration of a loop accesses what another one writes: all that
/// may be in a buffer that is written is accessed where the index of the loop
/// says.
bool LoopNest::isIndependent(unsigned loop, BufferOrigins &origins) const {
  scf::ForOp outer = loops.front();
  Value index = scf::ForOp(loops[loop]).getInductionVar();
  return llvm::all_of(writes, [&](const Access &write) {
    int64_t dim = findDim(write, index);
    if (dim < 0 || !outer.isDefinedOutsideOfLoop(write.memref) ||
        !hasOwnElements(write.memref))
      return false;
    auto isApart = [&](const Access &other) {
      if (other.memref == write.memref)
        return findDim(other, index) == dim;
      return origins.relate(other.memref, write.memref) ==
             BufferOrigins::Relation::Distinct;
    };
    return llvm::all_of(reads, isApart) && llvm::all_of(writes, isApart);
  });
}

unsigned LoopNest::countIndependent(BufferOrigins &origins) const {
  unsigned count = 0;
  while (isKnown && count < loops.size() && isIndependent(count, origins))
    ++count;
  return count;
}

void LoopNest::parallelize(unsigned count) {
  scf::ForOp outer = loops.front(), inner = loops[count - 1];
  OpBuilder builder(outer);
  SmallVector<Value> lower, upper, steps;
  for (scf::ForOp loop : ArrayRef(loops).take_front(count)) {
    lower.push_back(loop.getLowerBound());
    upper.push_back(loop.getUpperBound());
    steps.push_back(loop.getStep());
  }
  auto parallel =
      scf::ParallelOp::create(builder, outer.getLoc(), lower, upper, steps);
  for (auto [loop, index] : llvm::zip(loops, parallel.getInductionVars()))
    loop.getInductionVar().replaceAllUsesWith(index);
  Block *body = inner.getBody(), *to = parallel.getBody();
  to->getOperations().splice(to->begin(), body->getOperations(), body->begin(),
                             body->getTerminator()->getIterator());
  outer.erase();
}

std::optional<unsigned>
LoopNest::findIndependent(BufferOrigins &origins) const {
  for (unsigned loop = loops.size(); isKnown && loop-- > 1;)
    if (getBlock(loops[loop]) != 0 && isIndependent(loop, origins))
      return loop;
  return std::nullopt;
}

void LoopNest::parallelizeBlocks(unsigned number) {
  scf::ForOp outer = loops.front(), loop = loops[number];
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
    unsigned count = nest.countIndependent(origins);
    std::optional<unsigned> later;
    if (count == 0)
      later = nest.findIndependent(origins);
    if (later) {
      LDBG() << describeLastPart(loop) << ": blocks of loop " << *later
             << " are independent";
      nest.parallelizeBlocks(*later);
    }
    if (count == 0)
      continue;
    LDBG() << describeLastPart(loop) << ": " << count
           << " loops have independent iterations";
    gone.insert_range(nest.getLoops().take_front(count));
    nest.parallelize(count);
  }
}

namespace {
struct ParallelizeLoopsPass
    : tally::impl::ParallelizeLoopsBase<ParallelizeLoopsPass> {
  void runOnOperation() override { tally::parallelizeLoops(getOperation()); }
};
} // namespace
