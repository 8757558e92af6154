//===- RecognizeMatmul.cpp - Matmuls for a library ------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "MatmulSums.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Tally.h"

#include "Common/Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_RECOGNIZEMATMUL
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-recognize-matmul"

using namespace mlir;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// Forms of a matmul
//===----------------------------------------------------------------------===//

namespace {

/// One operand of a matmul.
struct Operand {
  Value tensor;
  /// Whether its last two dimensions are swapped.
  bool transposed = false;
};

/// c[..., m, n] = sum over k of a[..., m, k] * b[..., k, n], from zero.
struct MatmulForm {
  Operand a, b;
  Value init;
  /// Whether b is one matrix, so that the batches are but more rows of a.
  bool sharesMatrix = false;
  /// The type in which elements are summed.
  Type sumType;
};

} // namespace

/// Returns whether `map` is all but its last two results, in order, and then
/// `row` and `column`; nothing if it is neither that nor the other way round.
static std::optional<bool> isTransposed(AffineMap map, AffineExpr row,
                                        AffineExpr column) {
  int64_t rank = map.getNumResults();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (map.getResult(dim) != getAffineDimExpr(dim, map.getContext()))
      return std::nullopt;
  AffineExpr first = map.getResult(rank - 2), second = map.getResult(rank - 1);
  if (first == row && second == column)
    return false;
  if (first == column && second == row)
    return true;
  return std::nullopt;
}

/// Returns whether `op` is a linalg operation over [batch..., m, n, k].
static std::optional<MatmulForm> matchMatmul(linalg::LinalgOp op) {
  if (!isMultiplied(op))
    return std::nullopt;
  MatmulForm matmul;
  matmul.init = op.getDpsInits().front();
  auto type = cast<RankedTensorType>(matmul.init.getType());
  matmul.sumType = type.getElementType();
  int64_t rank = type.getRank(), loops = op.getNumLoops();
  if (rank < 2 || loops != rank + 1)
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (!maps[2].isProjectedPermutation() ||
      llvm::any_of(ArrayRef(maps).take_front(2), [&](AffineMap map) {
        return !map.isProjectedPermutation() || map.getNumResults() < 2;
      }))
    return std::nullopt;
  // Batch dimensions are the same for all, so they must be the first loops; the
  // other three may stand in any order.
  MLIRContext *context = op.getContext();
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (maps[2].getResult(dim) != getAffineDimExpr(dim, context))
      return std::nullopt;
  AffineExpr m = maps[2].getResult(rank - 2), n = maps[2].getResult(rank - 1);
  AffineExpr k;
  for (int64_t loop = 0; loop < loops; ++loop)
    if (iterators[loop] == utils::IteratorType::reduction)
      k = k ? AffineExpr() : getAffineDimExpr(loop, context);
  if (!k)
    return std::nullopt;
  Value x = op.getDpsInputs()[0], y = op.getDpsInputs()[1];
  if (maps[0].isFunctionOfDim(cast<AffineDimExpr>(n).getPosition())) {
    std::swap(x, y);
    std::swap(maps[0], maps[1]);
  }
  matmul.sharesMatrix = rank > 2 && maps[1].getNumResults() == 2;
  if (maps[0].getNumResults() != rank ||
      (maps[1].getNumResults() != rank && !matmul.sharesMatrix))
    return std::nullopt;
  std::optional<bool> a = isTransposed(maps[0], m, k);
  std::optional<bool> b = isTransposed(maps[1], k, n);
  if (!a || !b || (matmul.sharesMatrix && *a))
    return std::nullopt;
  matmul.a = {x, *a};
  matmul.b = {y, *b};
  return matmul;
}

/// The tensor that `tensor` is with its last two dimensions swapped, if it is
/// made by an operation that only swaps them.
static Value getUntransposed(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1)
    return Value();
  Block &body = op->getRegion(0).front();
  if (body.getTerminator()->getOperand(0) != body.getArgument(0))
    return Value();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  int64_t rank = maps[1].getNumResults();
  if (rank < 2 || op.getNumLoops() != rank || !maps[0].isPermutation() ||
      !maps[1].isPermutation())
    return Value();
  // From an index of the result to one of the source.
  AffineMap map = maps[0].compose(inversePermutation(maps[1]));
  SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(swap[rank - 2], swap[rank - 1]);
  return map == AffineMap::getPermutationMap(swap, op.getContext())
             ? op.getDpsInputs().front()
             : Value();
}

