//===- Scalars.cpp - Scalar arithmetic with PyTorch's meaning -------------===//
//
//===----------------------------------------------------------------------===//

#include "Scalars.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value Scalars::integer(int64_t value) const {
  if (isFloat())
    return number(double(value));
  if (dtype == Dtype::Bool)
    value = value != 0;
  llvm::APInt bits(type().getIntOrFloatBitWidth(), uint64_t(value),
                   /*isSigned=*/true, /*implicitTrunc=*/true);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type(), bits));
}

Value Scalars::number(double value) const {
  if (dtype == Dtype::Bool)
    return integer(value != 0);
  if (!isFloat()) {
    // A value that 64 bits do not hold becomes the smallest integer, as on
    // processors.
    bool isInside = value >= -0x1p63 && value < 0x1p63;
    return integer(isInside ? int64_t(value)
                            : std::numeric_limits<int64_t>::min());
  }
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type(), value));
}

Value Scalars::lowest() const {
  if (isFloat())
    return number(-std::numeric_limits<double>::infinity());
  unsigned bits = type().getIntOrFloatBitWidth();
  if (isUnsigned())
    return integer(0);
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type(), llvm::APInt::getSignedMinValue(bits)));
}

Value Scalars::highest() const {
  if (isFloat())
    return number(std::numeric_limits<double>::infinity());
  unsigned bits = type().getIntOrFloatBitWidth();
  llvm::APInt value = isUnsigned() ? llvm::APInt::getMaxValue(bits)
                                   : llvm::APInt::getSignedMaxValue(bits);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type(), value));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value Scalars::add(Value x, Value y) const {
  if (isFloat())
    return arith::AddFOp::create(b, loc, x, y);
  if (dtype == Dtype::Bool)
    return arith::OrIOp::create(b, loc, x, y);
  return arith::AddIOp::create(b, loc, x, y);
}

Value Scalars::sub(Value x, Value y) const {
  if (isFloat())
    return arith::SubFOp::create(b, loc, x, y);
  return arith::SubIOp::create(b, loc, x, y);
}

Value Scalars::mul(Value x, Value y) const {
  if (isFloat())
    return arith::MulFOp::create(b, loc, x, y);
  if (dtype == Dtype::Bool)
    return arith::AndIOp::create(b, loc, x, y);
  return arith::MulIOp::create(b, loc, x, y);
}

Value Scalars::fma(Value x, Value y, Value z) const {
  return isFloat() ? math::FmaOp::create(b, loc, x, y, z).getResult()
                   : add(mul(x, y), z);
}

Value Scalars::neg(Value x) const {
  if (isFloat())
    return arith::NegFOp::create(b, loc, x);
  return sub(integer(0), x);
}

Value Scalars::abs(Value x) const {
  if (isFloat())
    return math::AbsFOp::create(b, loc, x);
  if (isUnsigned())
    return x;
  return select(compare(Compare::Lt, x, integer(0)), neg(x), x);
}

Value Scalars::divFloat(Value x, Value y) const {
  return arith::DivFOp::create(b, loc, x, y);
}

std::pair<Value, Value> Scalars::safeDivisor(Value y) const {
  Value isZero = compare(Compare::Eq, y, integer(0));
  Value one = integer(1);
  if (isUnsigned())
    return {select(isZero, one, y), Value()};
  Value isMinusOne = compare(Compare::Eq, y, integer(-1));
  Value unsafe = arith::OrIOp::create(b, loc, isZero, isMinusOne);
  return {select(unsafe, one, y), isMinusOne};
}

Value Scalars::roundTo(Dtype step, Value x) const {
  return step == dtype ? x
                       : Scalars(b, loc, step).castTo(dtype, castTo(step, x));
}

Value Scalars::divTrunc(Value x, Value y, Dtype step) const {
  if (isFloat())
    return math::TruncOp::create(b, loc, roundTo(step, divFloat(x, y)));
  auto [divisor, isMinusOne] = safeDivisor(y);
  if (!isMinusOne)
    return arith::DivUIOp::create(b, loc, x, divisor);
  Value quotient = arith::DivSIOp::create(b, loc, x, divisor);
  return select(isMinusOne, neg(x), quotient);
}

