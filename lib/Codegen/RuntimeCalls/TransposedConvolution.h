//===- TransposedConvolution.h - Windows over a result ----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_RUNTIMECALLS_TRANSPOSEDCONVOLUTION_H
#define TALLY_LIB_CODEGEN_RUNTIMECALLS_TRANSPOSEDCONVOLUTION_H

#include "PaddedImage.h"

#include "mlir/IR/AffineMap.h"
#include "tally/IR/ContractLoops.h"

namespace tally::codegen {

/// A convolution of an image with zeros between its elements, as a transposed
/// one is written, or the gradient of what a convolution reads.
struct SpreadConvolution {
  /// The image before, and where its elements are.
  PaddedImage image;
  /// The first of the spatial dimensions.
  int64_t firstSpatial;
  llvm::SmallVector<int64_t> dilations;
  /// The sizes of the window.
  llvm::SmallVector<int64_t> window;
};

/// Returns nothing unless windows move by one element, and have a size that is
/// known.
std::optional<SpreadConvolution>
findSpreadConvolution(mlir::OpBuilder &builder, PaddedImages &images,
                      mlir::Value weight, mlir::Value image,
                      const Convolution &convolution);

/// The operands of `tally.contract` that give the gradient of an image.
struct TransposedConvolution {
  mlir::Value weight, image;
  llvm::SmallVector<mlir::AffineMap> maps;
};

/// What such a convolution is where its weight is one that was mirrored, with
/// channels that were exchanged.
std::optional<TransposedConvolution>
findTransposedConvolution(mlir::OpBuilder &builder, PaddedImages &images,
                          mlir::Value weight, mlir::Value image,
                          const Convolution &convolution);

/// Has a weight that was mirrored, of which a part may be read, read from where
/// it was before that: backwards, in the order of its own dimensions. Changes
/// neither `weight` nor `map`, that of the weight in `tally.contract`, where
/// the weight was not mirrored.
void readMirroredWeight(mlir::OpBuilder &builder, mlir::Value &weight,
                        mlir::AffineMap &map);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_RUNTIMECALLS_TRANSPOSEDCONVOLUTION_H
