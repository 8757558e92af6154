//===- FloatBuilder.h - Building arithmetic on floats -----------*- C++ -*-===//
//
// The builder with which expansions of math functions are written.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_FLOATBUILDER_H
#define TALLY_LIB_CODEGEN_COMMON_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

namespace tally::codegen {

using mlir::ArrayRef;
using mlir::Value;

/// Builds arithmetic on f32 and i32, on f64 and i64, or on vectors of them.
/// Products whose sums may be fused are marked `contract`.
class FloatBuilder {
public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

  FloatBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type)
      : builder(builder), loc(loc), type(type),
        isDouble(mlir::getElementTypeOrSelf(type).isF64()),
        integer(withElement(builder.getIntegerType(isDouble ? 64 : 32))) {}

  bool hasDoubles() const { return isDouble; }
  /// A builder of f64 for the same lanes.
  FloatBuilder withDoubles() const {
    return {builder, loc, withElement(builder.getF64Type())};
  }
  Value widen(Value x) {
    return mlir::arith::ExtFOp::create(builder, loc,
                                       withElement(builder.getF64Type()), x);
  }
  /// Rounds an f64 to this builder's type.
  Value narrow(Value x) {
    return mlir::arith::TruncFOp::create(builder, loc, type, x);
  }

  Value constant(double value) {
    auto element =
        llvm::cast<mlir::FloatType>(mlir::getElementTypeOrSelf(type));
    return makeConstant(type, builder.getFloatAttr(element, value));
  }
  Value integerConstant(int64_t value) {
    mlir::Type element = mlir::getElementTypeOrSelf(integer);
    return makeConstant(integer, builder.getIntegerAttr(element, value));
  }

  Value add(Value a, Value b) {
    return mlir::arith::AddFOp::create(builder, loc, a, b, contract());
  }
  Value sub(Value a, Value b) {
    return mlir::arith::SubFOp::create(builder, loc, a, b, contract());
  }
  Value mul(Value a, Value b) {
    return mlir::arith::MulFOp::create(builder, loc, a, b, contract());
  }
  Value mul(Value a, double b) { return mul(a, constant(b)); }
  Value div(Value a, Value b) {
    return mlir::arith::DivFOp::create(builder, loc, a, b);
  }
  /// a * b + c.
  Value fma(Value a, Value b, Value c) { return add(mul(a, b), c); }
  Value fma(Value a, double b, Value c) { return fma(a, constant(b), c); }
  Value roundEven(Value x) {
    return mlir::math::RoundEvenOp::create(builder, loc, x);
  }
  Value trunc(Value x) { return mlir::math::TruncOp::create(builder, loc, x); }

  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value compare(mlir::arith::CmpFPredicate predicate, Value a, double b) {
    return compare(predicate, a, constant(b));
  }
  Value isEqual(Value a, double b) {
    return compare(mlir::arith::CmpFPredicate::OEQ, a, b);
  }
  Value select(Value condition, Value yes, Value no) {
    return mlir::arith::SelectOp::create(builder, loc, condition, yes, no);
  }
  /// At most `high`; NaN stays.
  Value atMost(Value x, double high) {
    return select(compare(mlir::arith::CmpFPredicate::OGT, x, high),
                  constant(high), x);
  }
  /// At least `low` and at most `high`; NaN stays.
  Value clamp(Value x, double low, double high) {
    x = atMost(x, high);
    return select(compare(mlir::arith::CmpFPredicate::OLT, x, low),
                  constant(low), x);
  }
  /// 0 where `x` is below a bound, else `y`. A product that underflows takes a
  /// processor many cycles; with AVX-512 lanes that are not chosen are not
  /// multiplied.
  Value zeroBelow(Value x, double bound, Value y) {
    return select(compare(mlir::arith::CmpFPredicate::OLT, x, bound),
                  constant(0), y);
  }
  Value sqrt(Value x) { return mlir::math::SqrtOp::create(builder, loc, x); }
  Value abs(Value x) { return mlir::math::AbsFOp::create(builder, loc, x); }
  Value copySign(Value magnitude, Value sign) {
    return mlir::math::CopySignOp::create(builder, loc, magnitude, sign);
  }