Value Scalars::divFloor(Value x, Value y, Dtype step) const {
  if (isFloat()) {
    auto round = [&](Value value) { return roundTo(step, value); };
    // As Python does it: from the exact rest, so that floor(x / y) never rounds
    // up to the next integer.
    Value rest = round(arith::RemFOp::create(b, loc, x, y));
    Value quotient = round(divFloat(round(sub(x, rest)), y));
    Value zero = number(0);
    Value signs = arith::XOrIOp::create(b, loc, compare(Compare::Lt, y, zero),
                                        compare(Compare::Lt, rest, zero));
    Value adjust =
        arith::AndIOp::create(b, loc, compare(Compare::Ne, rest, zero), signs);
    quotient = select(adjust, round(sub(quotient, number(1))), quotient);
    Value rounded = math::FloorOp::create(b, loc, quotient);
    Value up = compare(Compare::Gt, round(sub(quotient, rounded)), number(0.5));
    rounded = select(up, add(rounded, number(1)), rounded);
    // A quotient of zero has the sign of the exact one.
    Value signedZero = math::CopySignOp::create(b, loc, zero, divFloat(x, y));
    rounded = select(compare(Compare::Eq, quotient, zero), signedZero, rounded);
    Value byZero = compare(Compare::Eq, y, zero);
    return select(byZero, divFloat(x, y), rounded);
  }
  auto [divisor, isMinusOne] = safeDivisor(y);
  if (!isMinusOne)
    return arith::DivUIOp::create(b, loc, x, divisor);
  Value quotient = arith::DivSIOp::create(b, loc, x, divisor);
  Value rest = arith::RemSIOp::create(b, loc, x, divisor);
  Value zero = integer(0);
  Value signs =
      compare(Compare::Lt, arith::XOrIOp::create(b, loc, rest, divisor), zero);
  Value adjust =
      arith::AndIOp::create(b, loc, compare(Compare::Ne, rest, zero), signs);
  quotient = select(adjust, sub(quotient, integer(1)), quotient);
  return select(isMinusOne, neg(x), quotient);
}

Value Scalars::fmod(Value x, Value y) const {
  if (isFloat())
    return arith::RemFOp::create(b, loc, x, y);
  auto [divisor, isMinusOne] = safeDivisor(y);
  if (!isMinusOne)
    return arith::RemUIOp::create(b, loc, x, divisor);
  // The rest by -1 is 0, and so is the rest by what took its place.
  return arith::RemSIOp::create(b, loc, x, divisor);
}

Value Scalars::remainder(Value x, Value y) const {
  Value rest = fmod(x, y);
  if (isUnsigned())
    return rest;
  Value zero = integer(0);
  Value signs;
  if (isFloat()) {
    signs = arith::XOrIOp::create(b, loc, compare(Compare::Lt, y, zero),
                                  compare(Compare::Lt, rest, zero));
  } else {
    signs = compare(Compare::Lt, arith::XOrIOp::create(b, loc, rest, y), zero);
  }
  Value adjust =
      arith::AndIOp::create(b, loc, compare(Compare::Ne, rest, zero), signs);
  return select(adjust, add(rest, y), rest);
}

Value Scalars::max(Value x, Value y) const {
  if (isFloat())
    return arith::MaximumFOp::create(b, loc, x, y);
  if (isUnsigned())
    return arith::MaxUIOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}

Value Scalars::min(Value x, Value y) const {
  if (isFloat())
    return arith::MinimumFOp::create(b, loc, x, y);
  if (isUnsigned())
    return arith::MinUIOp::create(b, loc, x, y);
  return arith::MinSIOp::create(b, loc, x, y);
}

Value Scalars::atLeast(Value x, Value low, bool keepsLimit) const {
  if (!isFloat())
    return max(x, low);
  Value isBelow = compare(keepsLimit ? Compare::Le : Compare::Lt, x, low);
  return select(bitOr(isBelow, isNan(low)), low, x);
}

Value Scalars::atMost(Value x, Value high, bool keepsLimit) const {
  if (!isFloat())
    return min(x, high);
  Value isAbove = compare(keepsLimit ? Compare::Ge : Compare::Gt, x, high);
  return select(bitOr(isAbove, isNan(high)), high, x);
}

