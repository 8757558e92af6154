//===- PaddedImage.h - What a convolution pads itself -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_PADDEDIMAGE_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_PADDEDIMAGE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "tally/Analysis/SymbolicShapes.h"

#include <memory>
#include <optional>

namespace tally::codegen {

/// A tensor inside of one that has zeros around it, as many at both ends of a
/// dimension.
struct PaddedImage {
  mlir::Value inner;
  /// Of each dimension.
  llvm::SmallVector<int64_t> padding;
};

/// Finds images that were padded with zeros, in a function.
class PaddedImages {
public:
  explicit PaddedImages(mlir::func::FuncOp function) : function(function) {}

  /// What is inside of `image`; nothing where there are no zeros around it.
  std::optional<PaddedImage> find(mlir::OpBuilder &builder, mlir::Value image);
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
