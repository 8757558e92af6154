//===- MatrixBatch.cpp - What a library takes as matrices -----------------===//

#include "MatrixBatch.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

bool tally::codegen::isMatrixBatch(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  int64_t rank = type.getRank();
  if (rank <= 3)
    return true;
  SmallVector<ReassociationIndices> groups{
      llvm::to_vector<2>(llvm::seq<int64_t>(0, rank - 2)),
      {rank - 2},
      {rank - 1}};
  return memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups);
}

bool tally::codegen::isWithoutGaps(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  // Where it starts does not matter.
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  // Nor do strides of dimensions of one element.
  int64_t last = type.getRank() - 1;
  while (last > 0 && type.getDimSize(last) == 1)
    --last;
  return strides[last] == 1 &&
         memref::CollapseShapeOp::isGuaranteedCollapsible(
             type, {llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()))});
}
