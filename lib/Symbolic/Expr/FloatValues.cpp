//===- FloatValues.cpp - Functions of float numbers -----------------------===//
//
// CPython's rules (longobject.c, floatobject.c, mathmodule.c) for what is
// rounded how and what is an error.
//
//===----------------------------------------------------------------------===//

#include "FloatValues.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace tally::symbolic;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// A signed number of the fewest bits that hold the value.
static APInt toAPInt(const DynamicAPInt &value) {
  if (value >= INT64_MIN && value <= INT64_MAX)
    return APInt(64, static_cast<int64_t>(value), /*isSigned=*/true);
  std::string digits;
  llvm::raw_string_ostream(digits) << value;
  return APInt(APInt::getSufficientBitsNeeded(digits, 10) + 1, digits, 10);
}

/// Shifts right by `drop` bits; halves go to the even neighbor.
static APInt dropBits(const APInt &value, unsigned drop) {
  if (drop == 0)
    return value;
  APInt kept = value.lshr(drop);
  bool half = value[drop - 1];
  bool more = value.countr_zero() < drop - 1;
  if (half && (more || kept[0]))
    ++kept;
  return kept;
}

FloatResult tally::symbolic::divideIntegers(const DynamicAPInt &a,
                                            const DynamicAPInt &b) {
  if (b == 0)
    return {0, EvalError::DivisionByZero};
  if (a == 0)
    return {b < 0 ? -0.0 : 0.0, EvalError::None};
  APInt dividend = toAPInt(abs(a)), divisor = toAPInt(abs(b));
  int distance = static_cast<int>(dividend.getActiveBits()) -
                 static_cast<int>(divisor.getActiveBits());
  if (distance > 1024)
    return {0, EvalError::Overflow};
  // At least two bits more than are kept, the last one for all that follow.
  constexpr int minExponent = -1074;
  int exponent = std::max(distance - 56, minExponent - 2);
  unsigned width = std::max(dividend.getActiveBits(), divisor.getActiveBits()) +
                   std::abs(exponent) + 2;
  dividend = dividend.zextOrTrunc(width);
  divisor = divisor.zextOrTrunc(width);
  (exponent < 0 ? dividend : divisor) <<= std::abs(exponent);
  APInt quotient, remainder;
  APInt::udivrem(dividend, divisor, quotient, remainder);
  if (!remainder.isZero())
    quotient.setBit(0);
  int drop = std::max({static_cast<int>(quotient.getActiveBits()) - 53,
                       minExponent - exponent, 0});
  auto mantissa =
      static_cast<double>(dropBits(quotient, drop).getLimitedValue());
  double result = std::ldexp(mantissa, exponent + drop);
  if (std::isinf(result))
    return {0, EvalError::Overflow};
  return {(a < 0) != (b < 0) ? -result : result, EvalError::None};
}

DynamicAPInt tally::symbolic::applyBitwise(BitwiseOp op, const DynamicAPInt &a,
                                           const DynamicAPInt &b) {
  APInt left = toAPInt(a), right = toAPInt(b);
  unsigned width = std::max(left.getBitWidth(), right.getBitWidth());
  left = left.sext(width);
  right = right.sext(width);
  switch (op) {
  case BitwiseOp::And:
    return DynamicAPInt(left & right);
  case BitwiseOp::Or:
    return DynamicAPInt(left | right);
  case BitwiseOp::Xor:
    break;
  }
  return DynamicAPInt(left ^ right);
}