/// Repeated squaring; a negative power of an integer is 0, but of 1 and -1.
Value Scalars::powInteger(Value x, Value y) const {
  Value zero = integer(0), one = integer(1);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange{type(), type(), type()}, ValueRange{one, x, y},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Scalars s(builder, loc, dtype);
        Value more = s.compare(Compare::Gt, args[2], s.integer(0));
        scf::ConditionOp::create(builder, loc, more, args);
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Scalars s(builder, loc, dtype);
        Value odd = s.compare(Compare::Ne, s.bitAnd(args[2], s.integer(1)),
                              s.integer(0));
        Value product = s.select(odd, s.mul(args[0], args[1]), args[0]);
        Value square = s.mul(args[1], args[1]);
        Value rest =
            arith::ShRUIOp::create(builder, loc, args[2], s.integer(1));
        scf::YieldOp::create(builder, loc, ValueRange{product, square, rest});
      });
  if (isUnsigned())
    return loop.getResult(0);
  Value isOne = compare(Compare::Eq, x, one);
  Value isMinusOne = compare(Compare::Eq, x, integer(-1));
  Value odd = compare(Compare::Ne, bitAnd(y, one), zero);
  Value ofMinusOne = select(odd, integer(-1), one);
  Value negative = select(isOne, one, select(isMinusOne, ofMinusOne, zero));
  return select(compare(Compare::Lt, y, zero), negative, loop.getResult(0));
}

Value Scalars::pow(Value x, Value y) const {
  if (isFloat())
    return math::PowFOp::create(b, loc, x, y);
  return powInteger(x, y);
}

Value Scalars::bitAnd(Value x, Value y) const {
  return arith::AndIOp::create(b, loc, x, y);
}
Value Scalars::bitOr(Value x, Value y) const {
  return arith::OrIOp::create(b, loc, x, y);
}
Value Scalars::bitXor(Value x, Value y) const {
  return arith::XOrIOp::create(b, loc, x, y);
}
Value Scalars::bitNot(Value x) const {
  return bitXor(x, dtype == Dtype::Bool ? integer(1) : integer(-1));
}

Value Scalars::shiftLeft(Value x, Value y) const {
  Value width = integer(type().getIntOrFloatBitWidth());
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, y, width);
  Value shift = select(inside, y, integer(0));
  return select(inside, arith::ShLIOp::create(b, loc, x, shift), integer(0));
}

Value Scalars::shiftRight(Value x, Value y) const {
  unsigned bits = type().getIntOrFloatBitWidth();
  Value last = integer(int64_t(bits) - 1);
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, y,
                                       integer(bits));
  Value shift = select(inside, y, last);
  if (isUnsigned())
    return select(inside, arith::ShRUIOp::create(b, loc, x, shift), integer(0));
  return arith::ShRSIOp::create(b, loc, x, shift);
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

static arith::CmpFPredicate getFloatPredicate(Compare kind) {
  switch (kind) {
  case Compare::Eq:
    return arith::CmpFPredicate::OEQ;
  case Compare::Ne:
    return arith::CmpFPredicate::UNE;
  case Compare::Lt:
    return arith::CmpFPredicate::OLT;
  case Compare::Le:
    return arith::CmpFPredicate::OLE;
  case Compare::Gt:
    return arith::CmpFPredicate::OGT;
  case Compare::Ge:
    return arith::CmpFPredicate::OGE;
  }
  llvm_unreachable("unknown comparison");
}

static arith::CmpIPredicate getIntPredicate(Compare kind, bool isUnsigned) {
  switch (kind) {
  case Compare::Eq:
    return arith::CmpIPredicate::eq;
  case Compare::Ne:
    return arith::CmpIPredicate::ne;
  case Compare::Lt:
    return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  case Compare::Le:
    return isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
  case Compare::Gt:
    return isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
  case Compare::Ge:
    return isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
  }
  llvm_unreachable("unknown comparison");
}

Value Scalars::compare(Compare kind, Value x, Value y) const {
  if (isFloat())
    return arith::CmpFOp::create(b, loc, getFloatPredicate(kind), x, y);
  return arith::CmpIOp::create(b, loc, getIntPredicate(kind, isUnsigned()), x,
                               y);
}

Value Scalars::isNan(Value x) const {
  if (!isFloat())
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
}

