//===- FoldSlices.cpp - Slices that are accessed where they lie -----------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleCPU/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"

namespace tally {
#define GEN_PASS_DEF_FOLDSLICES
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Returns the slice that an operation loads or stores an element of, where it
/// begins at constants; null otherwise.
static memref::SubViewOp findSlice(Operation &op) {
  Value memref;
  if (auto load = dyn_cast<memref::LoadOp>(op))
    memref = load.getMemRef();
  else if (auto store = dyn_cast<memref::StoreOp>(op))
    memref = store.getMemRef();
  auto slice =
      memref ? memref.getDefiningOp<memref::SubViewOp>() : memref::SubViewOp();
  bool isConstant = slice &&
                    !ShapedType::isDynamicShape(slice.getStaticOffsets()) &&
                    !ShapedType::isDynamicShape(slice.getStaticStrides());
  return isConstant ? slice : memref::SubViewOp();
}

/// Whether two slices are of one buffer, and differ by where they begin.
static bool areAdjacent(memref::SubViewOp a, memref::SubViewOp b) {
  return a != b && a.getSource() == b.getSource() &&
         a.getStaticStrides() == b.getStaticStrides() &&
         a.getMixedSizes() == b.getMixedSizes();
}

/// The indices of an element of a slice in its source.
static SmallVector<Value> getIndices(OpBuilder &builder, Location loc,
                                     memref::SubViewOp slice,
                                     ValueRange indices) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  SmallVector<Value> result;
  for (auto [dim, offset, stride] :
       llvm::enumerate(slice.getStaticOffsets(), slice.getStaticStrides())) {
    if (dropped.test(dim)) {
      result.push_back(constant(offset));
      continue;
    }
    Value index = indices.front();
    indices = indices.drop_front();
    if (stride != 1)
      index = builder.createOrFold<arith::MulIOp>(loc, index, constant(stride));
    if (offset != 0)
      index = builder.createOrFold<arith::AddIOp>(loc, index, constant(offset));
    result.push_back(index);
  }
  return result;
}

template <typename AccessOp>
static void foldAccess(AccessOp access, memref::SubViewOp slice) {
  OpBuilder builder(access);
  SmallVector<Value> indices =
      getIndices(builder, access.getLoc(), slice, access.getIndices());
  access.getMemrefMutable().set(slice.getSource());
  access.getIndicesMutable().assign(indices);
}

void tally::foldSlices(func::FuncOp function) {
  function.walk([](Block *block) {
    if (!isa<LoopLikeOpInterface>(block->getParentOp()))
      return;
    SmallVector<std::pair<Operation *, memref::SubViewOp>> accesses;
    for (Operation &op : *block)
      if (memref::SubViewOp slice = findSlice(op))
        accesses.emplace_back(&op, slice);
    auto hasAdjacent = [&](memref::SubViewOp slice) {
      return llvm::any_of(
          llvm::make_second_range(accesses),
          [&](memref::SubViewOp other) { return areAdjacent(slice, other); });
    };
    for (auto [op, slice] : accesses) {
      if (!hasAdjacent(slice))
        continue;
      if (auto load = dyn_cast<memref::LoadOp>(op))
        foldAccess(load, slice);
      else
        foldAccess(cast<memref::StoreOp>(op), slice);
    }
  });
}

namespace {
struct FoldSlicesPass : tally::impl::FoldSlicesBase<FoldSlicesPass> {
  void runOnOperation() override { tally::foldSlices(getOperation()); }
};
} // namespace
