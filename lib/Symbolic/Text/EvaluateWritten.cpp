//===- EvaluateWritten.cpp - The value of a text, step by step ------------===//
//
// Computes a tree as a machine would: every integer on the way has to fit in
// 64 bits. Each operation is built from literals and evaluated, so that it
// means what it means everywhere else.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

#include <limits>

using namespace tally::symbolic;
using llvm::SmallVector;

namespace {

class WrittenEvaluator {
public:
  WrittenEvaluator(ExprContext &context, Assignment assignment)
      : context(context), assignment(assignment), builder(context, error) {}

  EvalResult visit(const Syntax &syntax);

private:
  EvalResult visitLogical(const Syntax &syntax);
  EvalResult visitComparison(const Syntax &syntax);
  EvalResult visitChain(const Syntax &syntax);
  EvalResult visitOperation(const Syntax &syntax);
  EvalResult computeOperator(const Syntax &syntax, unsigned index,
                             const Value &a, const Value &b);
  EvalResult check(EvalResult result);
  Expr makeLiteral(const Value &value);

  ExprContext &context;
  Assignment assignment;
  /// Stays empty: the tree has been built before, so its types are right.
  SyntaxError error;
  SyntaxBuilder<ExprContext> builder;
};

} // namespace

/// Refuses an integer that a machine word does not hold.
EvalResult WrittenEvaluator::check(EvalResult result) {
  if (!result.isDefined() || result.value.getType() != SymbolType::Int)
    return result;
  const DynamicAPInt &value = result.value.getInt();
  if (value < std::numeric_limits<int64_t>::min() ||
      value > std::numeric_limits<int64_t>::max())
    return {Value(), EvalError::Overflow};
  return result;
}

Expr WrittenEvaluator::makeLiteral(const Value &value) {
  switch (value.getType()) {
  case SymbolType::Int:
    return context.constant(value.getInt());
  case SymbolType::Bool:
    return context.boolean(value.getBool());
  case SymbolType::Float:
    return context.floatConstant(value.getFloat());
  }
  return Expr();
}

EvalResult WrittenEvaluator::computeOperator(const Syntax &syntax,
                                             unsigned index, const Value &a,
                                             const Value &b) {
  Expr result =
      builder.applyOperator(syntax, index, makeLiteral(a), makeLiteral(b));
  return check(evaluate(result, assignment));
}

EvalResult WrittenEvaluator::visitLogical(const Syntax &syntax) {
  bool decisive = syntax.kind == SyntaxKind::Or;
  EvalResult result;
  for (const Syntax *operand : syntax.operands) {
    result = visit(*operand);
    if (!result.isDefined() || result.value.getBool() == decisive)
      break;
  }
  return result;
}

/// The links of a chain are lazy, as with `and` between them.
EvalResult WrittenEvaluator::visitComparison(const Syntax &syntax) {
  EvalResult left = visit(*syntax.operands[0]);
  EvalResult result = left;
  for (unsigned i = 0; left.isDefined() && i != syntax.operators.size(); ++i) {
    EvalResult right = visit(*syntax.operands[i + 1]);
    if (!right.isDefined())
      return right;
    result = computeOperator(syntax, i, left.value, right.value);
    if (!result.isDefined() || !result.value.getBool())
      break;
    left = right;
  }
  return result;
}

EvalResult WrittenEvaluator::visitChain(const Syntax &syntax) {
  EvalResult left = visit(*syntax.operands[0]);
  for (unsigned i = 0; left.isDefined() && i != syntax.operators.size(); ++i) {
    EvalResult right = visit(*syntax.operands[i + 1]);
    if (!right.isDefined())
      return right;
    left = computeOperator(syntax, i, left.value, right.value);
  }
  return left;
}

EvalResult WrittenEvaluator::visitOperation(const Syntax &syntax) {
  if (syntax.kind == SyntaxKind::Call && syntax.name == "select") {
    EvalResult condition = visit(*syntax.operands[0]);
    if (!condition.isDefined())
      return condition;
    return visit(*syntax.operands[condition.value.getBool() ? 1 : 2]);
  }
  SmallVector<Expr, 4> operands;
  for (const Syntax *operand : syntax.operands) {
    // A sign and the literal behind it are one literal.
    if (syntax.kind == SyntaxKind::Sign && operand->kind == SyntaxKind::Leaf &&
        operand->leaf.isConstant()) {
      operands.push_back(operand->leaf);
      continue;
    }
    EvalResult value = visit(*operand);
    if (!value.isDefined())
      return value;
    operands.push_back(makeLiteral(value.value));
    // The exponent is part of the operation.
    if (syntax.kind == SyntaxKind::Power)
      break;
  }
  return check(evaluate(builder.apply(syntax, operands), assignment));
}

EvalResult WrittenEvaluator::visit(const Syntax &syntax) {
  switch (syntax.kind) {
  case SyntaxKind::Leaf:
    return check(evaluate(syntax.leaf, assignment));
  case SyntaxKind::Or:
  case SyntaxKind::And:
    return visitLogical(syntax);
  case SyntaxKind::Comparison:
    return visitComparison(syntax);
  case SyntaxKind::Shift:
  case SyntaxKind::Sum:
  case SyntaxKind::Product:
    return visitChain(syntax);
  default:
    return visitOperation(syntax);
  }
}

EvalResult tally::symbolic::evaluateSyntax(const Syntax &syntax,
                                           ExprContext &context,
                                           Assignment assignment) {
  return WrittenEvaluator(context, assignment).visit(syntax);
}
