//===- LinalgPreconditions.cpp - What structured operations require -------===//
//
// For all of them alike, from their indexing maps. Their results have the shape
// of their destination, which the analysis knows from the destination-style
// interface.
//
//===----------------------------------------------------------------------===//

#include "LinalgPreconditions.h"
#include "ShapesImpl.h"
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
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    // Its body is run for what is not padding too.
    space.sizes = getShape(pad.getResult());
    for (auto [loop, index] : llvm::enumerate(pad.getRegion().getArguments()))
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
class LinalgPreconditions {
public:
  LinalgPreconditions(linalg::LinalgOp op, SymbolicShapes &shapes,
                      Preconditions &preconditions)
      : op(op), shapes(shapes), context(shapes.getContext()),
        preconditions(preconditions) {}

  void collect();

private:
  using Bounds = std::pair<Expr, Expr>; // least and greatest value, inclusive

  void requireIndex(Value operand, unsigned dim, AffineExpr index);
  std::optional<Bounds> getBounds(AffineExpr index);
  std::optional<Bounds> getBounds(AffineBinaryOpExpr index);
  Bounds getRemainders(Bounds values, Expr divisor);
  /// Returns true where some loop has no iteration, so that nothing is
  /// accessed.
  Expr isEmpty();

  linalg::LinalgOp op;
  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  Preconditions &preconditions;
  SmallVector<Expr> sizes;
};
} // namespace

Expr LinalgPreconditions::isEmpty() {
  SmallVector<Expr> empties;
  for (Expr size : sizes)
    empties.push_back(context.eq(size, context.zero()));
  llvm::sort(empties,
             [](Expr a, Expr b) { return symbolic::compare(a, b) < 0; });
  empties.erase(llvm::unique(empties), empties.end());
  return context.logicalOr(empties);
}

LinalgPreconditions::Bounds LinalgPreconditions::getRemainders(Bounds values,
                                                               Expr divisor) {
  Expr last = context.sub(divisor, context.one());
  if (values.first.isConstant(0))
    return {context.zero(), context.min(values.second, last)};
  Expr isOneRun = context.eq(context.floorDiv(values.first, divisor),
                             context.floorDiv(values.second, divisor));
  return {context.select(isOneRun, context.mod(values.first, divisor),
                         context.zero()),
          context.select(isOneRun, context.mod(values.second, divisor), last)};
}

/// The values that a sum, product or quotient of loop indices takes.
std::optional<LinalgPreconditions::Bounds>
LinalgPreconditions::getBounds(AffineBinaryOpExpr index) {
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
    // Every remainder between the extremes is there, if the values have no gaps
    // and no multiple of the divisor is among them.
    if (*factor <= 0)
      return std::nullopt;
    return getRemainders(*lhs, rhs->first);
  default:
    return std::nullopt;
  }
}

std::optional<LinalgPreconditions::Bounds>
LinalgPreconditions::getBounds(AffineExpr index) {
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

void LinalgPreconditions::requireIndex(Value operand, unsigned dim,
                                       AffineExpr index) {
  Expr size = shapes.getDim(operand, dim);
  if (auto loop = dyn_cast<AffineDimExpr>(index)) {
    preconditions.addEqual(sizes[loop.getPosition()], size);
    return;
  }
  std::optional<Bounds> bounds = getBounds(index);
  if (!bounds)
    return;
  std::array<symbolic::Comparison, 2> inside{
      symbolic::Comparison::le(context.zero(), bounds->first),
      symbolic::Comparison::lt(bounds->second, size)};
  Expr empty = isEmpty();
  if (empty.isFalse())
    return preconditions.add(inside);
  Expr condition = symbolic::getCondition(inside, context);
  preconditions.add(condition.isTrue() ? condition
                                       : context.logicalOr(empty, condition));
}

void LinalgPreconditions::collect() {
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
      requireIndex(operand.get(), dim, index);
  }
}

void tally::detail::collectLinalgPreconditions(linalg::LinalgOp op,
                                               SymbolicShapes &shapes,
                                               Preconditions &preconditions) {
  LinalgPreconditions(op, shapes, preconditions).collect();
}