  Value getBits(Value x) {
    return mlir::arith::BitcastOp::create(builder, loc, integer, x);
  }
  Value fromBits(Value x) {
    return mlir::arith::BitcastOp::create(builder, loc, type, x);
  }
  template <typename Op>
  Value apply(Value x) {
    return Op::create(builder, loc, x);
  }
  template <typename Op>
  Value combine(Value a, Value b) {
    return Op::create(builder, loc, a, b);
  }
  Value compareBits(mlir::arith::CmpIPredicate predicate, Value a, int64_t b) {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a,
                                       integerConstant(b));
  }

  /// An f64 cut to 26 bits, an f32 to 12: products of two such numbers are
  /// exact, and so are those of one and what is cut from the other.
  Value cut(Value x) {
    int64_t rest = isDouble ? 0x7ffffff : 0xfff;
    return fromBits(
        combine<mlir::arith::AndIOp>(getBits(x), integerConstant(~rest)));
  }

  /// The number that is added to a float to have its nearest integer in the
  /// last bits.
  double getMagic() const { return isDouble ? 0x1.8p52 : 0x1.8p23; }
  unsigned getNumFractionBits() const { return isDouble ? 52 : 23; }
  int64_t getBias() const { return isDouble ? 1023 : 127; }

  /// A small integer as a float.
  Value toFloat(Value x) {
    if (!isDouble)
      return mlir::arith::SIToFPOp::create(builder, loc, type, x);
    // Before AVX-512 no instruction converts 64 bits.
    Value magic = constant(getMagic());
    return sub(fromBits(combine<mlir::arith::AddIOp>(x, getBits(magic))),
               magic);
  }

  /// The polynomial with these coefficients, the highest degree first.
  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value result = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      result = fma(result, x, constant(coefficient));
    return result;
  }

  /// The same in two halves, of even and of odd powers, which a processor can
  /// compute at once. `square` is that of x.
  Value polynomialInHalves(ArrayRef<double> coefficients, Value x,
                           Value square) {
    llvm::SmallVector<double> halves[2];
    for (auto [index, coefficient] : llvm::enumerate(coefficients))
      halves[(coefficients.size() - 1 - index) % 2].push_back(coefficient);
    return fma(polynomial(halves[1], square), x, polynomial(halves[0], square));
  }

  /// Splits x / unit into the nearest integer, as a float and as an integer.
  /// Adding 1.5 * 2^23 (2^52) rounds to an integer, which then stands in the
  /// last bits.
  std::pair<Value, Value> roundQuotient(Value x, double reciprocal) {
    Value magic = constant(getMagic());
    Value shifted = fma(x, reciprocal, magic);
    Value asInteger =
        combine<mlir::arith::SubIOp>(getBits(shifted), getBits(magic));
    return {sub(shifted, magic), asInteger};
  }

  /// 2^n, a normal number.
  Value createPower(Value n) {
    Value biased = combine<mlir::arith::AddIOp>(n, integerConstant(getBias()));
    return fromBits(combine<mlir::arith::ShLIOp>(
        biased, integerConstant(getNumFractionBits())));
  }

  /// Two normal numbers with the product 2^exponent, which may be none.
  std::pair<Value, Value> createPowers(Value exponent) {
    Value half = combine<mlir::arith::ShRSIOp>(exponent, integerConstant(1));
    Value rest = combine<mlir::arith::SubIOp>(exponent, half);
    return {createPower(half), createPower(rest)};
  }

  /// x * 2^exponent, for an exponent that `createPowers` may have: the result
  /// may be subnormal. An intrinsic, as some processors have an instruction for
  /// it; for others `tally::expandScales` writes the two products. MLIR's
  /// intrinsic has no vectors of exponents.
  Value scale(Value x, Value exponent) {
    if (!llvm::isa<mlir::VectorType>(type))
      return mlir::LLVM::LoadExpOp::create(builder, loc, type, x, exponent);
    auto [half, rest] = createPowers(exponent);
    return mul(mul(x, half), rest);
  }

