//===- LinalgModels.cpp - Shape models of the linalg dialect --------------===//
//
// Results of structured operations have the shape of their destination, which
// the analysis knows from the destination-style interface. Here is what they
// demand, for all of them alike, from their indexing maps.
//
//===----------------------------------------------------------------------===//

#include "../ShapesImpl.h"
#include "Models.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

Expr tally::detail::getLoopSize(linalg::LinalgOp op, unsigned loop,
                                SymbolicShapes &shapes) {
  Expr size;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, result] : llvm::enumerate(map.getResults())) {
      auto index = dyn_cast<AffineDimExpr>(result);
      if (!index || index.getPosition() != loop ||
          !getRankedType(operand.get()))
        continue;
      Expr candidate = shapes.getDim(operand.get(), dim);
      if (!size || candidate.isConstant())
        size = candidate;
    }
  }
  return size;
}

std::optional<SymbolicShapes::ElementSpace>
SymbolicShapes::getElementSpace(Operation *op) {
  ElementSpace space;
  if (auto generate = dyn_cast<tensor::GenerateOp>(op)) {
    space.sizes = getShape(generate.getResult());
    for (auto [loop, index] :
         llvm::enumerate(generate.getBody().getArguments()))
      space.indices.push_back({getSymbolOf(index), loop});
    return space;
  }
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  if (!structured)
    return std::nullopt;
  for (unsigned loop = 0; loop < structured.getNumLoops(); ++loop) {
    space.sizes.push_back(detail::getLoopSize(structured, loop, *this));
    if (!space.sizes.back())
      return std::nullopt;
  }
  op->walk([&](linalg::IndexOp index) {
    if (index->getParentOp() == op && index.getDim() < space.sizes.size())
      space.indices.push_back(
          {getSymbolOf(index), static_cast<unsigned>(index.getDim())});
  });
  return space;
}

namespace {
/// Walks over the indexing maps of one operation.
class LinalgDemands {
public:
  LinalgDemands(linalg::LinalgOp op, SymbolicShapes &shapes, Demands &demands)
      : op(op), shapes(shapes), context(shapes.getContext()), demands(demands) {
  }

  void collect();

private:
  using Bounds = std::pair<Expr, Expr>; // least and greatest value, inclusive

  void demandIndex(Value operand, unsigned dim, AffineExpr index);
  std::optional<Bounds> getBounds(AffineExpr index);
  std::optional<Bounds> getBounds(AffineBinaryOpExpr index);
  /// True where some loop has no trip, so that nothing is accessed.
  Expr isEmpty();

  linalg::LinalgOp op;
  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  Demands &demands;
  SmallVector<Expr> sizes;
};
} // namespace

Expr LinalgDemands::isEmpty() {
  SmallVector<Expr> empties;
  for (Expr size : sizes)
    empties.push_back(context.eq(size, context.zero()));
  llvm::sort(empties,
             [](Expr a, Expr b) { return symbolic::compare(a, b) < 0; });
  empties.erase(llvm::unique(empties), empties.end());
  return context.logicalOr(empties);
}

/// The values that a sum, product or quotient of loop indices takes.
std::optional<LinalgDemands::Bounds>
LinalgDemands::getBounds(AffineBinaryOpExpr index) {
  std::optional<Bounds> lhs = getBounds(index.getLHS()),
                        rhs = getBounds(index.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (index.getKind() == AffineExprKind::Add)
    return Bounds(context.add(lhs->first, rhs->first),
                  context.add(lhs->second, rhs->second));
  std::optional<int64_t> factor = rhs->first.getInt64();
  if (!factor || rhs->first != rhs->second)
    return std::nullopt;
  switch (index.getKind()) {
  case AffineExprKind::Mul: {
    Bounds bounds(context.mul(lhs->first, rhs->first),
                  context.mul(lhs->second, rhs->first));
    if (*factor < 0)
      std::swap(bounds.first, bounds.second);
    return bounds;
  }
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv: {
    if (*factor <= 0)
      return std::nullopt;
    auto divide = [&](Expr x) {
      return index.getKind() == AffineExprKind::FloorDiv
                 ? context.floorDiv(x, rhs->first)
                 : context.ceilDiv(x, rhs->first);
    };
    return Bounds(divide(lhs->first), divide(lhs->second));
  }
  case AffineExprKind::Mod:
    // Every remainder up to the greatest is there if the values have no gaps
    // and start at zero.
    if (*factor <= 0 || !lhs->first.isConstant(0))
      return std::nullopt;
    return Bounds(context.zero(),
                  context.min(lhs->second, context.constant(*factor - 1)));
  default:
    return std::nullopt;
  }
}

std::optional<LinalgDemands::Bounds>
LinalgDemands::getBounds(AffineExpr index) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index)) {
    Expr value = context.constant(constant.getValue());
    return Bounds(value, value);
  }
  if (auto loop = dyn_cast<AffineDimExpr>(index)) {
    Expr size = sizes[loop.getPosition()];
    if (!size)
      return std::nullopt;
    return Bounds(context.zero(), context.sub(size, context.one()));
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(index))
    return getBounds(binary);
  return std::nullopt;
}

void LinalgDemands::demandIndex(Value operand, unsigned dim, AffineExpr index) {
  Expr size = shapes.getDim(operand, dim);
  if (auto loop = dyn_cast<AffineDimExpr>(index)) {
    demands.addEqual(sizes[loop.getPosition()], size);
    return;
  }
  std::optional<Bounds> bounds = getBounds(index);
  if (!bounds)
    return;
  Expr inside = context.logicalAnd(context.le(context.zero(), bounds->first),
                                   context.lt(bounds->second, size));
  demands.add(inside.isTrue() ? inside : context.logicalOr(isEmpty(), inside));
}

void LinalgDemands::collect() {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    sizes.push_back(tally::detail::getLoopSize(op, loop, shapes));
    if (!sizes.back())
      return; // not a valid operation
  }
  for (OpOperand &operand : op->getOpOperands()) {
    ShapedType type = getRankedType(operand.get());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || static_cast<int64_t>(map.getNumResults()) != type.getRank())
      continue;
    for (auto [dim, index] : llvm::enumerate(map.getResults()))
      demandIndex(operand.get(), dim, index);
  }
}

void tally::detail::collectLinalgDemands(linalg::LinalgOp op,
                                         SymbolicShapes &shapes,
                                         Demands &demands) {
  LinalgDemands(op, shapes, demands).collect();
}

namespace {
/// A loop index is known as far as its range is.
struct IndexModel
    : public SymbolicShapeOpInterface::ExternalModel<IndexModel,
                                                     linalg::IndexOp> {
  void inferSymbolicShapes(Operation *op, SymbolicShapes &shapes) const {
    auto index = cast<linalg::IndexOp>(op);
    auto around = dyn_cast_or_null<linalg::LinalgOp>(op->getParentOp());
    if (!around || index.getDim() >= around.getNumLoops())
      return;
    Expr size = tally::detail::getLoopSize(around, index.getDim(), shapes);
    if (!size)
      return;
    symbolic::Bound last = shapes.getFacts().range(size).getUpper();
    if (last && *last > 0)
      *last -= symbolic::DynamicAPInt(1);
    shapes.addProvenRange(shapes.getSymbolOf(index),
                          symbolic::Interval(symbolic::DynamicAPInt(0), last));
  }
};
} // namespace

void tally::detail::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::IndexOp::attachInterface<IndexModel>(*context);
  });
}
