//===- LaneDivision.cpp - Division of integers by vectors -----------------===//
//
// Integers of -2^51..2^51 are f64, and their quotient, cut to an integer, is
// right: a quotient a / b that is no integer is at least 1 / |b| away from the
// next one, which is more than its rounding error, |a / b| 2^-53, as |a| <
// 2^52. So are its product with the divisor and what is left of the dividend:
// these are integers below 2^53. A number x of that range is the low bits of
// the f64 2^52 + 2^51 + x, which makes a conversion an addition and a
// subtraction.
//
//===----------------------------------------------------------------------===//

#include "LaneDivision.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::codegen;

/// 2^52 + 2^51 as bits of an f64, and what is added so that numbers of the
/// range are not negative.
static constexpr int64_t kMagicBits = 0x4338000000000000,
                         kHalfRange = 1ll << 51;

bool tally::codegen::isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
}

bool tally::codegen::isLaneDivision(Operation *op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::FloorDivSIOp>(op))
    return false;
  Type type = op->getResult(0).getType();
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp>(op);
  return type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         (isSigned && type.isInteger(64));
}

namespace {
/// Builds arithmetic on vectors.
class LaneBuilder {
public:
  LaneBuilder(OpBuilder &builder, Location loc, int64_t lanes)
      : builder(builder), loc(loc),
        integers(VectorType::get(lanes, builder.getI64Type())),
        floats(VectorType::get(lanes, builder.getF64Type())) {}

  template <typename Op, typename... Args>
  Value create(Args... args) {
    return Op::create(builder, loc, args...);
  }
  Value integer(int64_t value) {
    return create<arith::ConstantOp>(
        DenseElementsAttr::get(integers, builder.getI64IntegerAttr(value)));
  }
  Value toFloat(Value x) {
    Value bits = create<arith::AddIOp>(x, integer(kMagicBits));
    return create<arith::SubFOp>(create<arith::BitcastOp>(floats, bits),
                                 getMagic());
  }
  Value toInteger(Value x) {
    Value bits = create<arith::BitcastOp>(integers,
                                          create<arith::AddFOp>(x, getMagic()));
    return create<arith::SubIOp>(bits, integer(kMagicBits));
  }
  /// Numbers of 64 bits, whatever they are made of.
  Value extend(Value x, bool isSigned) {
    if (x.getType() == integers)
      return x;
    return isSigned ? create<arith::ExtSIOp>(integers, x)
                    : create<arith::ExtUIOp>(integers, x);
  }
  VectorType getIntegers() const { return integers; }

private:
  Value getMagic() {
    return create<arith::BitcastOp>(floats, integer(kMagicBits));
  }

  OpBuilder &builder;
  Location loc;
  VectorType integers, floats;
};
} // namespace

LaneDivision tally::codegen::createLaneDivision(OpBuilder &builder,
                                                Operation *op, Value dividend,
                                                Value divisor) {
  auto type = cast<VectorType>(dividend.getType());
  Location loc = op->getLoc();
  LaneBuilder b(builder, loc, type.getNumElements());
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp>(op);
  bool isRest = isa<arith::RemSIOp, arith::RemUIOp>(op);
  bool isWide = type == b.getIntegers();
  Value x = b.extend(dividend, isSigned), y = b.extend(divisor, isSigned);
  Value isZero =
      b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, y, b.integer(0));
  Value bits = b.create<arith::ExtSIOp>(b.getIntegers(), isZero);
  if (isWide) {
    // These sums are not negative and below 2^52 where numbers are in range.
    Value half = b.integer(kHalfRange);
    bits = b.create<arith::OrIOp>(bits, b.create<arith::AddIOp>(x, half));
    bits = b.create<arith::OrIOp>(bits, b.create<arith::AddIOp>(y, half));
  }
  Value left = b.toFloat(x), right = b.toFloat(y);
  Value quotient = b.create<arith::DivFOp>(left, right);
  quotient = isa<arith::FloorDivSIOp>(op) ? b.create<math::FloorOp>(quotient)
                                          : b.create<math::TruncOp>(quotient);
  if (isRest)
    quotient =
        b.create<arith::SubFOp>(left, b.create<arith::MulFOp>(quotient, right));
  Value result = b.toInteger(quotient);
  if (!isWide)
    result = b.create<arith::TruncIOp>(type, result);
  Value all = b.create<vector::ReductionOp>(vector::CombiningKind::OR, bits);
  Value limit = b.create<arith::ConstantOp>(
      builder.getI64IntegerAttr(isWide ? 2 * kHalfRange : 1));
  return {result,
          b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, all, limit)};
}
