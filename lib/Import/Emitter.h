//===- Emitter.h - Building blocks of lowerings -----------------*- C++ -*-===//
//
// Builds tensor programs for one node of an exported graph: sizes, elementwise
// computations with broadcasting, reductions, views. Lowerings are written in
// terms of these.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_EMITTER_H
#define TALLY_LIB_IMPORT_EMITTER_H

#include "FunctionState.h"
#include "Scalars.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tally::import_pt2 {

/// An operand of an elementwise computation: a tensor, or one scalar for all
/// elements, as an expression or as a value.
struct Operand {
  Operand(Tensor tensor)
      : tensor(std::move(tensor)), dtype(this->tensor->dtype) {}
  Operand(Expr expr) : expr(expr), dtype(getScalarDtype(expr)) {}
  Operand(mlir::Value scalar, Dtype dtype) : scalar(scalar), dtype(dtype) {}

  /// The type that a Python number counts as.
  static Dtype getScalarDtype(Expr expr) {
    return expr.isFloat()  ? Dtype::F64
           : expr.isBool() ? Dtype::Bool
                           : Dtype::I64;
  }

  std::optional<Tensor> tensor;
  Expr expr;
  mlir::Value scalar;
  Dtype dtype;
  /// Not converted to the type of the computation: masks.
  bool isRaw = false;
  /// A type that it is rounded to before the computation, if there is one.
  Dtype rounded = Dtype::Undefined;
};

/// The type that PyTorch gives a result of these operands.
Dtype getResultType(llvm::ArrayRef<Operand> operands);

/// Rounds operands to the type of a computation, which matters for halves: they
/// are computed in f32. Some operators leave what is one number for all
/// elements as it is (`exceptScalars`), but for the first operand.
void roundTo(Dtype type, llvm::MutableArrayRef<Operand> operands,
             bool exceptScalars = false);
/// Rounds operands to the type of their result, and gives the type that this is
/// computed in.
Dtype promote(llvm::MutableArrayRef<Operand> operands,
              bool exceptScalars = false);

/// Computes one element from operands of the compute type.
using ElementFn = llvm::function_ref<mlir::Value(
    Scalars &scalars, llvm::ArrayRef<mlir::Value> operands)>;
/// Combines an element with what has been accumulated.
using CombineFn = llvm::function_ref<mlir::Value(
    Scalars &scalars, mlir::Value element, mlir::Value accumulated)>;

using Sizes = llvm::SmallVector<Expr, 4>;

/// Returns true if there is no element at any size. What would be read for one
/// is out of bounds, which is told of loops that never run as well; operations
/// on slices take no offset into such a dimension.
bool isNothing(llvm::ArrayRef<Expr> sizes);

class Emitter {
public:
  Emitter(FunctionState &state, mlir::Location loc, llvm::StringRef target)
      : state(state), b(state.builder), exprs(state.exprs), loc(loc),
        target(target) {}

  FunctionState &state;
  mlir::OpBuilder &b;
  symbolic::ExprContext &exprs;
  mlir::Location loc;
  /// The operator, for messages: `aten.index.Tensor`.
  llvm::StringRef target;

  /// Reports an error at the node, once; what is built from then on is a
  /// stand-in.
  mlir::LogicalResult error(const llvm::Twine &message);
  /// The same where what is wrong has been reported already.
  mlir::LogicalResult giveUp() {
    failed = true;
    return mlir::failure();
  }
  bool hasFailed() const { return failed; }

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  Expr literal(int64_t value) { return exprs.constant(value); }
  Expr product(llvm::ArrayRef<Expr> factors) { return exprs.product(factors); }
  Expr numel(const Tensor &tensor) { return product(tensor.sizes); }

  /// An index constant.
  mlir::Value index(int64_t value);
  /// The value of an integer expression as an index.
  mlir::Value size(Expr expr);
  mlir::OpFoldResult sizeOrLiteral(Expr expr);
  llvm::SmallVector<mlir::OpFoldResult> sizesOrLiterals(llvm::ArrayRef<Expr>);
  /// The value of an expression as a scalar of a type, converted as elements
  /// are: integers wrap.
  mlir::Value scalar(Expr expr, Dtype dtype);
  /// A number, or the element of a tensor without dimensions, as a parameter of
  /// an operator: what the type does not hold fails a check, as PyTorch raises
  /// an error, but where `unless` holds.
  mlir::Value parameter(const Operand &number, Dtype dtype,
                        Expr unless = Expr());

