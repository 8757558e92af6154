//===- AttentionChain.h - Attention as several operations ------*- C++ -*-===//
//
// A product of queries and keys, what is done to each score, a softmax, and a
// product of its weights and values.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_ATTENTIONCHAIN_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_ATTENTIONCHAIN_H

#include "Common/Fusion.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace tally::codegen {

/// Reshapes between the operations of a chain: some of them see a dimension of
/// the batch as several.
struct BatchSplit {
  /// For each dimension, those that it is split into.
  llvm::SmallVector<mlir::ReassociationIndices> groups;
  /// Of all dimensions after the split.
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// One operation on each score.
struct ScoreStep {
  mlir::linalg::LinalgOp op;
  /// The input that has the scores of the step before.
  unsigned input;
  /// Whether the operation sees the dimensions after the split.
  bool isSplit;
};

/// The operations, and how they belong together. The dimensions of scores are
/// numbered as they are after the split.
struct AttentionChain {
  /// The product of queries and keys.
  mlir::linalg::LinalgOp scores;
  unsigned queryInput = 0, keyInput = 1;
  bool scoresAreSplit = false;
  /// From the products to the scores of the softmax.
  llvm::SmallVector<ScoreStep> steps;
  /// What divides by the sums of the softmax, or all of it.
  mlir::Operation *softmax = nullptr;
  /// The product of weights and values, and what rounds it, or null.
  mlir::linalg::LinalgOp result;
  mlir::linalg::GenericOp rounding;
  unsigned weightInput = 0;
  bool resultIsSplit = false;
  unsigned queryDim = 0, keyDim = 0, rank = 0;
  /// The dimension of heads of queries that all have the same keys and values.
  std::optional<unsigned> sharedDim;
  std::optional<BatchSplit> split;
  /// All operations but `result` and `rounding`, which have no other use.
  llvm::SetVector<mlir::Operation *> parts;

  /// The operation that makes the result.
  mlir::Operation *getLast() const {
    // Handles of operations are not const.
    mlir::linalg::GenericOp last = rounding;
    mlir::linalg::LinalgOp sum = result;
    return last ? last.getOperation() : sum.getOperation();
  }
  /// The dimensions after the split that one before it, or after it, is.
  mlir::ReassociationIndices getDims(unsigned dim, bool isSplit) const {
    if (isSplit || !split)
      return {int64_t(dim)};
    return split->groups[dim];
  }
};

/// The chain whose product of weights and values `op` is.
std::optional<AttentionChain> matchAttentionChain(mlir::linalg::LinalgOp op);

/// The reason why a chain cannot be one operation; nothing if it can.
std::optional<FusionObstacle>
findAttentionObstacle(const AttentionChain &chain);

/// The sizes of a tensor, if that needs no new operation.
std::optional<llvm::SmallVector<mlir::OpFoldResult>>
findSizes(mlir::Value tensor);

/// The size that an operation asks for, if that needs no new one but a
/// constant.
std::optional<mlir::OpFoldResult> findSize(mlir::Operation *op);

/// Whether all that an operation does is to put elements at other places.
bool isCopy(mlir::linalg::LinalgOp op);

/// The map from an index of the result to one of the source, if all that an
/// operation does is to permute dimensions.
std::optional<mlir::AffineMap> matchTranspose(mlir::linalg::LinalgOp op);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_ATTENTIONCHAIN_H