EvalResult tally::symbolic::roundToInteger(double value,
                                           RoundingMode rounding) {
  if (std::isnan(value))
    return {Value(), EvalError::NotANumber};
  if (std::isinf(value))
    return {Value(), EvalError::Overflow};
  llvm::RoundingMode mode = llvm::RoundingMode::TowardZero;
  if (rounding == RoundingMode::Down)
    mode = llvm::RoundingMode::TowardNegative;
  else if (rounding == RoundingMode::Up)
    mode = llvm::RoundingMode::TowardPositive;
  else if (rounding == RoundingMode::NearestEven)
    mode = llvm::RoundingMode::NearestTiesToEven;
  llvm::APSInt integer(/*BitWidth=*/1088, /*isUnsigned=*/false);
  bool isExact;
  llvm::APFloat(value).convertToInteger(integer, mode, &isExact);
  return {Value::ofInt(DynamicAPInt(integer)), EvalError::None};
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static double callLibrary(FloatFunction function, double x) {
  switch (function) {
  case FloatFunction::Abs:
    return std::fabs(x);
  case FloatFunction::Sqrt:
    return std::sqrt(x);
  case FloatFunction::Exp:
    return std::exp(x);
  case FloatFunction::Log:
    return std::log(x);
  case FloatFunction::Log2:
    return std::log2(x);
  case FloatFunction::Sin:
    return std::sin(x);
  case FloatFunction::Cos:
    return std::cos(x);
  case FloatFunction::Tan:
    return std::tan(x);
  case FloatFunction::Asin:
    return std::asin(x);
  case FloatFunction::Acos:
    return std::acos(x);
  case FloatFunction::Atan:
    return std::atan(x);
  case FloatFunction::Sinh:
    return std::sinh(x);
  case FloatFunction::Cosh:
    return std::cosh(x);
  case FloatFunction::Tanh:
    return std::tanh(x);
  case FloatFunction::Asinh:
    return std::asinh(x);
  }
  return x;
}

FloatResult tally::symbolic::applyFunction(FloatFunction function,
                                           double value) {
  double result = callLibrary(function, value);
  if (std::isnan(result) && !std::isnan(value))
    return {0, EvalError::NotANumber};
  if (std::isinf(result) && std::isfinite(value)) {
    bool isPole =
        function == FloatFunction::Log || function == FloatFunction::Log2;
    return {0, isPole ? EvalError::NotANumber : EvalError::Overflow};
  }
  return {result, EvalError::None};
}

FloatResult tally::symbolic::raiseToPower(double base, double exponent) {
  double result = std::pow(base, exponent);
  if (!std::isfinite(base) || !std::isfinite(exponent))
    return {result, EvalError::None};
  if (base == 0 && exponent < 0)
    return {0, EvalError::DivisionByZero};
  if (std::isnan(result))
    return {0, EvalError::NotANumber};
  if (std::isinf(result))
    return {0, EvalError::Overflow};
  return {result, EvalError::None};
}

/// Rounds to tens, hundreds, ...: the multiple of 10 ** zeros nearest to the
/// value, and of two the even one.
static FloatResult roundToZeros(double value, unsigned zeros) {
  DynamicAPInt unit(1);
  for (unsigned i = 0; i != zeros; ++i)
    unit *= DynamicAPInt(10);
  double magnitude = std::fabs(value);
  DynamicAPInt whole =
      roundToInteger(magnitude, RoundingMode::Down).value.getInt();
  DynamicAPInt multiple = whole / unit;
  DynamicAPInt excess = (whole - multiple * unit) * 2 - unit;
  bool isFraction = magnitude != std::floor(magnitude);
  if (excess > 0 || (excess == 0 && (isFraction || multiple % 2 != 0)))
    multiple += DynamicAPInt(1);
  FloatResult result = divideIntegers(multiple * unit, DynamicAPInt(1));
  result.value = std::copysign(result.value, value);
  return result;
}

FloatResult tally::symbolic::roundToDigits(double value, int digits) {
  // No double has more digits, none is as large.
  constexpr int maxDigits = 323, minDigits = -309;
  if (!std::isfinite(value) || digits > maxDigits)
    return {value, EvalError::None};
  if (digits < minDigits)
    return {std::copysign(0.0, value), EvalError::None};
  if (digits < 0)
    return roundToZeros(value, -digits);
  llvm::SmallString<64> text;
  llvm::raw_svector_ostream(text) << llvm::format("%.*f", digits, value);
  return {std::strtod(text.c_str(), nullptr), EvalError::None};
}
