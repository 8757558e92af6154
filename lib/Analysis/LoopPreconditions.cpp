//===- LoopPreconditions.cpp - What loops require of bounds and steps -----===//
//
// Every operation that tells its bounds and steps through interfaces: scf.for,
// scf.parallel, scf.forall, affine.for, ...
//
//===----------------------------------------------------------------------===//

#include "LoopPreconditions.h"
#include "Loops.h"

using namespace mlir;
using namespace tally;
using symbolic::DynamicAPInt;
using symbolic::Expr;

namespace {

/// One induction variable: its bounds and its step as the loop compares them.
struct LoopVariable {
  LoopVariable(Type type, bool isUnsigned, SymbolicShapes &shapes)
      : shapes(shapes), context(shapes.getContext()),
        width(type.isIndex() ? 64 : type.getIntOrFloatBitWidth()),
        isUnsigned(isUnsigned),
        limit(DynamicAPInt(llvm::APInt::getOneBitSet(
            width + 2, isUnsigned ? width : width - 1))) {}

  /// A bound or a step as a number: in an unsigned loop, the bits of it.
  Expr read(Expr value) {
    if (value.isBool())
      return context.select(value, context.constant(isUnsigned ? 1 : -1),
                            context.zero());
    return isUnsigned ? context.mod(value, context.constant(limit)) : value;
  }

  /// The variable stays representable: what is compared last, which ends the
  /// loop, is below the limit.
  Expr staysInside(Expr lower, Expr upper, Expr step) {
    if (step.isConstant(1))
      return context.trueExpr();
    Expr limitExpr = context.constant(limit);
    Expr count = context.ceilDiv(context.sub(upper, lower), step);
    Expr last = context.add(lower, context.mul(count, step));
    return context.logicalOr({context.le(context.add(upper, step), limitExpr),
                              context.le(upper, lower),
                              context.lt(last, limitExpr)});
  }

  /// How far it is from one bound to the other is representable.
  Expr hasCount(Expr lower, Expr upper) {
    return context.lt(context.sub(upper, lower), context.constant(limit));
  }

  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  unsigned width;
  bool isUnsigned;
  /// One more than the greatest value.
  DynamicAPInt limit;
};

} // namespace

void tally::detail::collectLoopPreconditions(LoopLikeOpInterface loop,
                                             SymbolicShapes &shapes,
                                             Preconditions &preconditions) {
  SmallVector<InductionVariable> variables =
      getInductionVariables(loop, shapes);
  for (auto [variable, lowerBound, upperBound, stepSize] : variables) {
    if (!variable.getType().isIntOrIndex())
      continue;
    LoopVariable of(variable.getType(), comparesUnsigned(loop), shapes);
    Expr lower = of.read(lowerBound.getExpr(shapes)),
         upper = of.read(upperBound.getExpr(shapes)),
         step = of.read(shapes.getValue(stepSize));
    preconditions.add(symbolic::Comparison::le(of.context.one(), step),
                      "the step of the loop is positive");
    preconditions.add(of.staysInside(lower, upper, step),
                      "the loop variable stays below 2^" +
                          llvm::Twine(of.isUnsigned ? of.width : of.width - 1));
    // The iterations of a parallel loop, and of a nest, are counted before they
    // run.
    if (variables.size() != 1 || loop->hasTrait<OpTrait::HasParallelRegion>())
      preconditions.add(of.hasCount(lower, upper),
                        "the loop has less than 2^63 iterations");
  }
}
