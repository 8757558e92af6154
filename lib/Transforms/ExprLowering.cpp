//===- ExprLowering.cpp - Arithmetic for expressions ----------------------===//

#include "tally/Transforms/ExprLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "llvm/ADT/DenseSet.h"
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
  case ExprKind::ToInt:
  case ExprKind::SymbolicPow: // What does not fit counts as undefined.
    return 64;
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

/// The low 64 bits of a value in the type of the computation.
Value ExprLowering::narrow(Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  if (value.getType() == i64)
    return value;
  return arith::TruncIOp::create(builder, loc, i64, value);
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
  // Added terms come first: 'n - 1' rather than '-1 + n'.
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

/// Zero, which is defined where the operand is.
ExprLowering::Built ExprLowering::buildResidue(Expr expr, Type type) {
  Expr operand = expr.getOperand(0);
  Type operandType = operand.isFloat()  ? builder.getF64Type()
                     : operand.isBool() ? builder.getI1Type()
                                        : type;
  Built a = buildAny(operand, operandType);
  return {constant(DynamicAPInt(0), type), a.defined};
}

Value ExprLowering::createBitwise(symbolic::BitwiseOp op, Value a, Value b) {
  switch (op) {
  case symbolic::BitwiseOp::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case symbolic::BitwiseOp::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  case symbolic::BitwiseOp::Xor:
    return arith::XOrIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("unknown bitwise operation");
}

/// The factors of a product or a power. The constant comes last: 's0 *
/// 2'.
static SmallVector<Expr> getMultiplied(Expr expr) {
  if (expr.getKind() == ExprKind::Pow)
    return SmallVector<Expr>(expr.getExponent(), expr.getOperand(0));
  SmallVector<Expr> factors(expr.getOperands());
  if (factors.front().isConstant())
    std::rotate(factors.begin(), factors.begin() + 1, factors.end());
  return factors;
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
  switch (expr.getKind()) {
  case ExprKind::Constant:
    return {constant(expr.getConstant(), type), {}};
  case ExprKind::Symbol:
    return {convert(valueOf(expr), type), {}};
  case ExprKind::Add:
    return buildSum(expr, type);
  case ExprKind::Mul:
  case ExprKind::Pow:
    return fold(getMultiplied(expr), [&](Value a, Value b) -> Value {
      return arith::MulIOp::create(builder, loc, a, b);
    });
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
  case ExprKind::Residue:
    return buildResidue(expr, type);
  case ExprKind::ToInt:
    return buildRounding(expr, type);
  case ExprKind::SymbolicPow:
    return buildPower(expr, type);
  case ExprKind::Bitwise:
    return fold(expr.getOperands(), [&](Value a, Value b) {
      return createBitwise(expr.getBitwiseOp(), a, b);
    });
  default:
    llvm_unreachable("not an integer expression");
  }
}

/// a ** b by squaring, in 64 bits. Undefined are exponents below zero, and
/// powers of more bits.
ExprLowering::Built ExprLowering::buildPower(Expr expr, Type type) {
  Type i64 = builder.getI64Type();
  Built base = buildInt(expr.getOperand(0), type),
        exponent = buildInt(expr.getOperand(1), type);
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  auto literal = [&](int64_t value) {
    return constant(DynamicAPInt(value), i64);
  };
  Value b = narrow(exponent.value), square = narrow(base.value);
  if (!type.isIndex())
    for (auto [value, low] :
         {std::pair(base.value, square), std::pair(exponent.value, b)})
      base.defined =
          conjunction(base.defined, compare(arith::CmpIPredicate::eq,
                                            convert(low, type), value));
  // From 64 on only -1, 0 and 1 have powers, which repeat: see 62 and 63.
  Value isUnit = compare(
      arith::CmpIPredicate::ule,
      arith::AddIOp::create(builder, loc, square, literal(1)), literal(2));
  Value isSmall = compare(arith::CmpIPredicate::ult, b, literal(64));
  Value isNatural = compare(arith::CmpIPredicate::sge, b, literal(0));
  Value fits = arith::OrIOp::create(builder, loc, isSmall, isUnit);
  Value defined =
      conjunction(conjunction(base.defined, exponent.defined),
                  arith::AndIOp::create(builder, loc, isNatural, fits));
  Value last = arith::OrIOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, b, literal(1)),
      literal(62));
  Value bits = arith::SelectOp::create(builder, loc, isSmall, b, last);
  // The product, and whether it fits.
  auto multiply = [&](Value x, Value y) -> std::pair<Value, Value> {
    auto product = arith::MulSIExtendedOp::create(builder, loc, x, y);
    Value sign =
        arith::ShRSIOp::create(builder, loc, product.getLow(), literal(63));
    return {product.getLow(),
            compare(arith::CmpIPredicate::eq, product.getHigh(), sign)};
  };
  Value result = literal(1), squareFits;
  for (unsigned bit = 0; bit != 6; ++bit) {
    if (bit != 0) {
      auto [next, nextFits] = multiply(square, square);
      square = next;
      squareFits = conjunction(squareFits, nextFits);
    }
    Value mask = literal(int64_t(1) << bit);
    Value isSet =
        compare(arith::CmpIPredicate::ne,
                arith::AndIOp::create(builder, loc, bits, mask), literal(0));
    auto [product, productFits] = multiply(result, square);
    defined = conjunction(
        defined, implication(isSet, conjunction(squareFits, productFits)));
    result = arith::SelectOp::create(builder, loc, isSet, product, result);
  }
  return {convert(result, type), defined};
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
    Built a = buildExactFloat(lhs), b = buildExactFloat(rhs);
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
// Entry points
//===----------------------------------------------------------------------===//

ExprLowering::Built ExprLowering::buildAny(Expr expr, Type type) {
  if (type.isInteger(1))
    return buildBool(expr);
  if (isa<FloatType>(type))
    return buildFloat(expr);
  return buildInt(expr, type);
}

Expr ExprLowering::findUnsupported(Expr expr) {
  SmallVector<Expr> worklist{expr};
  llvm::DenseSet<Expr> seen;
  while (!worklist.empty()) {
    Expr next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (next.getKind() == ExprKind::RoundDecimal)
      return next;
    llvm::append_range(worklist, next.getOperands());
  }
  return {};
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
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    narrow(value));
}

Value ExprLowering::buildCondition(Expr condition) {
  Built result = buildBool(condition);
  return conjunction(result.value, result.defined);
}