  mlir::RankedTensorType tensorType(llvm::ArrayRef<Expr> sizes, Dtype dtype);
  /// States that a condition must hold. Says nothing where it is known to.
  void check(Expr condition, const llvm::Twine &message);
  /// The same of comparisons that must all hold, told with these sides.
  void check(llvm::ArrayRef<Comparison> comparisons,
             const llvm::Twine &message);
  /// States that a boolean of the data must be true.
  void checkData(mlir::Value ok, const llvm::Twine &message);
  /// Preconditions that two sizes are equal.
  void checkEqual(Expr a, Expr b, const llvm::Twine &message) {
    check(Comparison::eq(a, b), message);
  }

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  Tensor make(mlir::Value value, Dtype dtype, llvm::ArrayRef<Expr> sizes);
  mlir::Value empty(llvm::ArrayRef<Expr> sizes, Dtype dtype);
  Tensor fill(llvm::ArrayRef<Expr> sizes, Dtype dtype, mlir::Value value);
  Tensor fill(llvm::ArrayRef<Expr> sizes, Dtype dtype, double value);
  /// A tensor without dimensions.
  Tensor fromScalar(mlir::Value value, Dtype dtype);
  /// The element of a tensor with one element.
  mlir::Value element(const Tensor &tensor);
  /// Gives the value this tensor type, whose dimensions are the same sizes.
  mlir::Value cast(mlir::Value value, mlir::RankedTensorType type);
  /// Changes the element type.
  Tensor convert(const Tensor &tensor, Dtype dtype);
  /// A new tensor with these sizes, as a function of the index.
  Tensor
  generate(llvm::ArrayRef<Expr> sizes, Dtype dtype,
           llvm::function_ref<mlir::Value(Scalars &, mlir::ValueRange)> body);

  //===--------------------------------------------------------------------===//
  // Elementwise, reductions
  //===--------------------------------------------------------------------===//

  /// The sizes of a broadcast of all tensors among the operands.
  Sizes broadcastSizes(llvm::ArrayRef<Operand> operands);
  /// The same of two tensors whose sizes torch.export has not compared, as the
  /// result has none of them: which dimensions are 1 is found out at run time.
  Sizes broadcastAtRunTime(Tensor &a, Tensor &b);
  /// Prepares a dimension to be read along one of a size. True if it is 1 and
  /// repeated, otherwise it is to have the size.
  bool broadcastDim(Tensor &tensor, int64_t dim, Expr size);
  /// The value of a tensor, and the map from loops over `sizes`, which the
  /// tensor is broadcast to, to its dimensions.
  mlir::Value broadcastOperand(Tensor tensor, llvm::ArrayRef<Expr> sizes,
                               mlir::AffineMap &map);
  /// Computes every element of a tensor of `sizes`, or of the broadcast of the
  /// operands. `body` works in `compute` and gives a value of type `result`,
  /// which is then stored as `stored`.
  Tensor map(llvm::ArrayRef<Operand> operands, Dtype compute, Dtype result,
             ElementFn body, std::optional<Sizes> sizes = std::nullopt,
             Dtype stored = Dtype::Undefined);
  /// Reduces dimensions (all of them if there are none), which vanish. Elements
  /// are converted to `dtype`, in which `init` and the result are.
  Tensor reduce(const Tensor &in, llvm::ArrayRef<int64_t> dims, Dtype dtype,
                mlir::Value init, CombineFn combine);
  /// Returns true for every tensor: whether all elements satisfy `body`.
  mlir::Value all(const Tensor &in, ElementFn body);
  Tensor sum(const Tensor &in, llvm::ArrayRef<int64_t> dims, Dtype dtype);
  Tensor max(const Tensor &in, llvm::ArrayRef<int64_t> dims);
  /// Puts reduced dimensions back with size 1.
  Tensor keepDims(const Tensor &reduced, llvm::ArrayRef<int64_t> dims);
  /// The sum over the last dimension of `a` times that of `b`, which may be any
  /// dimension: `out[i..., n] = sum_k a[i..., k] * b[...]` with maps given.
  Tensor contract(const Tensor &a, mlir::AffineMap aMap, const Tensor &b,
                  mlir::AffineMap bMap, llvm::ArrayRef<Expr> sizes,
                  unsigned numLoops, Dtype dtype);

