//===- Families.h - Computations that several lowerings share ---*- C++ -*-===//
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_FAMILIES_H
#define TALLY_LIB_IMPORT_ATEN_FAMILIES_H

#include "../Lowering.h"

namespace tally::import_pt2 {

/// How often an operator that repeats itself is written out.
inline constexpr int64_t kMaxRepetitions = 64;

/// log(softmax) along a dimension, in the type of the operand.
Tensor buildLogSoftmax(Lowering &op, const Tensor &in, int64_t dim);

/// (sum |x|^p)^(1/p) over some dimensions, which vanish; |x| where there is one
/// element only, unless that is computed like that of others.
Tensor buildNorm(Lowering &op, Tensor in, llvm::ArrayRef<int64_t> dims,
                 double p, bool isExactOfOne = true);

/// The norm of x - y + eps over the last dimension.
Tensor buildDistance(Lowering &op, const Tensor &x, const Tensor &y, double p,
                     double eps);

/// Computes an element of two.
using BinaryFn = mlir::Value (*)(Scalars &s, mlir::Value x, mlir::Value y);
/// Computes `fn` in the type that both operands are promoted to, or in floats.
/// Products and quotients use numbers as they are, not rounded to a half.
void lowerBinary(Lowering &op, Operand x, Operand y, BinaryFn fn,
                 bool toFloat = false, bool exceptScalars = false);

/// Whether a number is a literal 0. What such a factor `beta` is for is not
/// looked at: it may be NaN.
bool isLiteralZero(Expr number);

/// The matmul, vectors, or batches of matrices, as torch.matmul.
Tensor buildMatmul(Lowering &op, const Tensor &a, const Tensor &b, Dtype out);

/// Checks that the dimensions that a matmul sums over have the same size.
void checkInner(Lowering &op, Expr a, Expr b);

/// in[..., k] x weight[n, k] + bias[n].
Tensor buildLinear(Lowering &op, const Tensor &in, const Tensor &weight,
                   const std::optional<Tensor> &bias, Dtype out);

/// sqrt(x^2 + y^2).
mlir::Value buildHypot(Scalars &s, mlir::Value x, mlir::Value y);

/// 1 / (1 + exp(-x)).
mlir::Value buildSigmoid(Scalars &s, mlir::Value x);

/// The weights of four elements for a place `t` behind the second of them.
std::array<mlir::Value, 4> getCubicWeights(const Scalars &f, mlir::Value t);

/// An integer as an index, at least zero and at most `last`: no access has to
/// check it.
mlir::Value buildClampedIndex(mlir::OpBuilder &b, mlir::Location loc,
                              mlir::Value number, mlir::Value last);

/// The indices where a tensor is not zero, a row each, and the symbol that
/// counts them; `recorded` is the archive's name for it, or null.
Tensor buildNonzero(Lowering &op, const Tensor &in, const SymInt *recorded);

/// The recorded size of a result, or null.
const SymInt *getRecordedSize(Lowering &op, unsigned dim, unsigned index = 0);
/// A new symbol for the first size of a result, under its recorded name if it
/// has one, and the attribute that binds it.
std::pair<Expr, BindingsAttr> declareNewSize(Lowering &op,
                                             const SymInt *recorded);

/// The element of a one-element tensor as a number that sizes may depend on.
Expr buildItem(Lowering &op, const Tensor &in, const SymInt *recorded);

/// The start of a slice, wrapped and clamped to [0, size] as Python does.
Expr clampIndex(Lowering &op, Expr index, Expr size);
/// What a tensor has been broadcast from.
struct Unexpanded {
  Tensor tensor;
  /// Of each of its dimensions, the one of the broadcast tensor; nothing where
  /// all elements of that one are its only one.
  llvm::SmallVector<std::optional<int64_t>> dims;
};
/// Finds the tensor that is broadcast to another one; that one, if none is.
Unexpanded findUnexpanded(Lowering &op, const Tensor &tensor);
/// Checks once that all indices are in [0, size), or in [-size, size) where
/// negative ones count from the end, whether anything is read or written at
/// them or not, but where `unless` holds; accesses check nothing once more.
void checkInRange(Lowering &op, const Tensor &index, Expr size,
                  bool allowNegative = false, Expr unless = Expr());
/// Preconditions that the element at an index that was wrapped is there.
void checkIndex(Lowering &op, Expr start, Expr size);
/// An index of one element, wrapped.
Expr wrapIndex(Lowering &op, Expr index, Expr size);

/// Adds each element of `source` to the one of `self` at its place, with one
/// coordinate replaced by its index. All indices are in bounds.
Tensor buildScatterAdd(Lowering &op, const Tensor &self, int64_t dim,
                       const Tensor &index, const Tensor &source);
/// The same with the element of `source` in the place of that of `self`; of
/// several for one place, the last.
Tensor buildScatterOver(Lowering &op, const Tensor &self, int64_t dim,
                        const Tensor &index, const Tensor &source);

/// The elements of `in` where the index tensors say, as `in[indices]`.
Tensor buildIndex(Lowering &op, const Tensor &in,
                  llvm::ArrayRef<std::optional<Tensor>> indices);

/// 0, 1, 2, ... as a tensor of one dimension.
Tensor buildIndices(Lowering &op, Expr count);
/// A tensor of one dimension as the dimension `dim` of `rank`, the others 1.
Tensor alongDim(Lowering &op, const Tensor &in, int64_t rank, int64_t dim);

/// How a view is made from its base, and how its base is put together again.
struct ViewFns {
  ViewFn view;
  WriteBackFn writeBack;
};
/// Writes a reshaped tensor back: the same elements in the base's shape.
Tensor reshapeBack(Lowering &op, const Tensor &base, const Tensor &view);
/// Returns true if an argument is recorded as contiguous: then a reshape is a
/// view.
bool isContiguousArgument(Lowering &op, llvm::StringRef name);
/// The dimensions in another order.
ViewFns getPermuting(llvm::SmallVector<int64_t> permutation);
/// The diagonal of two dimensions, which becomes the last one.
ViewFns getDiagonal(int64_t row, int64_t column);

/// Writes an expanded tensor back: PyTorch refuses most updates of one where
/// several elements are one of the base.
Tensor unexpand(Lowering &op, const Tensor &base, const Tensor &view);
/// Notes that a result may repeat its base.
void noteRepeats(Lowering &op, unsigned index = 0);

/// The elements of some dimensions in reverse order.
Tensor buildFlip(Lowering &op, const Tensor &in, llvm::ArrayRef<int64_t> dims);

/// Preconditions that a tensor has these sizes; false, with an error, if it has
/// another number of dimensions.
bool checkSizes(Lowering &op, const Tensor &in, llvm::ArrayRef<Expr> sizes);

/// Checks that all elements satisfy `fn`; the message says `what` is wrong.
void checkAll(Lowering &op, const Tensor &in, llvm::StringRef what,
              llvm::function_ref<mlir::Value(Scalars &, mlir::Value)> fn);

/// The sums along a dimension of the elements up to each one.
Tensor buildRunningSum(Lowering &op, const Tensor &in, int64_t dim, Dtype out);

/// The elements of an order from `first` on; they exist.
struct OrderPart {
  Expr first, count;
};

/// Values and indices in order along a dimension, or a part of the order; equal
/// ones keep their order.
std::pair<Tensor, Tensor> buildSort(Lowering &op, const Tensor &in, int64_t dim,
                                    bool descending,
                                    const OrderPart *part = nullptr);

/// `in` extended at both ends of some dimensions by a value.
Tensor buildPad(Lowering &op, const Tensor &in, llvm::ArrayRef<Expr> low,
                llvm::ArrayRef<Expr> high, mlir::Value value);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_FAMILIES_H
