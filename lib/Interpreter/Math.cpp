//===- Math.cpp - Math functions ------------------------------------------===//
//
// MPFR computes each function to the precision of the result and rounds it
// correctly, subnormal results included.
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

#include <mpfr.h>

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

using Scalars = ArrayRef<Scalar>;
using Computed = FailureOr<Scalar>;

//===----------------------------------------------------------------------===//
// Numbers of MPFR
//===----------------------------------------------------------------------===//

namespace {

/// A number of MPFR, released with its scope.
class Number {
public:
  explicit Number(mpfr_prec_t precision) { mpfr_init2(value, precision); }
  ~Number() { mpfr_clear(value); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;

  mpfr_t value;
};

/// The range of exponents of a float type for as long as it lives, in MPFR's
/// way of counting (a mantissa in [0.5, 1)).
class ExponentRange {
public:
  explicit ExponentRange(const fltSemantics &semantics)
      : lower(mpfr_get_emin()), upper(mpfr_get_emax()) {
    int precision = static_cast<int>(APFloat::semanticsPrecision(semantics));
    // The exponent of the least subnormal number.
    mpfr_set_emin(APFloat::semanticsMinExponent(semantics) - precision + 2);
    mpfr_set_emax(APFloat::semanticsMaxExponent(semantics) + 1);
  }
  ~ExponentRange() {
    mpfr_set_emin(lower);
    mpfr_set_emax(upper);
  }
  ExponentRange(const ExponentRange &) = delete;
  ExponentRange &operator=(const ExponentRange &) = delete;

private:
  mpfr_exp_t lower, upper;
};

} // namespace

/// The widest float that MPFR takes without loss through a double.
static bool isAtMostDouble(mlir::Type type) {
  auto real = dyn_cast<FloatType>(type);
  return real && APFloat::isRepresentableBy(real.getFloatSemantics(),
                                            APFloat::IEEEdouble());
}

static double toDouble(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// Computes a function of floats of one type. `compute` returns what MPFR's
/// functions return: the direction in which the result was rounded.
static Computed
evaluate(Operation *op, ArrayRef<APFloat> operands, Execution &execution,
         llvm::function_ref<int(mpfr_t, ArrayRef<const Number *>)> compute) {
  mlir::Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isAtMostDouble(type))
    return execution.unsupported(op, "the interpreter has no functions of "
                                     "floats wider than f64");
  const fltSemantics &semantics = cast<FloatType>(type).getFloatSemantics();
  mpfr_prec_t precision = APFloat::semanticsPrecision(semantics);
  std::vector<std::unique_ptr<Number>> numbers;
  SmallVector<const Number *> pointers;
  for (const APFloat &operand : operands) {
    constexpr mpfr_prec_t doublePrecision = 53;
    numbers.push_back(std::make_unique<Number>(doublePrecision));
    mpfr_set_d(numbers.back()->value, toDouble(operand), MPFR_RNDN);
    pointers.push_back(numbers.back().get());
  }
  Number result(precision);
  {
    ExponentRange range(semantics);
    int direction = compute(result.value, pointers);
    mpfr_subnormalize(result.value, direction, MPFR_RNDN);
  }
  APFloat value(mpfr_get_d(result.value, MPFR_RNDN));
  bool losesInfo = false;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return Scalar(value);
}

static APFloat getOperand(Operation *op, Scalars s, unsigned index) {
  return s[index].getFloat(
      getElementTypeOrSelf(op->getOperand(index).getType()));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// A function of one float that MPFR has.
template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
static Computed unary(Operation *op, Scalars s, Execution &execution) {
  return evaluate(op, {getOperand(op, s, 0)}, execution,
                  [](mpfr_t result, ArrayRef<const Number *> x) {
                    return function(result, x[0]->value, MPFR_RNDN);
                  });
}

/// A function of two floats that MPFR has.
template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
static Computed binary(Operation *op, Scalars s, Execution &execution) {
  return evaluate(op, {getOperand(op, s, 0), getOperand(op, s, 1)}, execution,
                  [](mpfr_t result, ArrayRef<const Number *> x) {
                    return function(result, x[0]->value, x[1]->value,
                                    MPFR_RNDN);
                  });
}

/// 1 / sqrt(x); that of -0 is -inf, as IEEE 754 has it.
static Computed rsqrt(Operation *op, Scalars s, Execution &execution) {
  APFloat operand = getOperand(op, s, 0);
  if (operand.isNegZero())
    return Scalar(APFloat::getInf(operand.getSemantics(), /*Negative=*/true));
  return unary<mpfr_rec_sqrt>(op, s, execution);
}

/// The exponent is an integer of any width.
static Computed powerOfInteger(Operation *op, Scalars s, Execution &execution) {
  const APInt &exponent = s[1].getBits();
  SmallString<32> digits;
  exponent.toStringSigned(digits);
  Number power(exponent.getBitWidth() + 1);
  mpfr_set_str(power.value, digits.c_str(), /*base=*/10, MPFR_RNDN);
  return evaluate(op, {getOperand(op, s, 0)}, execution,
                  [&](mpfr_t result, ArrayRef<const Number *> x) {
                    return mpfr_pow(result, x[0]->value, power.value,
                                    MPFR_RNDN);
                  });
}

static LogicalResult runSinCos(math::SincosOp op, Execution &execution) {
  if (isa<TensorType>(op.getSin().getType()))
    return execution.unsupported(
        op, "the interpreter knows 'math.sincos' of scalars only");
  const Scalar &operand = execution.getScalar(op.getOperand());
  if (operand.isPoison()) {
    execution.set(op.getSin(), Scalar::ofPoison());
    execution.set(op.getCos(), Scalar::ofPoison());
    return success();
  }
  Scalar copy = operand;
  Computed sine = unary<mpfr_sin>(op, copy, execution),
           cosine = unary<mpfr_cos>(op, copy, execution);
  if (failed(sine) || failed(cosine))
    return failure();
  execution.set(op.getSin(), *sine);
  execution.set(op.getCos(), *cosine);
  return success();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Computed absI(Operation *, Scalars s, Execution &) {
  return Scalar(s[0].getBits().abs());
}

template <unsigned (APInt::*count)() const>
static Computed countBits(Operation *, Scalars s, Execution &) {
  const APInt &bits = s[0].getBits();
  return Scalar(APInt(bits.getBitWidth(), (bits.*count)(), /*isSigned=*/false,
                      /*implicitTrunc=*/true));
}

/// Wraps around; a negative power is 1 / x ** n, rounded towards zero.
static Computed powerI(Operation *op, Scalars s, Execution &execution) {
  APInt base = s[0].getBits(), exponent = s[1].getBits();
  unsigned width = base.getBitWidth();
  APInt result(width, 1);
  if (exponent.isNegative()) {
    if (base.isZero())
      return execution.makePoison(op, "a negative power of 0");
    if (base.isAllOnes())
      return Scalar(exponent[0] ? base : result);
    return Scalar(base.isOne() ? base : APInt::getZero(width));
  }
  for (; !exponent.isZero(); exponent.lshrInPlace(1)) {
    if (exponent[0])
      result *= base;
    base *= base;
  }
  return Scalar(result);
}

void tally::interpreter::registerMath(HandlerTable &table) {
  addElementwise<math::AcosOp>(table, unary<mpfr_acos>);
  addElementwise<math::AcoshOp>(table, unary<mpfr_acosh>);
  addElementwise<math::AsinOp>(table, unary<mpfr_asin>);
  addElementwise<math::AsinhOp>(table, unary<mpfr_asinh>);
  addElementwise<math::AtanOp>(table, unary<mpfr_atan>);
  addElementwise<math::AtanhOp>(table, unary<mpfr_atanh>);
  addElementwise<math::Atan2Op>(table, binary<mpfr_atan2>);
  addElementwise<math::CbrtOp>(table, unary<mpfr_cbrt>);
  addElementwise<math::CosOp>(table, unary<mpfr_cos>);
  addElementwise<math::CoshOp>(table, unary<mpfr_cosh>);
  addElementwise<math::ErfOp>(table, unary<mpfr_erf>);
  addElementwise<math::ErfcOp>(table, unary<mpfr_erfc>);
  addElementwise<math::ExpOp>(table, unary<mpfr_exp>);
  addElementwise<math::Exp2Op>(table, unary<mpfr_exp2>);
  addElementwise<math::ExpM1Op>(table, unary<mpfr_expm1>);
  addElementwise<math::LogOp>(table, unary<mpfr_log>);
  addElementwise<math::Log10Op>(table, unary<mpfr_log10>);
  addElementwise<math::Log1pOp>(table, unary<mpfr_log1p>);
  addElementwise<math::Log2Op>(table, unary<mpfr_log2>);
  addElementwise<math::PowFOp>(table, binary<mpfr_pow>);
  addElementwise<math::FPowIOp>(table, powerOfInteger);
  addElementwise<math::RsqrtOp>(table, rsqrt);
  addElementwise<math::SinOp>(table, unary<mpfr_sin>);
  addElementwise<math::SinhOp>(table, unary<mpfr_sinh>);
  addElementwise<math::SqrtOp>(table, unary<mpfr_sqrt>);
  addElementwise<math::TanOp>(table, unary<mpfr_tan>);
  addElementwise<math::TanhOp>(table, unary<mpfr_tanh>);
  addHandler<math::SincosOp>(table, runSinCos);
  addElementwise<math::AbsIOp>(table, absI);
  addElementwise<math::CountLeadingZerosOp>(table,
                                            countBits<&APInt::countl_zero>);
  addElementwise<math::CountTrailingZerosOp>(table,
                                             countBits<&APInt::countr_zero>);
  addElementwise<math::CtPopOp>(table, countBits<&APInt::popcount>);
  addElementwise<math::IPowIOp>(table, powerI);
}
