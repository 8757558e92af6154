//===- LoopNest.cpp - Which iterations are independent --------------------===//

#include "Common/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally::codegen;

int64_t ElementAccess::findDim(Value index) const {
  for (auto [dim, other] : llvm::enumerate(indices))
    if (other == index)
      return int64_t(dim);
  return -1;
}

LoopNest::LoopNest(scf::ForOp outermost, Asserts asserts) {
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
  known = !loops.empty() && collectAccesses(asserts);
}

/// Finds what is read and written; false if anything else has an effect.
bool LoopNest::collectAccesses(Asserts asserts) {
  WalkResult result = loops.back().getBody()->walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op))
      reads.push_back({load.getMemRef(), load.getIndices()});
    else if (auto store = dyn_cast<memref::StoreOp>(op))
      writes.push_back({store.getMemRef(), store.getIndices()});
    else if (!isa<scf::ForOp, scf::IfOp>(op) &&
             !op->hasTrait<OpTrait::IsTerminator>() &&
             !(isa<tally::AssertOp>(op) && asserts == Asserts::Allowed) &&
             (op->getNumRegions() != 0 || !isPure(op)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool LoopNest::hasOwnElements(Value memref) {
  while (isa_and_nonnull<memref::SubViewOp, memref::CollapseShapeOp,
                         memref::ExpandShapeOp, memref::CastOp>(
      memref.getDefiningOp()))
    memref = memref.getDefiningOp()->getOperand(0);
  return isa_and_nonnull<memref::AllocOp>(memref.getDefiningOp());
}

bool LoopNest::isIndependent(unsigned loop, BufferOrigins &origins) const {
  scf::ForOp outer = loops.front();
  Value index = scf::ForOp(loops[loop]).getInductionVar();
  return llvm::all_of(writes, [&](const ElementAccess &write) {
    int64_t dim = write.findDim(index);
    if (dim < 0 || !outer.isDefinedOutsideOfLoop(write.memref) ||
        !hasOwnElements(write.memref))
      return false;
    auto isApart = [&](const ElementAccess &other) {
      if (other.memref == write.memref)
        return other.findDim(index) == dim;
      return origins.relate(other.memref, write.memref) ==
             BufferOrigins::Relation::Distinct;
    };
    return llvm::all_of(reads, isApart) && llvm::all_of(writes, isApart);
  });
}
