//===- Evaluate.cpp - The value of an expression --------------------------===//
//
// Python's meaning, with every undefined case as an explicit result.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"
#include "FloatValues.h"

#include "tally/Symbolic/Expr/Interval.h"

#include <cmath>

using namespace tally::symbolic;

Value Value::ofInt(DynamicAPInt value) {
  Value result;
  result.type = SymbolType::Int;
  result.integer = std::move(value);
  return result;
}

Value Value::ofBool(bool value) {
  Value result;
  result.type = SymbolType::Bool;
  result.boolean = value;
  return result;
}

Value Value::ofFloat(double value) {
  Value result;
  result.type = SymbolType::Float;
  result.real = value;
  return result;
}

bool Value::operator==(const Value &other) const {
  if (type != other.type)
    return false;
  switch (type) {
  case SymbolType::Int:
    return integer == other.integer;
  case SymbolType::Bool:
    return boolean == other.boolean;
  case SymbolType::Float:
    return real == other.real || (std::isnan(real) && std::isnan(other.real));
  }
  return false;
}

static EvalResult fail(EvalError error) { return {Value(), error}; }
static EvalResult makeInt(DynamicAPInt value) {
  if (!isReasonable(value))
    return fail(EvalError::Overflow);
  return {Value::ofInt(std::move(value)), EvalError::None};
}
static EvalResult makeBool(bool value) {
  return {Value::ofBool(value), EvalError::None};
}
static EvalResult makeFloat(double value) {
  return {Value::ofFloat(value), EvalError::None};
}
static EvalResult makeFloat(FloatResult result) {
  return result.error == EvalError::None ? makeFloat(result.value)
                                         : fail(result.error);
}

namespace {

/// Evaluates one expression; what is shared is evaluated once.
class Evaluator {
public:
  explicit Evaluator(Assignment assignment) : assignment(assignment) {}

  EvalResult visit(Expr expr);

private:
  EvalResult compute(Expr expr);
  EvalResult computeLazy(Expr expr);
  EvalResult computeInt(Expr expr, llvm::ArrayRef<Value> operands);
  EvalResult computeFloat(Expr expr, llvm::ArrayRef<Value> operands);
  EvalResult computeComparison(Expr expr, const Value &a, const Value &b);

  Assignment assignment;
  llvm::DenseMap<Expr, EvalResult> done;
};

} // namespace

EvalResult Evaluator::visit(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return {Value::ofInt(expr.getConstant()), EvalError::None};
  case ExprKind::BoolConstant:
    return makeBool(expr.isTrue());
  case ExprKind::FloatConstant:
    return makeFloat(expr.getFloat());
  case ExprKind::Symbol: {
    std::optional<Value> value = assignment(expr);
    if (!value || value->getType() != expr.getType())
      return fail(EvalError::UnboundSymbol);
    return {std::move(*value), EvalError::None};
  }
  default:
    break;
  }
  auto known = done.find(expr);
  if (known != done.end())
    return known->second;
  EvalResult result = compute(expr);
  done.insert({expr, result});
  return result;
}

EvalResult Evaluator::computeLazy(Expr expr) {
  if (expr.getKind() == ExprKind::Select) {
    EvalResult condition = visit(expr.getOperand(0));
    if (!condition.isDefined())
      return condition;
    return visit(expr.getOperand(condition.value.getBool() ? 1 : 2));
  }
  bool decisive = expr.getKind() == ExprKind::Or;
  for (Expr operand : expr.getOperands()) {
    EvalResult result = visit(operand);
    if (!result.isDefined() || result.value.getBool() == decisive)
      return result;
  }
  return makeBool(!decisive);
}

EvalResult Evaluator::compute(Expr expr) {
  ExprKind kind = expr.getKind();
  if (kind == ExprKind::Select || kind == ExprKind::And || kind == ExprKind::Or)
    return computeLazy(expr);
  llvm::SmallVector<Value, 4> operands;
  for (Expr operand : expr.getOperands()) {
    EvalResult result = visit(operand);
    if (!result.isDefined())
      return result;
    operands.push_back(std::move(result.value));
  }
  if (expr.isComparison())
    return computeComparison(expr, operands[0], operands[1]);
  if (kind == ExprKind::Not)
    return makeBool(!operands[0].getBool());
  return expr.isInt() ? computeInt(expr, operands)
                      : computeFloat(expr, operands);
}

/// A power with an exponent of any size.
static EvalResult raise(const DynamicAPInt &base,
                        const DynamicAPInt &exponent) {
  if (exponent < 0)
    return fail(EvalError::NegativeExponent);
  DynamicAPInt power = exponent;
  if (base >= -1 && base <= 1) // Only whether it is zero, and odd, matters.
    power = exponent == 0 ? exponent : 2 - exponent % 2;
  if (power > UINT32_MAX)
    return fail(EvalError::Overflow);
  std::optional<DynamicAPInt> value =
      powReasonable(base, static_cast<unsigned>(int64_t(power)));
  return value ? makeInt(*value) : fail(EvalError::Overflow);
}