/// The same where `tensor` is a slice of what such an operation makes, with a
/// range of each of the last two dimensions: the slice of its source.
static Value getUntransposedSlice(OpBuilder &builder, Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  Value source = slice ? getUntransposed(slice.getSource()) : Value();
  if (!source)
    return Value();
  int64_t rank = slice.getSourceType().getRank();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (dropped.test(unsigned(rank - 1)) || dropped.test(unsigned(rank - 2)))
    return Value();
  auto swapLast = [](auto range) {
    std::swap(range[range.size() - 2], range[range.size() - 1]);
    return range;
  };
  auto type = cast<RankedTensorType>(tensor.getType());
  auto shape = swapLast(llvm::to_vector(type.getShape()));
  return tensor::ExtractSliceOp::create(
      builder, slice.getLoc(), type.clone(shape), source,
      swapLast(slice.getMixedOffsets()), swapLast(slice.getMixedSizes()),
      swapLast(slice.getMixedStrides()));
}

//===----------------------------------------------------------------------===//
// Making the call
//===----------------------------------------------------------------------===//

namespace {

/// Replaces one operation.
class Replacement {
public:
  Replacement(linalg::LinalgOp op, MatmulForm matmul)
      : op(op), matmul(matmul), builder(op), loc(op.getLoc()) {}

  void run() {
    bool startsAtZero = isZeroFill(matmul.init);
    linalg::GenericOp rounding =
        startsAtZero ? getRounding(op, op->getResult(0)) : nullptr;
    foldTransposes();
    if (!rounding && !keepsOperands(op))
      for (Operand *operand : {&matmul.a, &matmul.b})
        operand->tensor = extend(builder, loc, operand->tensor, matmul.sumType);
    Value result = createProduct(rounding ? getElementType(matmul.a.tensor)
                                          : matmul.sumType);
    if (!startsAtZero)
      result = addTo(builder, loc, matmul.init, result);
    Operation *replaced = rounding ? rounding : op;
    replaced->getResult(0).replaceAllUsesWith(result);
    replaced->erase();
    if (rounding)
      op->erase();
  }

private:
  static Type getElementType(Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  }

  void foldTransposes() {
    for (Operand *operand : {&matmul.a, &matmul.b}) {
      if (matmul.sharesMatrix && operand == &matmul.a)
        continue;
      Value source = getUntransposed(operand->tensor);
      if (!source)
        source = getUntransposedSlice(builder, operand->tensor);
      if (source) {
        operand->tensor = source;
        operand->transposed = !operand->transposed;
      }
    }
  }

  /// All dimensions but the last as one.
  static SmallVector<ReassociationIndices> getRows(int64_t rank) {
    ReassociationIndices rows =
        llvm::to_vector(llvm::seq<int64_t>(0, rank - 1));
    return {rows, {rank - 1}};
  }

  Value createProduct(Type type) {
    Value a = matmul.a.tensor;
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, matmul.init);
    auto shape = cast<RankedTensorType>(matmul.init.getType()).getShape();
    SmallVector<ReassociationIndices> rows;
    SmallVector<OpFoldResult> flat = sizes;
    if (matmul.sharesMatrix) {
      rows = getRows(int64_t(sizes.size()));
      a = tensor::CollapseShapeOp::create(builder, loc, a, rows);
      flat = {tensor::getMixedSize(builder, loc, a, 0), sizes.back()};
    }
    Value empty = tensor::EmptyOp::create(builder, loc, flat, type);
    Value result = tally::MatmulOp::create(
                       builder, loc, empty.getType(), a, matmul.b.tensor, empty,
                       matmul.a.transposed, matmul.b.transposed)
                       .getResults()
                       .front();
    auto resultType = RankedTensorType::get(shape, type);
    if (matmul.sharesMatrix)
      return tensor::ExpandShapeOp::create(builder, loc, resultType, result,
                                           rows, sizes);
    return result;
  }

  linalg::LinalgOp op;
  MatmulForm matmul;
  OpBuilder builder;
  Location loc;
};

} // namespace

void tally::recognizeMatmuls(func::FuncOp function, bool integers) {
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) {
    std::optional<MatmulForm> form = matchMatmul(op);
    if (form && (integers || isa<FloatType>(form->sumType)))
      ops.push_back(op);
  });
  // The operands of one may be the results of another.
  for (linalg::LinalgOp op : ops) {
    LDBG() << describeLastPart(op) << ": a matmul of the library";
    Replacement(op, *matchMatmul(op)).run();
  }
}

namespace {
struct RecognizeMatmulPass
    : tally::impl::RecognizeMatmulBase<RecognizeMatmulPass> {
  using RecognizeMatmulBase::RecognizeMatmulBase;

  void runOnOperation() override {
    tally::recognizeMatmuls(getOperation(), integers);
  }
};

} // namespace
