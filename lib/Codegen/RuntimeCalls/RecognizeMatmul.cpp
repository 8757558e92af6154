//===- RecognizeMatmul.cpp - Matmuls for a library ------------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace tally {
#define GEN_PASS_DEF_RECOGNIZEMATMUL
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

using namespace mlir;

//===----------------------------------------------------------------------===//
// What is a matmul
//===----------------------------------------------------------------------===//

namespace {

/// One operand of a product.
struct Operand {
  Value tensor;
  /// Whether its last two dimensions are swapped.
  bool transposed = false;
};

/// c[..., m, n] = sum over k of a[..., m, k] * b[..., k, n], from zero.
struct Product {
  Operand a, b;
  Value init;
  /// Whether b is one matrix, so that the batches are but more rows of a.
  bool sharesMatrix = false;
  /// What elements are multiplied and summed as.
  FloatType sumType;
};

} // namespace

/// The argument of the body that `value` is, as it is or extended.
static BlockArgument getFactor(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// Returns whether the body adds a product of the two inputs to the output.
static bool multipliesAndAdds(Block &body) {
  if (body.getNumArguments() != 3)
    return false;
  Value result = body.getTerminator()->getOperand(0);
  auto sum = result.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return false;
  BlockArgument accumulator = body.getArgument(2);
  Value other = sum.getLhs() == accumulator   ? sum.getRhs()
                : sum.getRhs() == accumulator ? sum.getLhs()
                                              : Value();
  auto product = other ? other.getDefiningOp<arith::MulFOp>() : nullptr;
  if (!product)
    return false;
  BlockArgument x = getFactor(product.getLhs()),
                y = getFactor(product.getRhs());
  auto is = [&](BlockArgument a, BlockArgument b) {
    return a == body.getArgument(0) && b == body.getArgument(1);
  };
  return x && y && (is(x, y) || is(y, x));
}

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

/// Whether a tensor is filled with zeros. A sum that starts at -0.0 is -0.0 for
/// a sum over nothing, which no library gives.
static bool isZeroFill(Value tensor) {
  Value value;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  else if (auto generic = tensor.getDefiningOp<linalg::GenericOp>())
    value = generic.getBody()->getTerminator()->getOperand(
        cast<OpResult>(tensor).getResultNumber());
  else
    return matchPattern(tensor, m_PosZeroFloat());
  return matchPattern(value, m_PosZeroFloat());
}

/// Returns whether `op` is a linalg operation over [batch..., m, n, k].
static std::optional<Product> matchProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op->getNumRegions() != 1 ||
      !multipliesAndAdds(op->getRegion(0).front()))
    return std::nullopt;
  Product product;
  product.init = op.getDpsInits().front();
  auto type = cast<RankedTensorType>(product.init.getType());
  product.sumType = dyn_cast<FloatType>(type.getElementType());
  int64_t rank = type.getRank(), loops = op.getNumLoops();
  if (!product.sumType || rank < 2 || loops != rank + 1)
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
  product.sharesMatrix = rank > 2 && maps[1].getNumResults() == 2;
  if (maps[0].getNumResults() != rank ||
      (maps[1].getNumResults() != rank && !product.sharesMatrix))
    return std::nullopt;
  std::optional<bool> a = isTransposed(maps[0], m, k);
  std::optional<bool> b = isTransposed(maps[1], k, n);
  if (!a || !b || (product.sharesMatrix && *a))
    return std::nullopt;
  product.a = {x, *a};
  product.b = {y, *b};
  return product;
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

//===----------------------------------------------------------------------===//
// Making the call
//===----------------------------------------------------------------------===//

/// An operation that converts `tensor`, element by element.
static Value extend(OpBuilder &builder, Location loc, Value tensor,
                    FloatType type) {
  auto from = cast<RankedTensorType>(tensor.getType());
  if (from.getElementType() == type)
    return tensor;
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, tensor), type);
  AffineMap map = builder.getMultiDimIdentityMap(from.getRank());
  SmallVector<utils::IteratorType> iterators(from.getRank(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), tensor, empty,
             ArrayRef<AffineMap>{map, map}, iterators,
             [&](OpBuilder &inner, Location at, ValueRange elements) {
               Value wide =
                   arith::ExtFOp::create(inner, at, type, elements.front());
               linalg::YieldOp::create(inner, at, wide);
             })
      .getResult(0);
}