  //===--------------------------------------------------------------------===//
  // Views
  //===--------------------------------------------------------------------===//

  /// Says that a shape, as the program gives it, is not one for the elements
  /// of a tensor.
  std::string describeShape(llvm::ArrayRef<Expr> sizes, const Tensor &in);
  /// The same elements, in the same order, in another shape.
  Tensor reshape(const Tensor &in, llvm::ArrayRef<Expr> sizes);
  Tensor flatten(const Tensor &in);
  Tensor permute(const Tensor &in, llvm::ArrayRef<int64_t> permutation);
  Tensor unsqueeze(const Tensor &in, int64_t dim);
  /// The tensor, or one of a single dimension for one that has none, as PyTorch
  /// treats it where an operator takes a dimension.
  Tensor withDim(const Tensor &in);
  /// Removes dimensions of size 1.
  Tensor squeeze(const Tensor &in, llvm::ArrayRef<int64_t> dims);
  /// Repeats dimensions of size 1, and new ones in front.
  Tensor expand(const Tensor &in, llvm::ArrayRef<Expr> sizes);
  /// `size` elements of a dimension, `step` apart.
  Tensor slice(const Tensor &in, int64_t dim, Expr start, Expr size,
               int64_t step = 1);
  /// Writes `part` where `slice` would read.
  Tensor insertSlice(const Tensor &into, const Tensor &part, int64_t dim,
                     Expr start, int64_t step = 1);
  /// Writes `part` from an offset in each dimension, with a stride in each.
  Tensor insertSlice(const Tensor &into, const Tensor &part,
                     llvm::ArrayRef<mlir::OpFoldResult> offsets,
                     llvm::ArrayRef<mlir::OpFoldResult> strides);
  Tensor concat(llvm::ArrayRef<Tensor> tensors, int64_t dim);
  /// Makes a dimension's size static, with a check if need be.
  Tensor withStaticSize(const Tensor &in, int64_t dim, int64_t size);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Loops over the index space of `sizes`, row-major, carrying values.
  llvm::SmallVector<mlir::Value>
  loop(llvm::ArrayRef<Expr> sizes, mlir::ValueRange init,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(
           mlir::OpBuilder &, mlir::ValueRange indices, mlir::ValueRange carry)>
           body);

  /// The map of `numLoops` loops to the first `count` of them.
  mlir::AffineMap firstLoops(unsigned numLoops, unsigned count) {
    llvm::SmallVector<mlir::AffineExpr> loops;
    for (unsigned i = 0; i < count; ++i)
      loops.push_back(b.getAffineDimExpr(i));
    return mlir::AffineMap::get(numLoops, 0, loops, b.getContext());
  }
  mlir::AffineMap identityMap(int64_t rank) {
    return b.getMultiDimIdentityMap(unsigned(rank));
  }
  llvm::SmallVector<mlir::utils::IteratorType> parallel(int64_t count) {
    return llvm::SmallVector<mlir::utils::IteratorType>(
        size_t(count), mlir::utils::IteratorType::parallel);
  }

protected:
  bool failed = false;

private:
  Tensor collapse(const Tensor &in, llvm::ArrayRef<int64_t> groupSizes);
  Tensor expandGroups(const Tensor &in, llvm::ArrayRef<Expr> sizes,
                      llvm::ArrayRef<int64_t> groupSizes);
  /// Returns true if a tensor has a dimension; reports that it has none such.
  bool checkDim(const Tensor &tensor, int64_t dim);
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_EMITTER_H