EvalResult Evaluator::computeInt(Expr expr, llvm::ArrayRef<Value> operands) {
  const Value &first = operands[0];
  if (expr.getKind() == ExprKind::ToInt)
    return roundToInteger(first.getFloat(), expr.getRounding());
  if (expr.getKind() == ExprKind::Residue)
    return makeInt(DynamicAPInt(0));
  DynamicAPInt result = first.getInt();
  switch (expr.getKind()) {
  case ExprKind::Pow: {
    std::optional<DynamicAPInt> power =
        powReasonable(result, expr.getExponent());
    return power ? makeInt(*power) : fail(EvalError::Overflow);
  }
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::ExactDiv: {
    const DynamicAPInt &divisor = operands[1].getInt();
    if (divisor == 0)
      return fail(EvalError::DivisionByZero);
    if (expr.getKind() == ExprKind::Mod)
      return makeInt(pythonMod(result, divisor));
    if (expr.getKind() == ExprKind::ExactDiv && pythonMod(result, divisor) != 0)
      return fail(EvalError::InexactDivision);
    return makeInt(pythonFloorDiv(result, divisor));
  }
  case ExprKind::SymbolicPow:
    return raise(result, operands[1].getInt());
  case ExprKind::Bitwise:
    return makeInt(
        applyBitwise(expr.getBitwiseOp(), result, operands[1].getInt()));
  case ExprKind::Abs:
    return makeInt(abs(result));
  default:
    break;
  }
  for (const Value &operand : operands.drop_front()) {
    const DynamicAPInt &value = operand.getInt();
    if (expr.getKind() == ExprKind::Add)
      result += value;
    else if (expr.getKind() == ExprKind::Mul)
      result *= value;
    else if (expr.getKind() == ExprKind::Min ? value < result : value > result)
      result = value;
    if (!isReasonable(result))
      return fail(EvalError::Overflow);
  }
  return makeInt(result);
}

/// Python's `/`.
static FloatResult divide(const Value &a, const Value &b) {
  if (a.getType() == SymbolType::Int)
    return divideIntegers(a.getInt(), b.getInt());
  if (b.getFloat() == 0)
    return {0, EvalError::DivisionByZero};
  return {a.getFloat() / b.getFloat(), EvalError::None};
}

/// Python's min or max of floats.
static double getExtremum(ExprKind kind, llvm::ArrayRef<Value> operands) {
  double result = operands[0].getFloat();
  for (const Value &operand : operands.drop_front()) {
    double value = operand.getFloat();
    if (kind == ExprKind::FloatMin ? value < result : value > result)
      result = value;
  }
  return result;
}

EvalResult Evaluator::computeFloat(Expr expr, llvm::ArrayRef<Value> operands) {
  const Value &first = operands[0];
  switch (expr.getKind()) {
  case ExprKind::ToFloat:
    return makeFloat(divideIntegers(first.getInt(), DynamicAPInt(1)));
  case ExprKind::TrueDiv:
    return makeFloat(divide(first, operands[1]));
  case ExprKind::FloatNeg:
    return makeFloat(-first.getFloat());
  case ExprKind::FloatMin:
  case ExprKind::FloatMax:
    return makeFloat(getExtremum(expr.getKind(), operands));
  case ExprKind::FloatUnary:
    return makeFloat(applyFunction(expr.getFloatFunction(), first.getFloat()));
  case ExprKind::FloatPow:
    return makeFloat(raiseToPower(first.getFloat(), operands[1].getFloat()));
  case ExprKind::RoundDecimal:
    return makeFloat(roundToDigits(first.getFloat(), expr.getDigits()));
  case ExprKind::FloatAdd:
    return makeFloat(first.getFloat() + operands[1].getFloat());
  case ExprKind::FloatSub:
    return makeFloat(first.getFloat() - operands[1].getFloat());
  default:
    return makeFloat(first.getFloat() * operands[1].getFloat());
  }
}

/// Compares an integer with a float exactly; nothing for NaN.
static std::optional<int> compareExactly(const DynamicAPInt &a, double b) {
  if (std::isnan(b))
    return std::nullopt;
  if (std::isinf(b))
    return b > 0 ? -1 : 1;
  DynamicAPInt floor = roundToInteger(b, RoundingMode::Down).value.getInt();
  if (a != floor)
    return a < floor ? -1 : 1;
  return std::floor(b) < b ? -1 : 0;
}

/// The order of two values; nothing where a NaN is among them.
static std::optional<int> compareValues(const Value &a, const Value &b) {
  auto order = [](const auto &x, const auto &y) {
    return x < y ? -1 : (y < x ? 1 : 0);
  };
  if (a.getType() == SymbolType::Bool)
    return order(a.getBool(), b.getBool());
  if (a.getType() == SymbolType::Int && b.getType() == SymbolType::Int)
    return order(a.getInt(), b.getInt());
  if (a.getType() == SymbolType::Int)
    return compareExactly(a.getInt(), b.getFloat());
  if (b.getType() == SymbolType::Int) {
    std::optional<int> reversed = compareExactly(b.getInt(), a.getFloat());
    return reversed ? std::optional<int>(-*reversed) : std::nullopt;
  }
  if (std::isnan(a.getFloat()) || std::isnan(b.getFloat()))
    return std::nullopt;
  return order(a.getFloat(), b.getFloat());
}

EvalResult Evaluator::computeComparison(Expr expr, const Value &a,
                                        const Value &b) {
  std::optional<int> order = compareValues(a, b);
  switch (expr.getKind()) {
  case ExprKind::Eq:
    return makeBool(order && *order == 0);
  case ExprKind::Ne:
    return makeBool(!order || *order != 0);
  case ExprKind::Le:
    return makeBool(order && *order <= 0);
  default:
    return makeBool(order && *order < 0);
  }
}

EvalResult tally::symbolic::evaluate(Expr expr, Assignment assignment) {
  return Evaluator(assignment).visit(expr);
}

EvalResult
tally::symbolic::evaluate(Expr expr,
                          const llvm::DenseMap<Expr, Value> &assignment) {
  return evaluate(expr, [&](Expr symbol) -> std::optional<Value> {
    auto it = assignment.find(symbol);
    if (it == assignment.end())
      return std::nullopt;
    return it->second;
  });
}
