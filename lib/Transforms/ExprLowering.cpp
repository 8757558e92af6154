//===- ExprLowering.cpp - Arithmetic for expressions ----------------------===//

#include "tally/Transforms/ExprLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tally/Symbolic/Prover.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tally;
using llvm::DynamicAPInt;
using symbolic::Expr;
using symbolic::ExprContext;
using symbolic::ExprKind;
using symbolic::Interval;
using symbolic::Term;

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

/// Bits that hold the number as a signed one.
static unsigned getSignedWidth(const DynamicAPInt &value) {
  unsigned bits = 2;
  for (DynamicAPInt rest = llvm::abs(value); rest > 0;
       rest = llvm::floorDiv(rest, DynamicAPInt(2)))
    ++bits;
  return bits;
}

/// Whether an integer is known to be in a range with two ends; knows bounds of
/// products and sums that facts state.
bool ExprLowering::isProvenIn(Expr expr, const Interval &range) {
  if (range.contains(facts.range(expr)))
    return true;
  if (expr.isSymbol() || expr.isConstant())
    return false;
  ExprContext &context = facts.getContext();
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  symbolic::Prover prover(facts, budget);
  return prover.isProvenLe(expr, context.constant(*range.getUpper())) &&
         prover.isProvenLe(context.constant(*range.getLower()), expr);
}

/// Bits that hold every value of the expression as a signed number, at
/// least 64. Every symbol is a 64-bit value.
unsigned ExprLowering::getWidth(Expr expr) {
  if (auto it = widths.find(expr); it != widths.end())
    return it->second;
  Interval in64 = Interval::of(std::numeric_limits<int64_t>::min(),
                               std::numeric_limits<int64_t>::max());
  unsigned width =
      isProvenIn(expr, in64) ? 64 : std::max(64u, getNodeWidth(expr));
  widths[expr] = width;
  return width;
}

unsigned ExprLowering::getNodeWidth(Expr expr) {
  if (expr.isSymbol())
    return 64;
  if (expr.isConstant())
    return getSignedWidth(expr.getConstant());
  unsigned widest = 0, total = 0;
  for (Expr operand : expr.getOperands()) {
    if (!operand.isInt())
      continue;
    widest = std::max(widest, getWidth(operand));
    total += operand.isConstant() ? getSignedWidth(operand.getConstant())
                                  : getWidth(operand);
  }
  switch (expr.getKind()) {
  case ExprKind::Add:
    return widest + llvm::Log2_64_Ceil(expr.getOperands().size()) + 1;
  case ExprKind::Mul:
    return total;
  case ExprKind::Pow:
    return widest * expr.getExponent();
  default:
    return widest + 1;
  }
}

/// The narrowest type in which all of the expressions, and everything that they
/// are computed from, are exact.
Type ExprLowering::getIntType(ArrayRef<Expr> exprs) {
  unsigned width = 64;
  SmallVector<Expr> worklist(exprs);
  while (!worklist.empty()) {
    Expr expr = worklist.pop_back_val();
    if (!expr.isInt())
      continue;
    width = std::max(width, getWidth(expr));
    llvm::append_range(worklist, expr.getOperands());
  }
  if (width == 64)
    return builder.getIndexType();
  return builder.getIntegerType(llvm::alignTo(width, 64));
}

bool ExprLowering::fits(Expr expr) { return getWidth(expr) == 64; }

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

Value ExprLowering::constant(const DynamicAPInt &value, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  SmallString<32> digits;
  llvm::raw_svector_ostream(digits) << value;
  bool negative = digits.starts_with("-");
  APInt bits(width, StringRef(digits).drop_front(negative), /*radix=*/10);
  if (negative)
    bits.negate();
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, bits));
}

Value ExprLowering::conjunction(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc, a, b);
}

Value ExprLowering::negation(Value value) {
  Value yes = arith::ConstantIntOp::create(builder, loc, 1, 1);
  return arith::XOrIOp::create(builder, loc, value, yes);
}

