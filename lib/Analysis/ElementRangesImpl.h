//===- ElementRangesImpl.h - The state of an ElementRanges ------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_ELEMENTRANGESIMPL_H
#define TALLY_LIB_ANALYSIS_ELEMENTRANGESIMPL_H

#include "Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ElementRanges.h"
#include "tally/Analysis/RegionFlow.h"

namespace tally {

using RangeMap = llvm::DenseMap<mlir::Value, ElementRange>;

/// Ranges of some values that a condition implies, all together.
using Refinement = llvm::SmallVector<std::pair<mlir::Value, ElementRange>, 2>;
/// One of these holds.
using Refinements = llvm::SmallVector<Refinement, 2>;

struct ElementRanges::Impl {
  Impl(ElementRanges &ranges, SymbolicShapes &shapes)
      : ranges(ranges), shapes(shapes), context(shapes.getContext()) {}

  //===--------------------------------------------------------------------===//
  // Values (ElementRanges.cpp)
  //===--------------------------------------------------------------------===//

  ElementRange evaluate(mlir::Value value);
  ElementRange evaluateInPlace(mlir::Value value);
  ElementRange compute(mlir::Value value);
  ElementRange computeScalar(mlir::Value value);
  ElementRange computeResult(mlir::OpResult value);
  bool isInside(mlir::Value value) const;
  bool isExact(Expr value);
  bool isAvailable(Expr value);
  void evaluateOperandsOf(mlir::Operation *op);
  Expr getExactArithmetic(mlir::Value value);
  mlir::SmallVector<Expr, 2> getArithmeticFacts(Expr symbol, mlir::Value value);
  /// The range of a value where these facts hold.
  ElementRange evaluateWith(mlir::Value value, symbolic::Facts &facts);
  std::optional<bool> findTruth(mlir::Value condition, symbolic::Facts &facts);
  ElementRange findChecked(mlir::Value tensor, symbolic::Facts &facts);
  /// The range of all elements of a tensor by the checks that hold.
  ElementRange getChecked(mlir::Value tensor, symbolic::Facts &facts);
  ElementRange readCheck(mlir::linalg::LinalgOp check, mlir::Value tensor);
  ElementRange uniteAlternatives(const Refinements &where,
                                 llvm::function_ref<bool(mlir::Value)> isMeant);
  bool isTrue(mlir::Value condition, symbolic::Facts &facts);

  //===--------------------------------------------------------------------===//
  // Conditions (ElementConditions.cpp)
  //===--------------------------------------------------------------------===//

  ElementRange evaluateSelect(mlir::arith::SelectOp op);
  ElementRange evaluateComparison(mlir::arith::CmpIOp op);
  /// The range of a value where one of the refinements holds.
  ElementRange evaluateWhere(mlir::Value value, const Refinements &where);
  Refinements refine(mlir::Value condition, bool holds, unsigned depth = 0);
  Refinement refineOnlyElement(mlir::tensor::ExtractOp extract, bool holds,
                               unsigned depth);
  Refinement refineByComparison(mlir::arith::CmpIOp op, bool holds);
  void refineByUnsigned(mlir::Value value, mlir::arith::CmpIPredicate predicate,
                        const ElementRange &limit, Refinement &where);
  Refinements refineSelected(mlir::arith::SelectOp select,
                             const Refinement &compared, unsigned level);
  void refineBySign(mlir::Value value, bool isNegative, Refinement &where);

  //===--------------------------------------------------------------------===//
  // Regions (ElementRegions.cpp)
  //===--------------------------------------------------------------------===//

  ElementRange evaluateArgument(mlir::BlockArgument argument);
  ElementRange evaluateInduction(mlir::BlockArgument argument);
  ElementRange evaluateLoopIndex(mlir::linalg::IndexOp index);
  ElementRange evaluateStructured(mlir::linalg::LinalgOp op, unsigned result);
  ElementRange evaluateBranches(mlir::OpResult result);
  ElementRange evaluateBound(const detail::LoopBound &bound);
  Expr countIterations(mlir::Operation *loop);
  ElementRange evaluateLoopArgument(mlir::BlockArgument argument);
  ElementRange evaluateLoopResult(mlir::OpResult result);
  ElementRange evaluateBranchLoop(mlir::Operation *loop, mlir::Value input);
  /// The range of a value where what decides holds.
  ElementRange evaluateDecided(mlir::Value value,
                               const BranchDecision &decision);

  /// Ranges that every iteration stays within; they say nothing where there are
  /// none.
  mlir::SmallVector<ElementRange>
  findStableRanges(mlir::ArrayRef<LoopCarry> carries,
                   mlir::ArrayRef<ElementRange> inits);
  /// The range of a carry at every iteration; `count` is how often the loop
  /// runs, or null.
  ElementRange evaluateCarry(mlir::ArrayRef<LoopCarry> carries, unsigned index,
                             Expr count);
  std::optional<ElementRange>
  getIncrement(mlir::Value yielded, mlir::Value argument, unsigned depth = 0);
  bool contains(const ElementRange &outer, const ElementRange &inner);

  /// Values whose ranges are given, or have been computed from those that are.
  struct Frame {
    RangeMap given, computed;
  };
  class FrameScope;
  class FactsScope;

  ElementRanges &ranges;
  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  RangeMap known;
  /// Facts that hold where a question is asked; null where the answer is to
  /// hold everywhere.
  symbolic::Facts *scoped = nullptr;
  bool isReadingCheck = false;
  /// The operation whose result is computed: expressions speak of what is
  /// before it. Null at the top.
  mlir::Operation *anchor = nullptr;
  std::vector<Frame> frames;
  /// The first frame of the anchor.
  size_t firstFrame = 0;
  unsigned refinementDepth = 0;
  unsigned depth = 0;
};

/// A frame as long as this object lives.
class ElementRanges::Impl::FrameScope {
public:
  explicit FrameScope(Impl &impl) : impl(impl) { impl.frames.emplace_back(); }
  ~FrameScope() { impl.frames.pop_back(); }
  FrameScope(const FrameScope &) = delete;
  FrameScope &operator=(const FrameScope &) = delete;
  void give(mlir::Value value, const ElementRange &range) {
    impl.frames.back().given[value] = range;
  }

private:
  Impl &impl;
};

/// Returns true for tensors of integers and for integers, index and i1.
bool hasElementRange(mlir::Type type);

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_ELEMENTRANGESIMPL_H