private:
  mlir::Type withElement(mlir::Type element) const {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(type))
      return vector.clone(element);
    return element;
  }
  Value makeConstant(mlir::Type ofType, mlir::TypedAttr element) {
    if (auto vector = llvm::dyn_cast<mlir::VectorType>(ofType))
      element = mlir::DenseElementsAttr::get(vector, mlir::Attribute(element));
    return mlir::arith::ConstantOp::create(builder, loc, element);
  }
  static mlir::arith::FastMathFlags contract() {
    return mlir::arith::FastMathFlags::contract;
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type type;
  bool isDouble;
  mlir::Type integer;
};

//===----------------------------------------------------------------------===//
// Functions of f64, of f32 by arithmetic on f64, and special values of both
//===----------------------------------------------------------------------===//

Value expandDoubleExp(FloatBuilder &b, Value x);
Value expandDoubleExp2(FloatBuilder &b, Value x);
Value expandDoubleExpM1(FloatBuilder &b, Value x);
Value expandDoubleTanh(FloatBuilder &b, Value x);
Value expandDoubleErf(FloatBuilder &b, Value x);
Value expandDoubleLog(FloatBuilder &b, Value x);
Value expandDoubleLog2(FloatBuilder &b, Value x);
Value expandDoubleLog10(FloatBuilder &b, Value x);
Value expandDoubleErfc(FloatBuilder &b, Value x);
Value expandDoublePow(FloatBuilder &b, Value x, Value y);
Value expandDoubleSinh(FloatBuilder &b, Value x);
Value expandDoubleCosh(FloatBuilder &b, Value x);
Value expandDoubleAsinh(FloatBuilder &b, Value x);
Value expandDoubleAcosh(FloatBuilder &b, Value x);
Value expandDoubleAtanh(FloatBuilder &b, Value x);
Value expandSin(FloatBuilder &b, Value x);
Value expandCos(FloatBuilder &b, Value x);
Value expandTan(FloatBuilder &b, Value x);
Value expandDoubleSin(FloatBuilder &b, Value x);
Value expandDoubleCos(FloatBuilder &b, Value x);
Value expandDoubleTan(FloatBuilder &b, Value x);
/// The same of f32 or f64 between -kSmallAngle and kSmallAngle.
Value expandSmallSin(FloatBuilder &b, Value x);
Value expandSmallCos(FloatBuilder &b, Value x);
Value expandSmallTan(FloatBuilder &b, Value x);
inline constexpr float kSmallAngle = 0x1p20f;
/// Those of f32 between -kNearAngle and kNearAngle.
Value expandNearSin(FloatBuilder &b, Value x);
Value expandNearCos(FloatBuilder &b, Value x);
Value expandNearTan(FloatBuilder &b, Value x);
inline constexpr float kNearAngle = 0x1.9p13f;
/// Whether an angle of f32 was an f16: sines have no ranges there.
bool isHalfAngle(Value x);
Value expandPow(FloatBuilder &b, Value x, Value y);
/// log(x) of an f64 that is no subnormal number, as exact as an f32 needs.
Value expandWideLog(FloatBuilder &b, Value x);
Value expandSinh(FloatBuilder &b, Value x);
Value expandCosh(FloatBuilder &b, Value x);
Value expandAsinh(FloatBuilder &b, Value x);
Value expandAcosh(FloatBuilder &b, Value x);
Value expandAtanh(FloatBuilder &b, Value x);

/// Arc functions of f32 or f64.
Value expandAsin(FloatBuilder &b, Value x);
Value expandAcos(FloatBuilder &b, Value x);
Value expandAtan(FloatBuilder &b, Value x);
Value expandAtan2(FloatBuilder &b, Value y, Value x);

/// `y`, and what a logarithm of 0, infinity and what has none is.
Value selectSpecialLogs(FloatBuilder &b, Value x, Value y);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_FLOATBUILDER_H
