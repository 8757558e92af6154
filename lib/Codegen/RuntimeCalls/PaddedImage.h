//===- PaddedImage.h - What a convolution pads itself -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_PADDEDIMAGE_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_PADDEDIMAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tally/Analysis/SymbolicShapes.h"

#include <memory>
#include <optional>

namespace tally::codegen {

/// A tensor inside of one that has zeros around it, and between its elements.
struct PaddedImage {
  mlir::Value inner;
  /// Of each dimension: where the first element is, which may be one that was
  /// cut off, and how far the next one is from it.
  llvm::SmallVector<int64_t> padding, strides;
  /// Whether a dimension is as it was.
  llvm::SmallVector<bool> isWhole;
};

/// Finds images that were padded with zeros, in a function.
class PaddedImages {
public:
  explicit PaddedImages(mlir::func::FuncOp function) : function(function) {}

  /// What is inside of `image`, with as many zeros at both ends of a dimension
  /// and none between elements; nothing where there are no zeros around it.
  std::optional<PaddedImage> find(mlir::OpBuilder &builder, mlir::Value image);
  /// What is inside of `image`, wherever zeros are.
  std::optional<PaddedImage> findSpread(mlir::OpBuilder &builder,
                                        mlir::Value image);
  /// By how much a dimension of a tensor is larger than so many times that of
  /// another one, where that is known.
  std::optional<int64_t> getDifference(mlir::Value of, int64_t times,
                                       mlir::Value other, int64_t dim);
  /// To be called before an operation is erased.
  void forget(mlir::Operation *op) {
    if (shapes)
      shapes->forget(op);
  }

private:
  std::optional<PaddedImage> findInserted(mlir::Value image);
  SymbolicShapes &getShapes();

  mlir::func::FuncOp function;
  /// Made when it is first needed.
  std::unique_ptr<SymbolicShapes> shapes;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_PADDEDIMAGE_H
