//===- MatmulSums.cpp - Sums of products of two tensors -------------------===//

#include "MatmulSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally;

/// The argument of the body that `value` is, as it is or extended.
static BlockArgument getFactor(Value value) {
  Operation *extension = value.getDefiningOp();
  if (isa_and_present<arith::ExtFOp, arith::ExtSIOp>(extension))
    value = extension->getOperand(0);
  return dyn_cast<BlockArgument>(value);
}

/// Returns whether the body adds a product of the two inputs to the output.
template <typename Add, typename Multiply>
static bool multipliesAndAdds(Block &body) {
  if (body.getNumArguments() != 3)
    return false;
  Value result = body.getTerminator()->getOperand(0);
  auto sum = result.getDefiningOp<Add>();
  if (!sum)
    return false;
  BlockArgument accumulator = body.getArgument(2);
  Value other = sum.getLhs() == accumulator   ? sum.getRhs()
                : sum.getRhs() == accumulator ? sum.getLhs()
                                              : Value();
  auto product = other ? other.getDefiningOp<Multiply>() : nullptr;
  if (!product)
    return false;
  BlockArgument x = getFactor(product.getLhs()),
                y = getFactor(product.getRhs());
  auto is = [&](BlockArgument a, BlockArgument b) {
    return a == body.getArgument(0) && b == body.getArgument(1);
  };
  return x && y && (is(x, y) || is(y, x));
}

static Type getInputType(linalg::LinalgOp op, int64_t input) {
  return getElementTypeOrSelf(op.getDpsInputOperand(input)->get());
}

bool codegen::isMultiplied(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 ||
      op.getNumDpsInits() != 1 || op->getNumRegions() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  Type sum = getElementTypeOrSelf(op.getDpsInits().front());
  if (multipliesAndAdds<arith::AddIOp, arith::MulIOp>(body)) {
    Type type = getInputType(op, 0);
    if (type != getInputType(op, 1))
      return false;
    if (type != sum)
      return type.isInteger(8) && sum.isInteger(32);
    return sum.isInteger(8) || sum.isInteger(16) || sum.isInteger(32) ||
           sum.isInteger(64);
  }
  if (!multipliesAndAdds<arith::AddFOp, arith::MulFOp>(body) ||
      (!sum.isF32() && !sum.isF64()))
    return false;
  for (int64_t input : {0, 1}) {
    Type type = getInputType(op, input);
    if (type != sum && !type.isF32() && !type.isF16() && !type.isBF16())
      return false;
  }
  return true;
}

/// Whether a constant is zero, and not -0.0.
static bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

bool codegen::isZeroFill(Value tensor) {
  Value value;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs().front();
  else if (auto generic = tensor.getDefiningOp<linalg::GenericOp>())
    value = generic.getBody()->getTerminator()->getOperand(
        cast<OpResult>(tensor).getResultNumber());
  else
    return isZero(tensor);
  return isZero(value);
}

bool codegen::keepsOperands(linalg::LinalgOp op) {
  Type type = getInputType(op, 0),
       sum = getElementTypeOrSelf(op.getDpsInits().front());
  return type == getInputType(op, 1) &&
         (isa<IntegerType>(type) || type == sum ||
          (sum.isF32() && (type.isF16() || type.isBF16())));
}

Value codegen::extend(OpBuilder &builder, Location loc, Value tensor,
                      Type type) {
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
static linalg::GenericOp findRounding(Value product, Type type) {
  if (!product.hasOneUse())
    return nullptr;
  auto op = dyn_cast<linalg::GenericOp>(*product.user_begin());
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getInputs().front() != product ||
      op.getResult(0).getType() !=
          cast<RankedTensorType>(product.getType()).clone(type) ||
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

linalg::GenericOp codegen::getRounding(linalg::LinalgOp op, Value sums) {
  Type type = getInputType(op, 0);
  if (type.getIntOrFloatBitWidth() != 16 || type != getInputType(op, 1) ||
      !getElementTypeOrSelf(op.getDpsInits().front()).isF32())
    return nullptr;
  return findRounding(sums, type);
}

Value codegen::addTo(OpBuilder &builder, Location loc, Value init,
                     Value product) {
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, init),
      getElementTypeOrSelf(init));
  return linalg::AddOp::create(builder, loc, ValueRange{init, product}, empty)
      .getResult(0);
}
