//===- SyntaxBuilder.cpp - Trees to expressions ---------------------------===//
//
// Gives operators and functions their meaning and checks the types of their
// operands.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"
#include "WrittenExprs.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

const StringRef tally::symbolic::kTooDeep =
    "the expression is nested too deeply";
const StringRef tally::symbolic::kExpectedBoolean =
    "expected a boolean, found a number";

/// How deep an expression may be, and how many operations other than products
/// a chain may have: they make deep expressions, or enormous literals, out of
/// flat text.
static constexpr unsigned kMaxDepth = 1024;

std::nullptr_t SyntaxError::set(size_t at, const Twine &text) {
  if (failed)
    return nullptr;
  failed = true;
  offset = at;
  message = text.str();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

template <typename Context>
bool SyntaxBuilder<Context>::expectNumber(Expr expr, size_t at) {
  if (!expr.isBool())
    return true;
  error.set(at, "expected a number, found a boolean");
  return false;
}

template <typename Context>
bool SyntaxBuilder<Context>::expectInt(Expr expr, size_t at) {
  if (expr.isInt())
    return true;
  error.set(at, Twine("expected an integer, found a ") +
                    (expr.isBool() ? "boolean" : "float"));
  return false;
}

template <typename Context>
bool SyntaxBuilder<Context>::expectBool(Expr expr, size_t at) {
  if (expr.isBool())
    return true;
  error.set(at, kExpectedBoolean);
  return false;
}

template <typename Context>
Expr SyntaxBuilder<Context>::checkDepth(Expr expr, size_t at) {
  if (expr && expr.getDepth() > kMaxDepth)
    return Expr(error.set(at, kTooDeep));
  return expr;
}

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

template <typename Context>
Expr SyntaxBuilder<Context>::buildLogical(const Syntax &syntax) {
  SmallVector<Expr, 4> operands;
  for (const Syntax *operand : syntax.operands) {
    operands.push_back(build(*operand));
    if (!operands.back() || !expectBool(operands.back(), operand->offset))
      return Expr();
  }
  return syntax.kind == SyntaxKind::And ? context.logicalAnd(operands)
                                        : context.logicalOr(operands);
}

template <typename Context>
Expr SyntaxBuilder<Context>::applyComparison(Token op, Expr a, Expr b,
                                             size_t at) {
  bool isEquality = op == Token::Eq || op == Token::Ne;
  if (a.isBool() != b.isBool() || (a.isBool() && !isEquality))
    return Expr(error.set(at, "cannot compare these: one is a boolean"));
  switch (op) {
  case Token::Eq:
    return context.eq(a, b);
  case Token::Ne:
    return context.ne(a, b);
  case Token::Lt:
    return context.lt(a, b);
  case Token::Le:
    return context.le(a, b);
  case Token::Gt:
    return context.gt(a, b);
  default:
    return context.ge(a, b);
  }
}

template <typename Context>
Expr SyntaxBuilder<Context>::buildComparison(const Syntax &syntax) {
  Expr left = build(*syntax.operands[0]);
  SmallVector<Expr, 2> links;
  for (unsigned i = 0; left && i != syntax.operators.size(); ++i) {
    Expr right = build(*syntax.operands[i + 1]);
    if (!right)
      return Expr();
    links.push_back(applyOperator(syntax, i, left, right));
    if (!links.back())
      return Expr();
    left = right;
  }
  return left ? context.logicalAnd(links) : Expr();
}

template <typename Context>
Expr SyntaxBuilder<Context>::applyShift(const Syntax &syntax, unsigned index,
                                        Expr a, Expr amount) {
  if (!expectInt(a, syntax.operands[index]->offset))
    return Expr();
  if (!expectInt(amount, syntax.operands[index + 1]->offset))
    return Expr();
  return syntax.operators[index].token == Token::Shl
             ? context.shiftLeft(a, amount)
             : context.shiftRight(a, amount);
}

template <typename Context>
Expr SyntaxBuilder<Context>::buildSum(const Syntax &syntax) {
  Expr first = build(*syntax.operands[0]);
  if (!first || !expectNumber(first, syntax.operands[0]->offset))
    return Expr();
  // Long sums of integers are added up at once.
  SmallVector<Expr, 8> terms{first};
  for (auto [i, op] : llvm::enumerate(syntax.operators)) {
    const Syntax &operand = *syntax.operands[i + 1];
    Expr term = build(operand);
    if (!term || !expectNumber(term, operand.offset))
      return Expr();
    if (term.isInt() && terms.back().isInt()) {
      terms.push_back(op.token == Token::Minus ? context.neg(term) : term);
      continue;
    }
    Expr sum = context.sum(terms);
    terms.assign(1, checkDepth(applyOperator(syntax, i, sum, term), op.offset));
    if (!terms.back())
      return Expr();
  }
  return context.sum(terms);
}

template <typename Context>
Expr SyntaxBuilder<Context>::applyProduct(const Syntax &syntax, unsigned index,
                                          Expr a, Expr b) {
  size_t atA = syntax.operands[index]->offset;
  size_t atB = syntax.operands[index + 1]->offset;
  if (!expectNumber(a, atA) || !expectNumber(b, atB))
    return Expr();
  Token op = syntax.operators[index].token;
  if (op == Token::Star)
    return context.mul(a, b);
  if (op == Token::Slash)
    return context.trueDiv(a, b);
  if (!expectInt(a, atA) || !expectInt(b, atB))
    return Expr();
  if (op == Token::FloorDiv)
    return context.floorDiv(a, b);
  return op == Token::CeilDiv ? context.ceilDiv(a, b) : context.mod(a, b);
}

template <typename Context>
Expr SyntaxBuilder<Context>::applyOperator(const Syntax &syntax, unsigned index,
                                           Expr a, Expr b) {
  const Syntax::Operator &op = syntax.operators[index];
  switch (syntax.kind) {
  case SyntaxKind::Comparison:
    return applyComparison(op.token, a, b, op.offset);
  case SyntaxKind::Shift:
    return applyShift(syntax, index, a, b);
  case SyntaxKind::Sum:
    if (!expectNumber(a, syntax.operands[index]->offset) ||
        !expectNumber(b, syntax.operands[index + 1]->offset))
      return Expr();
    return op.token == Token::Minus ? context.sub(a, b) : context.add(a, b);
  default:
    return applyProduct(syntax, index, a, b);
  }
}

//===----------------------------------------------------------------------===//
// Powers and functions
//===----------------------------------------------------------------------===//

template <typename Context>
Expr SyntaxBuilder<Context>::applyPower(const Syntax &syntax, Expr base) {
  Expr exponent = build(*syntax.operands[1]);
  if (!exponent || !expectInt(base, syntax.operands[0]->offset))
    return Expr();
  std::optional<int64_t> value =
      exponent.isInt() ? exponent.getInt64() : std::nullopt;
  if (!value || *value < 0 || *value > std::numeric_limits<uint32_t>::max())
    return Expr(error.set(syntax.operands[1]->offset,
                          "the exponent must be a literal natural number"));
  return context.pow(base, static_cast<unsigned>(*value));
}

std::optional<std::pair<unsigned, unsigned>>
tally::symbolic::getArity(StringRef name) {
  if (name == "min" || name == "max")
    return std::pair(1u, UINT_MAX);
  if (name == "select")
    return std::pair(3u, 3u);
  if (name == "exact_div" || name == "pow" || getBitwiseOp(name))
    return std::pair(2u, 2u);
  if (name == "round")
    return std::pair(1u, 2u);
  if (name == "to_float" || name == "trunc" || name == "residue" ||
      getRounding(name) || getFloatFunction(name))
    return std::pair(1u, 1u);
  return std::nullopt;
}

/// round(a, digits) has the type of a.
template <typename Context>
Expr SyntaxBuilder<Context>::applyRound(const Syntax &syntax, Expr number,
                                        Expr digits) {
  constexpr int64_t maxDigits = 1000; // No double tells more apart.
  std::optional<int64_t> value =
      digits.isInt() ? digits.getInt64() : std::nullopt;
  if (!value || *value < -maxDigits || *value > maxDigits)
    return Expr(error.set(syntax.operands[1]->offset,
                          "the digits must be a literal between -1000 and "
                          "1000"));
  return context.roundDecimal(number, static_cast<int>(*value));
}

/// A function of numbers.
template <typename Context>
Expr SyntaxBuilder<Context>::applyFunction(const Syntax &syntax,
                                           ArrayRef<Expr> arguments) {
  StringRef name = syntax.name;
  Expr first = arguments[0];
  if (name == "to_float")
    return context.toFloat(first);
  if (name == "abs")
    return context.abs(first);
  if (name == "min")
    return context.min(arguments);
  if (name == "max")
    return context.max(arguments);
  if (name == "pow")
    return context.pow(first, arguments[1]);
  if (name == "round" && arguments.size() == 2)
    return applyRound(syntax, first, arguments[1]);
  if (name == "trunc")
    return context.toInt(first);
  if (std::optional<RoundingMode> rounding = getRounding(name))
    return context.toInt(first, *rounding);
  if (std::optional<FloatFunction> function = getFloatFunction(name))
    return context.floatFunction(*function, first);
  for (auto [argument, operand] : llvm::zip_equal(arguments, syntax.operands))
    if (!expectInt(argument, operand->offset))
      return Expr();
  if (std::optional<BitwiseOp> op = getBitwiseOp(name))
    return context.bitwise(*op, first, arguments[1]);
  return context.exactDiv(first, arguments[1]);
}

template <typename Context>
Expr SyntaxBuilder<Context>::applyCall(const Syntax &syntax,
                                       ArrayRef<Expr> arguments) {
  StringRef name = syntax.name;
  if (name == "select") {
    if (!expectBool(arguments[0], syntax.operands[0]->offset))
      return Expr();
    if (arguments[1].getType() != arguments[2].getType())
      return Expr(error.set(syntax.offset, "select between different types"));
    return context.select(arguments[0], arguments[1], arguments[2]);
  }
  if (name == "residue")
    return context.residue(arguments[0]);
  for (auto [argument, operand] : llvm::zip_equal(arguments, syntax.operands))
    if (!expectNumber(argument, operand->offset))
      return Expr();
  return applyFunction(syntax, arguments);
}

template <typename Context>
Expr SyntaxBuilder<Context>::apply(const Syntax &syntax,
                                   ArrayRef<Expr> operands) {
  switch (syntax.kind) {
  case SyntaxKind::Not:
    if (!expectBool(operands[0], syntax.operands[0]->offset))
      return Expr();
    return syntax.operators.size() % 2 == 1 ? context.logicalNot(operands[0])
                                            : operands[0];
  case SyntaxKind::Sign:
    if (!expectNumber(operands[0], syntax.operands[0]->offset))
      return Expr();
    return syntax.operators[0].token == Token::Minus ? context.neg(operands[0])
                                                     : operands[0];
  case SyntaxKind::Power:
    return applyPower(syntax, operands[0]);
  default:
    return applyCall(syntax, operands);
  }
}

template <typename Context>
Expr SyntaxBuilder<Context>::build(const Syntax &syntax) {
  switch (syntax.kind) {
  case SyntaxKind::Leaf:
    return syntax.leaf;
  case SyntaxKind::Or:
  case SyntaxKind::And:
    return buildLogical(syntax);
  case SyntaxKind::Comparison:
    return buildComparison(syntax);
  case SyntaxKind::Sum:
    return buildSum(syntax);
  case SyntaxKind::Shift:
  case SyntaxKind::Product: {
    Expr left = build(*syntax.operands[0]);
    unsigned numDivisions = 0;
    for (auto [i, op] : llvm::enumerate(syntax.operators)) {
      numDivisions += op.token != Token::Star;
      if (numDivisions > kMaxDepth)
        return Expr(error.set(op.offset, kTooDeep));
      Expr right = left ? build(*syntax.operands[i + 1]) : Expr();
      if (!right)
        return Expr();
      left = checkDepth(applyOperator(syntax, i, left, right), op.offset);
    }
    return left;
  }
  default:
    break;
  }
  SmallVector<Expr, 4> operands;
  for (const Syntax *operand : syntax.operands) {
    operands.push_back(build(*operand));
    if (!operands.back())
      return Expr();
    if (syntax.kind == SyntaxKind::Power)
      break;
  }
  return checkDepth(apply(syntax, operands), syntax.offset);
}

template class tally::symbolic::SyntaxBuilder<ExprContext>;
template class tally::symbolic::SyntaxBuilder<WrittenExprs>;
