//===- ElementConditions.cpp - What a condition says of elements ----------===//
//
// The value of a comparison where ranges decide it, and of a select: each of
// its two values is seen where the condition holds, or does not. So a negative
// index that is wrapped, Python's remainder and a divisor that is replaced
// where it is zero are what they are meant to be.
//
//===----------------------------------------------------------------------===//

#include "ElementRangesImpl.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tally;
using arith::CmpIPredicate;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The signed counterpart of an unsigned predicate.
static CmpIPredicate getSigned(CmpIPredicate predicate) {
  switch (predicate) {
  case CmpIPredicate::ult:
    return CmpIPredicate::slt;
  case CmpIPredicate::ule:
    return CmpIPredicate::sle;
  case CmpIPredicate::ugt:
    return CmpIPredicate::sgt;
  case CmpIPredicate::uge:
    return CmpIPredicate::sge;
  default:
    return predicate;
  }
}

ElementRange ElementRanges::Impl::evaluateComparison(arith::CmpIOp op) {
  if (!op.getLhs().getType().isIntOrIndex() ||
      op.getLhs().getType().isInteger(1))
    return {};
  ElementRange a = evaluate(op.getLhs()), b = evaluate(op.getRhs());
  CmpIPredicate predicate = op.getPredicate();
  if (getSigned(predicate) != predicate) {
    if (!ranges.isAtLeast(a, 0) || !ranges.isAtLeast(b, 0))
      return {};
    predicate = getSigned(predicate);
  }
  auto isLess = [&](const ElementRange &x, const ElementRange &y) {
    return x.upper && y.lower && ranges.isKnown(context.lt(x.upper, y.lower));
  };
  auto isAtMost = [&](const ElementRange &x, const ElementRange &y) {
    return x.upper && y.lower && ranges.isKnown(context.le(x.upper, y.lower));
  };
  auto decide = [&](bool isTrue, bool isFalse) -> ElementRange {
    if (isTrue || isFalse)
      return ranges.getConstant(isTrue, isTrue);
    return {};
  };
  bool differ = isLess(a, b) || isLess(b, a);
  bool areEqual = isAtMost(a, b) && isAtMost(b, a);
  switch (predicate) {
  case CmpIPredicate::eq:
    return decide(areEqual, differ);
  case CmpIPredicate::ne:
    return decide(differ, areEqual);
  case CmpIPredicate::slt:
    return decide(isLess(a, b), isAtMost(b, a));
  case CmpIPredicate::sle:
    return decide(isAtMost(a, b), isLess(b, a));
  case CmpIPredicate::sgt:
    return decide(isLess(b, a), isAtMost(a, b));
  case CmpIPredicate::sge:
    return decide(isAtMost(b, a), isLess(a, b));
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// Refinements by conditions
//===----------------------------------------------------------------------===//

static CmpIPredicate negate(CmpIPredicate predicate) {
  return arith::invertPredicate(predicate);
}

/// The value is negative, or is not. Of a `xor` it says something where the
/// sign of one side is known: then it is about the other.
void ElementRanges::Impl::refineBySign(Value value, bool isNegative,
                                       Refinement &where) {
  auto bits = value.getDefiningOp<arith::XOrIOp>();
  for (unsigned side = 0; bits && side < 2; ++side) {
    ElementRange other = evaluate(bits->getOperand(1 - side));
    bool isOtherNegative =
        other.upper && ranges.isKnown(context.lt(other.upper, context.zero()));
    if (isOtherNegative || ranges.isAtLeast(other, 0))
      refineBySign(bits->getOperand(side), isNegative != isOtherNegative,
                   where);
  }
  ElementRange range;
  if (isNegative)
    range.upper = context.constant(-1);
  else
    range.lower = context.zero();
  where.push_back({value, range});
}

/// Below a limit that is not negative, seen as unsigned, is no negative number.
/// Of the others nothing is said.
void ElementRanges::Impl::refineByUnsigned(Value value, CmpIPredicate predicate,
                                           const ElementRange &limit,
                                           Refinement &where) {
  if (!ranges.isAtLeast(limit, 0))
    return;
  Expr upper = limit.upper;
  if (predicate == CmpIPredicate::ult)
    where.push_back(
        {value,
         {context.zero(), upper ? context.sub(upper, context.one()) : upper}});
  else if (predicate == CmpIPredicate::ule)
    where.push_back({value, {context.zero(), upper}});
}

Refinement ElementRanges::Impl::refineByComparison(arith::CmpIOp op,
                                                   bool holds) {
  Refinement where;
  Value lhs = op.getLhs(), rhs = op.getRhs();
  if (!lhs.getType().isIntOrIndex() || lhs.getType().isInteger(1))
    return where;
  CmpIPredicate predicate = op.getPredicate();
  if (!holds)
    predicate = negate(predicate);
  ElementRange a = evaluate(lhs), b = evaluate(rhs);
  Expr one = context.one();
  auto minus = [&](Expr x) { return x ? context.sub(x, one) : x; };
  auto plus = [&](Expr x) { return x ? context.add(x, one) : x; };
  if (getSigned(predicate) != predicate) {
    refineByUnsigned(lhs, predicate, b, where);
    return where;
  }
  bool isZero =
      b.lower && b.upper && b.lower.isConstant(0) && b.upper.isConstant(0);
  switch (predicate) {
  case CmpIPredicate::eq:
    where.push_back({lhs, b});
    where.push_back({rhs, a});
    break;
  case CmpIPredicate::ne:
    // An end of the range that it is not moves.
    if (b.lower && b.lower == b.upper) {
      if (a.lower && ranges.isKnown(context.le(b.lower, a.lower)))
        where.push_back({lhs, {plus(b.lower), {}}});
      if (a.upper && ranges.isKnown(context.le(a.upper, b.lower)))
        where.push_back({lhs, {{}, minus(b.lower)}});
    }
    break;
  case CmpIPredicate::slt:
    if (isZero)
      refineBySign(lhs, /*isNegative=*/true, where);
    where.push_back({lhs, {{}, minus(b.upper)}});
    where.push_back({rhs, {plus(a.lower), {}}});
    break;
  case CmpIPredicate::sle:
    where.push_back({lhs, {{}, b.upper}});
    where.push_back({rhs, {a.lower, {}}});
    break;
  case CmpIPredicate::sgt:
    where.push_back({lhs, {plus(b.lower), {}}});
    where.push_back({rhs, {{}, minus(a.upper)}});
    break;
  case CmpIPredicate::sge:
    if (isZero)
      refineBySign(lhs, /*isNegative=*/false, where);
    where.push_back({lhs, {b.lower, {}}});
    where.push_back({rhs, {{}, a.upper}});
    break;
  default:
    break;
  }
  return where;
}

/// Refines tensors of one element by a condition that is computed from them.
Refinement ElementRanges::Impl::refineOnlyElement(tensor::ExtractOp extract,
                                                  bool holds, unsigned level) {
  Refinement where;
  auto result = dyn_cast<OpResult>(extract.getTensor());
  auto structured = result ? dyn_cast<linalg::LinalgOp>(result.getOwner())
                           : linalg::LinalgOp();
  if (!structured || structured.getNumLoops() != 0 ||
      !structured.hasPureTensorSemantics())
    return where;
  Operation *yield = structured.getBlock()->getTerminator();
  Refinements inside =
      refine(yield->getOperand(result.getResultNumber()), holds, level + 1);
  if (inside.size() != 1)
    return where;
  for (auto &[value, range] : inside.front())
    if (auto argument = dyn_cast<BlockArgument>(value);
        argument && argument.getOwner() == structured.getBlock())
      where.push_back(
          {structured.getMatchingOpOperand(argument)->get(), range});
  return where;
}

/// Refines the values to select from by a comparison of the selected one:
/// Python's index, `select(i < 0, i + n, i)`, is in bounds where i is.
Refinements ElementRanges::Impl::refineSelected(arith::SelectOp select,
                                                const Refinement &compared,
                                                unsigned level) {
  Refinements result;
  for (bool side : {true, false}) {
    Value chosen = side ? select.getTrueValue() : select.getFalseValue();
    auto sum = chosen.getDefiningOp<arith::AddIOp>();
    for (Refinement where : refine(select.getCondition(), side, level + 1)) {
      bool isNegative = sum && llvm::any_of(where, [&](const auto &entry) {
                          return entry.first == sum.getLhs() &&
                                 entry.second.upper &&
                                 ranges.isKnown(context.lt(entry.second.upper,
                                                           context.zero()));
                        });
      ElementRange added = isNegative ? evaluate(sum.getRhs()) : ElementRange();
      // A sum of a negative and of another number does not wrap around.
      bool isExact = added.upper && ranges.isAtLeast(added, 0);
      for (const auto &[value, range] : compared) {
        where.push_back({value, range});
        if (value != select.getResult())
          continue;
        where.push_back({chosen, range});
        if (isExact && range.lower)
          where.push_back(
              {sum.getLhs(), {context.sub(range.lower, added.upper), {}}});
        if (isExact && range.upper)
          where.push_back(
              {sum.getLhs(), {{}, context.sub(range.upper, added.lower)}});
      }
      result.push_back(where);
    }
  }
  return result;
}

Refinements ElementRanges::Impl::refine(Value condition, bool holds,
                                        unsigned level) {
  constexpr unsigned maxLevel = 6;
  constexpr size_t maxAlternatives = 4;
  Operation *op = condition.getDefiningOp();
  if (!op || level == maxLevel)
    return {Refinement()};
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    Refinement compared = refineByComparison(compare, holds);
    auto select = compare.getLhs().getDefiningOp<arith::SelectOp>();
    return select && !compared.empty() ? refineSelected(select, compared, level)
                                       : Refinements{compared};
  }
  if (auto bits = dyn_cast<arith::XOrIOp>(op);
      bits && matchPattern(bits.getRhs(), m_One()))
    return refine(bits.getLhs(), !holds, level + 1);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return {refineOnlyElement(extract, holds, level)};
  if (!isa<arith::AndIOp, arith::OrIOp>(op))
    return {Refinement()};
  Refinements left = refine(op->getOperand(0), holds, level + 1);
  Refinements right = refine(op->getOperand(1), holds, level + 1);
  bool isBoth = isa<arith::AndIOp>(op) == holds;
  Refinements result;
  if (!isBoth) {
    result = left;
    result.append(right);
  } else {
    for (const Refinement &a : left)
      for (const Refinement &b : right) {
        result.push_back(a);
        result.back().append(b);
      }
  }
  if (result.size() > maxAlternatives)
    return {Refinement()};
  return result;
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

ElementRange ElementRanges::Impl::evaluateWhere(Value value,
                                                const Refinements &where) {
  std::optional<ElementRange> result;
  for (const Refinement &alternative : where) {
    FrameScope frame(*this);
    for (const auto &[refined, range] : alternative) {
      if (matchPattern(refined, m_Constant()))
        continue;
      auto &given = frames.back().given;
      auto found = given.find(refined);
      ElementRange before =
          found == given.end() ? evaluate(refined) : found->second;
      ElementRange both = ranges.intersect(before, range);
      frame.give(refined, both);
    }
    frames.back().computed.clear();
    ElementRange seen = evaluate(value);
    result = result ? ranges.unite(*result, seen) : seen;
  }
  return result ? *result : evaluate(value);
}

ElementRange ElementRanges::Impl::evaluateSelect(arith::SelectOp op) {
  if (!op.getType().isIntOrIndex())
    return ranges.unite(evaluate(op.getTrueValue()),
                        evaluate(op.getFalseValue()));
  ElementRange condition = evaluate(op.getCondition());
  if (condition.lower && condition.lower.isConstant(1))
    return evaluate(op.getTrueValue());
  if (condition.upper && condition.upper.isConstant(0))
    return evaluate(op.getFalseValue());
  constexpr unsigned maxDepth = 3;
  if (refinementDepth == maxDepth)
    return ranges.unite(evaluate(op.getTrueValue()),
                        evaluate(op.getFalseValue()));
  Refinements isTrue = refine(op.getCondition(), true);
  Refinements isFalse = refine(op.getCondition(), false);
  llvm::SaveAndRestore<unsigned> deeper(refinementDepth, refinementDepth + 1);
  return ranges.unite(evaluateWhere(op.getTrueValue(), isTrue),
                      evaluateWhere(op.getFalseValue(), isFalse));
}