/// Where `premise` holds, `conclusion` must; null for what is always so.
Value ExprLowering::implication(Value premise, Value conclusion) {
  if (!conclusion)
    return {};
  return arith::OrIOp::create(builder, loc, negation(premise), conclusion);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

ExprLowering::Built ExprLowering::buildInt(Expr expr, Type type) {
  auto key = std::make_pair(expr, type);
  if (auto it = built.find(key); it != built.end())
    return it->second;
  Built result = buildIntNode(expr, type);
  built[key] = result;
  return result;
}

/// The value of a symbol in the type of the computation.
Value ExprLowering::convert(Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  if (from.isIndex())
    value =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

/// A sum of terms; negative coefficients are subtracted.
ExprLowering::Built ExprLowering::buildSum(Expr expr, Type type) {
  ExprContext &context = facts.getContext();
  Built sum;
  auto addTerm = [&](Built term, bool subtract) {
    sum.defined = conjunction(sum.defined, term.defined);
    if (!sum.value)
      sum.value = subtract
                      ? arith::SubIOp::create(builder, loc,
                                              constant(DynamicAPInt(0), type),
                                              term.value)
                            .getResult()
                      : term.value;
    else if (subtract)
      sum.value = arith::SubIOp::create(builder, loc, sum.value, term.value);
    else
      sum.value = arith::AddIOp::create(builder, loc, sum.value, term.value);
  };
  SmallVector<Term, 4> terms = getTerms(expr, context);
  // What is added comes first: 'n - 1' rather than '-1 + n'.
  for (bool subtract : {false, true})
    for (const Term &term : terms)
      if ((term.coefficient < 0) == subtract)
        addTerm(
            buildInt(context.scale(llvm::abs(term.coefficient), term.monomial),
                     type),
            subtract);
  return sum;
}

/// Floor division and modulo with the sign of the divisor, and exact division.
ExprLowering::Built ExprLowering::buildDivision(Expr expr, Type type) {
  Expr dividend = expr.getOperand(0), divisor = expr.getOperand(1);
  Built a = buildInt(dividend, type), b = buildInt(divisor, type);
  Built result{{}, conjunction(a.defined, b.defined)};
  Interval divisorRange = facts.range(divisor);
  if (divisorRange.contains(DynamicAPInt(0))) {
    Value zero = constant(DynamicAPInt(0), type);
    Value one = constant(DynamicAPInt(1), type);
    Value isNonzero = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, b.value, zero);
    result.defined = conjunction(result.defined, isNonzero);
    // Divides by something whatever the divisor is.
    b.value =
        divisorRange.isAtLeast(0)
            ? arith::MaxSIOp::create(builder, loc, b.value, one).getResult()
            : arith::SelectOp::create(builder, loc, isNonzero, b.value, one)
                  .getResult();
  }
  bool isNatural =
      facts.range(dividend).isAtLeast(0) && divisorRange.isAtLeast(0);
  if (expr.getKind() == ExprKind::Mod && isNatural) {
    result.value = arith::RemUIOp::create(builder, loc, a.value, b.value);
    return result;
  }
  Value quotient =
      isNatural
          ? arith::DivUIOp::create(builder, loc, a.value, b.value).getResult()
          : arith::FloorDivSIOp::create(builder, loc, a.value, b.value)
                .getResult();
  if (expr.getKind() == ExprKind::FloorDiv) {
    result.value = quotient;
    return result;
  }
  Value product = arith::MulIOp::create(builder, loc, quotient, b.value);
  if (expr.getKind() == ExprKind::Mod) {
    result.value = arith::SubIOp::create(builder, loc, a.value, product);
    return result;
  }
  Value isExact = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        product, a.value);
  result.value = quotient;
  result.defined = conjunction(result.defined, isExact);
  return result;
}

ExprLowering::Built ExprLowering::buildSelect(Expr expr, Type type) {
  Built condition = buildBool(expr.getOperand(0));
  Built a = buildAny(expr.getOperand(1), type);
  Built b = buildAny(expr.getOperand(2), type);
  Value defined = condition.defined;
  defined = conjunction(defined, implication(condition.value, a.defined));
  if (b.defined)
    defined =
        conjunction(defined, arith::OrIOp::create(builder, loc, condition.value,
                                                  b.defined));
  Value value =
      arith::SelectOp::create(builder, loc, condition.value, a.value, b.value);
  return {value, defined};
}

