//===- Windows.h - Windows that move over a tensor --------------*- C++ -*-===//
//
// The part that convolutions, pools and im2col have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_WINDOWS_H
#define TALLY_LIB_IMPORT_ATEN_WINDOWS_H

#include "Families.h"

namespace tally::import_pt2 {

/// How a window moves over the last dimensions of a tensor.
struct Windows {
  llvm::SmallVector<int64_t> stride, padding, dilation;
  /// The padding makes the result as large as the input.
  bool keepsSize = false;
};

/// A parameter for each spatial dimension; one for all may be given.
llvm::SmallVector<int64_t> getSpatial(Lowering &op, llvm::StringRef name,
                                      int64_t count, int64_t absent);
/// Reads the stride, the padding and the dilation.
Windows getWindows(Lowering &op, int64_t spatial);

/// The number of windows along a dimension of a padded tensor.
Expr countWindows(Lowering &op, Expr size, Expr window, int64_t stride,
                  int64_t dilation);
/// Pads the last dimensions at both ends, and at the end by some more.
Tensor padSpatial(Lowering &op, const Tensor &in,
                  llvm::ArrayRef<int64_t> padding, mlir::Value value,
                  llvm::ArrayRef<int64_t> more = {});
/// PyTorch has no windows over dimensions that are empty, but for the batch; a
/// convolution has where there is no batch or no channel.
void checkNotEmpty(Lowering &op, llvm::ArrayRef<Expr> sizes,
                   llvm::ArrayRef<Expr> exceptions = {});

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_WINDOWS_H
