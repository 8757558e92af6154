//===- Images.h - What ways to resize share ---------------------*- C++ -*-===//
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_IMAGES_H
#define TALLY_LIB_IMPORT_ATEN_IMAGES_H

#include "Families.h"

namespace tally::import_pt2 {

/// How the last dimensions of a tensor are resized.
struct Resizing {
  Sizes sizes;
  /// The step in the input for each step in the output, where it was given.
  llvm::SmallVector<std::optional<double>> steps;
};

std::optional<Resizing> getResizing(Lowering &op, const Tensor &in,
                                    int64_t spatial);

void checkResizable(Lowering &op, const Tensor &in, int64_t dim, Expr size);
/// Checks the dimensions between the batch and those that are resized.
void checkChannels(Lowering &op, const Tensor &in, int64_t spatial);

/// An index as a float.
mlir::Value toFloat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value index,
                    Dtype dtype = Dtype::F32);

/// The step in the input for each step in the output between elements.
mlir::Value getStepBetween(Lowering &op, Expr from, Expr to,
                           std::optional<double> given, bool alignsCorners,
                           Dtype dtype = Dtype::F32);

/// Whether a dimension keeps its size, whatever step is given: where it does
/// PyTorch takes the elements as they are.
mlir::Value isSameSize(Lowering &op, Expr from, Expr to);

/// The cubic weight of an element at a distance of up to one, and of up to two.
std::pair<mlir::Value, mlir::Value> getCubicWeight(const Scalars &f,
                                                   mlir::Value x, double a);

/// Adds what resizes by means of all elements that are covered.
void addAntialias(LoweringTable &table);

/// Resizes one dimension.
using ResizeFn = Tensor(Lowering &op, const Tensor &in, int64_t dim, Expr size,
                        std::optional<double> given, bool alignsCorners);

template <int64_t spatial, ResizeFn resize>
void lowerResize(Lowering &op) {
  Tensor result = op.tensor(op.has("input") ? "input" : "self");
  std::optional<Resizing> resizing = getResizing(op, result, spatial);
  if (!resizing)
    return;
  checkChannels(op, result, spatial);
  bool alignsCorners = op.flag("align_corners", false);
  for (int64_t i = spatial - 1; i >= 0; --i) {
    int64_t dim = result.rank() - spatial + i;
    checkResizable(op, result, dim, resizing->sizes[i]);
    result = resize(op, result, dim, resizing->sizes[i], resizing->steps[i],
                    alignsCorners);
  }
  op.result(result);
}

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_IMAGES_H