ExprLowering::Built ExprLowering::buildIntNode(Expr expr, Type type) {
  /// Folds the operands with a binary operation.
  auto fold = [&](ArrayRef<Expr> operands, auto combine) -> Built {
    Built result = buildInt(operands.front(), type);
    for (Expr operand : operands.drop_front()) {
      Built next = buildInt(operand, type);
      result.value = combine(result.value, next.value);
      result.defined = conjunction(result.defined, next.defined);
    }
    return result;
  };
  auto multiply = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(builder, loc, a, b);
  };
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return {constant(expr.getConstant(), type), {}};
  case ExprKind::Symbol:
    return {convert(valueOf(expr), type), {}};
  case ExprKind::Add:
    return buildSum(expr, type);
  case ExprKind::Mul: {
    // The constant comes last: 's0 * 2'.
    SmallVector<Expr> operands(expr.getOperands());
    if (operands.front().isConstant())
      std::rotate(operands.begin(), operands.begin() + 1, operands.end());
    return fold(operands, multiply);
  }
  case ExprKind::Pow:
    return fold(SmallVector<Expr>(expr.getExponent(), expr.getOperand(0)),
                multiply);
  case ExprKind::FloorDiv:
  case ExprKind::Mod:
  case ExprKind::ExactDiv:
    return buildDivision(expr, type);
  case ExprKind::Min:
    return fold(expr.getOperands(), [&](Value a, Value b) -> Value {
      return arith::MinSIOp::create(builder, loc, a, b);
    });
  case ExprKind::Max:
    return fold(expr.getOperands(), [&](Value a, Value b) -> Value {
      return arith::MaxSIOp::create(builder, loc, a, b);
    });
  case ExprKind::Abs: {
    Built a = buildInt(expr.getOperand(0), type);
    return {math::AbsIOp::create(builder, loc, a.value), a.defined};
  }
  case ExprKind::Select:
    return buildSelect(expr, type);
  case ExprKind::Residue: {
    Built a = buildAny(expr.getOperand(0), type);
    return {constant(DynamicAPInt(0), type), a.defined};
  }
  case ExprKind::ToInt: {
    Built a = buildFloat(expr.getOperand(0));
    Value value =
        arith::FPToSIOp::create(builder, loc, builder.getI64Type(), a.value);
    return {arith::IndexCastOp::create(builder, loc, type, value), a.defined};
  }
  default:
    llvm_unreachable("not an integer expression");
  }
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

ExprLowering::Built ExprLowering::buildBool(Expr expr) {
  auto key = std::make_pair(expr, Type(builder.getI1Type()));
  if (auto it = built.find(key); it != built.end())
    return it->second;
  Built result = buildBoolNode(expr);
  built[key] = result;
  return result;
}

ExprLowering::Built ExprLowering::buildComparison(Expr expr) {
  Expr lhs = expr.getOperand(0), rhs = expr.getOperand(1);
  ExprKind kind = expr.getKind();
  if (lhs.isFloat() || rhs.isFloat()) {
    auto predicate = kind == ExprKind::Eq   ? arith::CmpFPredicate::OEQ
                     : kind == ExprKind::Ne ? arith::CmpFPredicate::UNE
                     : kind == ExprKind::Le ? arith::CmpFPredicate::OLE
                                            : arith::CmpFPredicate::OLT;
    Built a = buildFloat(lhs), b = buildFloat(rhs);
    return {arith::CmpFOp::create(builder, loc, predicate, a.value, b.value),
            conjunction(a.defined, b.defined)};
  }
  auto predicate = kind == ExprKind::Eq   ? arith::CmpIPredicate::eq
                   : kind == ExprKind::Ne ? arith::CmpIPredicate::ne
                   : kind == ExprKind::Le ? arith::CmpIPredicate::sle
                                          : arith::CmpIPredicate::slt;
  Type type = lhs.isBool() ? builder.getI1Type() : getIntType({lhs, rhs});
  Built a = buildAny(lhs, type), b = buildAny(rhs, type);
  return {arith::CmpIOp::create(builder, loc, predicate, a.value, b.value),
          conjunction(a.defined, b.defined)};
}

