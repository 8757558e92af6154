//===- AffineModels.cpp - Values of affine expressions --------------------===//

#include "../ShapesImpl.h"
#include "Models.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "tally/Analysis/AffineExprs.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

/// The value of an affine expression, or null where it may overflow or divides
/// by what is no positive literal.
static Expr evaluateAffine(AffineExpr expr, ArrayRef<Expr> dims,
                           ArrayRef<Expr> symbols, SymbolicShapes &shapes) {
  auto type = IntegerType::get(shapes.getRoot()->getContext(), 64);
  return fromAffine(expr, dims, symbols, shapes.getContext(),
                    [&](Expr dividend) { return shapes.fits(dividend, type); });
}

/// The values of all results of a map; empty if one is not known.
static SmallVector<Expr> evaluateMap(AffineMap map, ValueRange operands,
                                     SymbolicShapes &shapes) {
  auto exprs = llvm::map_to_vector(
      operands, [&](Value operand) { return shapes.getValue(operand); });
  ArrayRef<Expr> dims = ArrayRef(exprs).take_front(map.getNumDims());
  ArrayRef<Expr> symbols = ArrayRef(exprs).drop_front(map.getNumDims());
  SmallVector<Expr> results;
  for (AffineExpr result : map.getResults()) {
    Expr value = evaluateAffine(result, dims, symbols, shapes);
    if (!value || !shapes.fits(value, IndexType::get(map.getContext())))
      return {};
    results.push_back(value);
  }
  return results;
}

namespace {
template <typename OpT>
struct AffineModel
    : public SymbolicShapeOpInterface::ExternalModel<AffineModel<OpT>, OpT> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto affine = cast<OpT>(op);
    SmallVector<Expr> results =
        evaluateMap(affine.getMap(), op->getOperands(), shapes);
    if (results.empty())
      return;
    symbolic::ExprContext &context = shapes.getContext();
    if constexpr (std::is_same_v<OpT, affine::AffineMinOp>)
      shapes.setValue(affine, context.min(results));
    else if constexpr (std::is_same_v<OpT, affine::AffineMaxOp>)
      shapes.setValue(affine, context.max(results));
    else
      shapes.setValue(affine, results.front());
  }
};

/// The bounds of a loop that are no constants: of several expressions, the
/// greatest and the least one.
struct ForModel
    : public SymbolicShapeOpInterface::ExternalModel<ForModel,
                                                     affine::AffineForOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  SmallVector<LoopBounds> getLoopBounds(Operation *op,
                                        SymbolicShapes &shapes) const {
    auto loop = cast<affine::AffineForOp>(op);
    SmallVector<Expr> lowers = evaluateMap(
        loop.getLowerBoundMap(), loop.getLowerBoundOperands(), shapes);
    SmallVector<Expr> uppers = evaluateMap(
        loop.getUpperBoundMap(), loop.getUpperBoundOperands(), shapes);
    if (lowers.empty() || uppers.empty())
      return {};
    symbolic::ExprContext &context = shapes.getContext();
    return {{context.max(lowers), context.min(uppers)}};
  }
};
} // namespace

void tally::detail::registerAffineModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, affine::AffineDialect *) {
    affine::AffineApplyOp::attachInterface<AffineModel<affine::AffineApplyOp>>(
        *context);
    affine::AffineMinOp::attachInterface<AffineModel<affine::AffineMinOp>>(
        *context);
    affine::AffineMaxOp::attachInterface<AffineModel<affine::AffineMaxOp>>(
        *context);
    affine::AffineForOp::attachInterface<ForModel>(*context);
  });
}