Value Scalars::select(Value c, Value x, Value y) const {
  return arith::SelectOp::create(b, loc, c, x, y);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

Value Scalars::fromFloat(Dtype to, Value x) const {
  // PyTorch's halves are made of single floats, and become single floats first.
  bool passesSingle = (isHalf(dtype) && to != Dtype::F32) ||
                      (isHalf(to) && dtype != Dtype::F32);
  if (passesSingle)
    return Scalars(b, loc, Dtype::F32).fromFloat(to, fromFloat(Dtype::F32, x));
  Type target = getElementType(to, b.getContext());
  if (!isFloating(to)) {
    // Toward zero, then to the low bits: PyTorch converts to u8 by 64 bits, to
    // other small integers by 32.
    Dtype wideDtype = to == Dtype::U8        ? Dtype::I64
                      : getByteWidth(to) < 4 ? Dtype::I32
                                             : to;
    Scalars wide(b, loc, wideDtype);
    // A value that does not fit becomes the smallest integer, as on the
    // processors that PyTorch runs on.
    unsigned bits = wide.type().getIntOrFloatBitWidth();
    Value isInside =
        compare(Compare::Lt, abs(x), number(std::ldexp(1.0, int(bits) - 1)));
    Value value =
        wide.select(isInside, arith::FPToSIOp::create(b, loc, wide.type(), x),
                    wide.integer(llvm::minIntN(bits)));
    if (wide.type() != target)
      value = arith::TruncIOp::create(b, loc, target, value);
    return value;
  }
  unsigned from = type().getIntOrFloatBitWidth();
  unsigned width = target.getIntOrFloatBitWidth();
  if (from == width)
    return x;
  if (from < width)
    return arith::ExtFOp::create(b, loc, target, x);
  return arith::TruncFOp::create(b, loc, target, x);
}

Value Scalars::fromInteger(Dtype to, Value x) const {
  // PyTorch rounds twice here, too.
  if (isHalf(to))
    return Scalars(b, loc, Dtype::F32)
        .fromFloat(to, fromInteger(Dtype::F32, x));
  Type target = getElementType(to, b.getContext());
  if (isFloating(to)) {
    if (isUnsigned())
      return arith::UIToFPOp::create(b, loc, target, x);
    return arith::SIToFPOp::create(b, loc, target, x);
  }
  unsigned from = type().getIntOrFloatBitWidth();
  unsigned width = target.getIntOrFloatBitWidth();
  if (from == width)
    return x;
  if (from > width)
    return arith::TruncIOp::create(b, loc, target, x);
  if (isUnsigned())
    return arith::ExtUIOp::create(b, loc, target, x);
  return arith::ExtSIOp::create(b, loc, target, x);
}

Value Scalars::castTo(Dtype to, Value x) const {
  if (to == dtype)
    return x;
  if (to == Dtype::Bool)
    return compare(Compare::Ne, x, integer(0));
  return isFloat() ? fromFloat(to, x) : fromInteger(to, x);
}

Value Scalars::fits(Dtype to, Value x) const {
  if (dtype == to || dtype == Dtype::Bool)
    return Value();
  if (isFloat()) {
    std::optional<std::pair<double, double>> bounds = getFloatBounds(to);
    bool isWider = isFloating(to) && (getByteWidth(to) > getByteWidth(dtype) ||
                                      dtype == Dtype::F16);
    if (!bounds || isWider)
      return Value();
    Scalars wide(b, loc, Dtype::F64);
    Value number = castTo(Dtype::F64, x);
    Value inside =
        bitAnd(wide.compare(Compare::Ge, number, wide.number(bounds->first)),
               wide.compare(Compare::Le, number, wide.number(bounds->second)));
    if (!isFloating(to))
      return inside;
    Value isInfinite =
        wide.compare(Compare::Eq, wide.abs(number), wide.highest());
    return bitOr(inside, bitOr(isInfinite, wide.isNan(number)));
  }
  std::optional<std::pair<int64_t, int64_t>> bounds = getIntegerBounds(to);
  std::optional<std::pair<int64_t, int64_t>> own = getIntegerBounds(dtype);
  if (!bounds ||
      (own && own->first >= bounds->first && own->second <= bounds->second))
    return Value();
  Scalars wide(b, loc, Dtype::I64);
  Value number = castTo(Dtype::I64, x);
  return bitAnd(
      wide.compare(Compare::Ge, number, wide.integer(bounds->first)),
      wide.compare(Compare::Le, number, wide.integer(bounds->second)));
}

} // namespace tally::import_pt2