/// The only use of a product, if it does nothing but round it to `type`.
static linalg::GenericOp getRounding(Value product, Type type) {
  if (!product.hasOneUse())
    return nullptr;
  auto op = dyn_cast<linalg::GenericOp>(*product.user_begin());
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getInputs().front() != product ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  auto rounding = op.getBody()
                      ->getTerminator()
                      ->getOperand(0)
                      .getDefiningOp<arith::TruncFOp>();
  return rounding && rounding.getType() == type &&
                 !rounding.getRoundingmode() &&
                 rounding.getIn() == op.getBody()->getArgument(0)
             ? op
             : nullptr;
}

namespace {

/// Replaces one operation.
class Replacement {
public:
  Replacement(linalg::LinalgOp op, Product product)
      : op(op), product(product), builder(op), loc(op.getLoc()) {}

  void run() {
    bool startsAtZero = isZeroFill(product.init);
    linalg::GenericOp rounding = startsAtZero ? findRounding() : nullptr;
    foldTransposes();
    if (!rounding)
      for (Operand *operand : {&product.a, &product.b})
        operand->tensor =
            extend(builder, loc, operand->tensor, product.sumType);
    Value result = createProduct();
    if (!startsAtZero)
      result = createSum(result);
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

  /// A sum of half precision that is rounded once stays with its type; anything
  /// else is computed in the type that it is summed in.
  linalg::GenericOp findRounding() {
    Type type = getElementType(product.a.tensor);
    if (type.getIntOrFloatBitWidth() != 16 || !product.sumType.isF32() ||
        type != getElementType(product.b.tensor))
      return nullptr;
    return getRounding(op->getResult(0), type);
  }

  void foldTransposes() {
    for (Operand *operand : {&product.a, &product.b}) {
      if (product.sharesMatrix && operand == &product.a)
        continue;
      if (Value source = getUntransposed(operand->tensor)) {
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

  Value createProduct() {
    Value a = product.a.tensor;
    Type type = getElementType(a);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(builder, loc, product.init);
    auto shape = cast<RankedTensorType>(product.init.getType()).getShape();
    SmallVector<ReassociationIndices> rows;
    SmallVector<OpFoldResult> flat = sizes;
    if (product.sharesMatrix) {
      rows = getRows(int64_t(sizes.size()));
      a = tensor::CollapseShapeOp::create(builder, loc, a, rows);
      flat = {tensor::getMixedSize(builder, loc, a, 0), sizes.back()};
    }
    Value empty = tensor::EmptyOp::create(builder, loc, flat, type);
    auto attribute = [&](bool flag) {
      return flag ? builder.getUnitAttr() : UnitAttr();
    };
    Value result = tally::MatmulOp::create(builder, loc, empty.getType(), a,
                                           product.b.tensor, empty,
                                           attribute(product.a.transposed),
                                           attribute(product.b.transposed),
                                           /*fallback=*/nullptr)
                       .getResults()
                       .front();
    auto resultType = RankedTensorType::get(shape, type);
    if (product.sharesMatrix)
      return tensor::ExpandShapeOp::create(builder, loc, resultType, result,
                                           rows, sizes);
    return result;
  }

  /// The product and what it is added to.
  Value createSum(Value result) {
    Value empty = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, product.init),
        product.sumType);
    return linalg::AddOp::create(builder, loc, ValueRange{product.init, result},
                                 empty)
        .getResult(0);
  }

  linalg::LinalgOp op;
  Product product;
  OpBuilder builder;
  Location loc;
};

} // namespace

/// Types that a library multiplies: those that sum as they are, and halves,
/// which it sums in f32.
static bool isSupported(const Product &product) {
  if (!product.sumType.isF32() && !product.sumType.isF64())
    return false;
  for (const Operand &operand : {product.a, product.b}) {
    Type type =
        cast<RankedTensorType>(operand.tensor.getType()).getElementType();
    if (type != product.sumType && !type.isF32() && !type.isF16() &&
        !type.isBF16())
      return false;
  }
  return true;
}

namespace {

struct RecognizeMatmulPass
    : public tally::impl::RecognizeMatmulBase<RecognizeMatmulPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      std::optional<Product> product = matchProduct(op);
      if (product && isSupported(*product))
        ops.push_back(op);
    });
    // The operands of one may be the results of another.
    for (linalg::LinalgOp op : ops)
      Replacement(op, *matchProduct(op)).run();
  }
};

} // namespace
