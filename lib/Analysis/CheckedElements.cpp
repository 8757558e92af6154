//===- CheckedElements.cpp - What checks have found of elements -----------===//
//
// A program may look at all elements of a tensor before it uses them: a
// reduction whose result an assert reads. Where the assert holds, its condition
// holds of every element.
//
//===----------------------------------------------------------------------===//

#include "ElementRangesImpl.h"
#include "ShapesImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tally;

bool ElementRanges::Impl::isTrue(Value condition, symbolic::Facts &facts) {
  symbolic::ProverBudget budget;
  budget.strongest = symbolic::Rung::Facts;
  return symbolic::Prover(facts, budget).isProven(shapes.getValue(condition));
}

/// The range that a condition gives to the values that `isMeant` names, where
/// each of its alternatives gives one.
ElementRange ElementRanges::Impl::uniteAlternatives(
    const Refinements &where, llvm::function_ref<bool(Value)> isMeant) {
  std::optional<ElementRange> result;
  for (const Refinement &alternative : where) {
    ElementRange range;
    for (const auto &[value, refined] : alternative)
      if (isMeant(value))
        range = ranges.intersect(range, refined);
    result = result ? ranges.unite(*result, range) : range;
  }
  return result.value_or(ElementRange());
}

/// A reduction that looks at every element of a tensor and yields whether all
/// of them pass: what those that do are like.
ElementRange ElementRanges::Impl::readCheck(linalg::LinalgOp check,
                                            Value tensor) {
  if (check.getNumReductionLoops() != check.getNumLoops() ||
      check->getNumResults() != 1 || !check.hasPureTensorSemantics())
    return {};
  Block *body = check.getBlock();
  Operation *yield = body->getTerminator();
  BlockArgument accumulated = body->getArguments().back();
  // `acc and condition`, in any order and of any number.
  SmallVector<Value> parts{yield->getOperand(0)}, conditions;
  bool hasAccumulated = false;
  while (!parts.empty()) {
    Value part = parts.pop_back_val();
    if (part == accumulated)
      hasAccumulated = true;
    else if (auto both = part.getDefiningOp<arith::AndIOp>())
      parts.append({both.getLhs(), both.getRhs()});
    else
      conditions.push_back(part);
  }
  if (!hasAccumulated)
    return {};
  llvm::SaveAndRestore<Operation *> newAnchor(anchor, check);
  llvm::SaveAndRestore<size_t> newFrames(firstFrame, frames.size());
  FrameScope frame(*this);
  ElementRange range;
  for (OpOperand *input : check.getDpsInputOperands()) {
    AffineMap map = check.getMatchingIndexingMap(input);
    if (input->get() != tensor || !map.isPermutation())
      continue;
    Value argument = check.getMatchingBlockArgument(input);
    auto isArgument = [&](Value value) {
      // Conversions that keep the value.
      while (Operation *op = value.getDefiningOp()) {
        if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op) ||
            op->getOperand(0).getType().isInteger(1))
          break;
        value = op->getOperand(0);
      }
      return value == argument;
    };
    for (Value condition : conditions)
      range = ranges.intersect(
          range,
          uniteAlternatives(refine(condition, /*holds=*/true), isArgument));
  }
  return range;
}

ElementRange ElementRanges::Impl::getChecked(Value tensor,
                                             symbolic::Facts &facts) {
  ElementRange range;
  constexpr unsigned maxUsers = 64;
  unsigned number = 0;
  for (Operation *user : tensor.getUsers()) {
    if (++number > maxUsers)
      break;
    auto check = dyn_cast<linalg::LinalgOp>(user);
    if (!check || check->getNumResults() != 1 ||
        !getElementTypeOrSelf(check->getResult(0)).isInteger(1))
      continue;
    for (Operation *reader : check->getResult(0).getUsers())
      if (auto extract = dyn_cast<tensor::ExtractOp>(reader);
          extract && extract.getIndices().empty() &&
          isTrue(extract.getResult(), facts)) {
        range = ranges.intersect(range, readCheck(check, tensor));
        break;
      }
  }
  return range;
}