ExprLowering::Built ExprLowering::buildBoolNode(Expr expr) {
  switch (expr.getKind()) {
  case ExprKind::BoolConstant:
    return {arith::ConstantIntOp::create(builder, loc, expr.isTrue(), 1), {}};
  case ExprKind::Symbol:
    return {valueOf(expr), {}};
  case ExprKind::Not: {
    Built a = buildBool(expr.getOperand(0));
    return {negation(a.value), a.defined};
  }
  case ExprKind::Select:
    return buildSelect(expr, builder.getI1Type());
  case ExprKind::And:
  case ExprKind::Or: {
    bool isAnd = expr.getKind() == ExprKind::And;
    Built result = buildBool(expr.getOperand(0));
    for (Expr operand : expr.getOperands().drop_front()) {
      Built next = buildBool(operand);
      // The operand counts only where the ones before do not decide.
      if (next.defined)
        result.defined =
            conjunction(result.defined,
                        isAnd ? implication(result.value, next.defined)
                              : arith::OrIOp::create(builder, loc, result.value,
                                                     next.defined)
                                    .getResult());
      result.value =
          isAnd ? arith::AndIOp::create(builder, loc, result.value, next.value)
                      .getResult()
                : arith::OrIOp::create(builder, loc, result.value, next.value)
                      .getResult();
    }
    return result;
  }
  default:
    return buildComparison(expr);
  }
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

ExprLowering::Built ExprLowering::buildFloat(Expr expr) {
  FloatType f64 = builder.getF64Type();
  if (!expr.isFloat()) {
    Built a = buildInt(expr, getIntType({expr}));
    Value value = a.value;
    if (value.getType().isIndex())
      value =
          arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return {arith::SIToFPOp::create(builder, loc, f64, value), a.defined};
  }
  auto binary = [&](auto create) -> Built {
    Built a = buildFloat(expr.getOperand(0)),
          b = buildFloat(expr.getOperand(1));
    return {create(a.value, b.value), conjunction(a.defined, b.defined)};
  };
  switch (expr.getKind()) {
  case ExprKind::FloatConstant:
    return {arith::ConstantOp::create(builder, loc,
                                      builder.getF64FloatAttr(expr.getFloat())),
            {}};
  case ExprKind::Symbol:
    return {valueOf(expr), {}};
  case ExprKind::ToFloat:
    return buildFloat(expr.getOperand(0));
  case ExprKind::FloatAdd:
    return binary([&](Value a, Value b) -> Value {
      return arith::AddFOp::create(builder, loc, a, b);
    });
  case ExprKind::FloatSub:
    return binary([&](Value a, Value b) -> Value {
      return arith::SubFOp::create(builder, loc, a, b);
    });
  case ExprKind::FloatMul:
    return binary([&](Value a, Value b) -> Value {
      return arith::MulFOp::create(builder, loc, a, b);
    });
  case ExprKind::TrueDiv: {
    Built a = buildFloat(expr.getOperand(0)),
          b = buildFloat(expr.getOperand(1));
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
    Value isNonzero = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UNE, b.value, zero);
    return {arith::DivFOp::create(builder, loc, a.value, b.value),
            conjunction(conjunction(a.defined, b.defined), isNonzero)};
  }
  case ExprKind::FloatNeg: {
    Built a = buildFloat(expr.getOperand(0));
    return {arith::NegFOp::create(builder, loc, a.value), a.defined};
  }
  case ExprKind::FloatSqrt: {
    Built a = buildFloat(expr.getOperand(0));
    return {math::SqrtOp::create(builder, loc, a.value), a.defined};
  }
  case ExprKind::Select:
    return buildSelect(expr, f64);
  default:
    llvm_unreachable("not a float expression");
  }
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

ExprLowering::Built ExprLowering::buildAny(Expr expr, Type type) {
  if (type.isInteger(1))
    return buildBool(expr);
  if (isa<FloatType>(type))
    return buildFloat(expr);
  return buildInt(expr, type);
}

Value ExprLowering::build(Expr expr) {
  if (expr.isBool())
    return buildBool(expr).value;
  if (expr.isFloat())
    return buildFloat(expr).value;
  Type type = getIntType({expr});
  Value value = buildInt(expr, type).value;
  if (type.isIndex())
    return value;
  Value narrow =
      arith::TruncIOp::create(builder, loc, builder.getI64Type(), value);
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    narrow);
}

Value ExprLowering::buildCondition(Expr condition) {
  Built result = buildBool(condition);
  return conjunction(result.value, result.defined);
}
