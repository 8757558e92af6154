//===- LinalgModels.cpp - Shape models of the linalg dialect --------------===//

#include "../LinalgPreconditions.h"
#include "../ShapesImpl.h"
#include "Models.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

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

/// The destination has the shape of the input.
struct SoftmaxModel
    : public SymbolicShapeOpInterface::ExternalModel<SoftmaxModel,
                                                     linalg::SoftmaxOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &,
                            Preconditions &preconditions) const {
    auto softmax = cast<linalg::SoftmaxOp>(op);
    for (int64_t dim = 0; dim < softmax.getInputOperandRank(); ++dim)
      preconditions.addEqualDims(softmax.getInput(), dim, softmax.getOutput(),
                                 dim);
  }
};

/// The part that packing and unpacking share: the tiled tensor has the sizes of
/// the plain one, those that are tiled as a number of tiles, in another order,
/// and behind them the sizes of a tile.
template <typename OpT>
class TilePreconditions {
public:
  TilePreconditions(OpT op, Value plain, Value tiled, SymbolicShapes &shapes,
                    Preconditions &preconditions)
      : op(op), plain(plain), tiled(tiled), shapes(shapes),
        context(shapes.getContext()), preconditions(preconditions) {}

  /// `requireTiles(size, count, tile)` says how a size that is tiled goes with
  /// its tiles.
  void collect(function_ref<void(Expr, Expr, Expr)> requireTiles);

private:
  /// Where a dimension of the plain tensor is in the tiled one.
  unsigned getOuterPosition(unsigned dim);

  OpT op;
  Value plain, tiled;
  SymbolicShapes &shapes;
  symbolic::ExprContext &context;
  Preconditions &preconditions;
};
} // namespace

template <typename OpT>
unsigned TilePreconditions<OpT>::getOuterPosition(unsigned dim) {
  ArrayRef<int64_t> permutation = op.getOuterDimsPerm();
  if (permutation.empty())
    return dim;
  return llvm::find(permutation, static_cast<int64_t>(dim)) -
         permutation.begin();
}

template <typename OpT>
void TilePreconditions<OpT>::collect(
    function_ref<void(Expr, Expr, Expr)> requireTiles) {
  unsigned rank = getRankedType(plain).getRank();
  SmallVector<OpFoldResult> tiles = op.getMixedTiles();
  for (unsigned dim = 0; dim < rank; ++dim) {
    Expr size = shapes.getDim(plain, dim);
    Expr outer = shapes.getDim(tiled, getOuterPosition(dim));
    const auto *found = llvm::find(op.getInnerDimsPos(), dim);
    if (found == op.getInnerDimsPos().end()) {
      preconditions.addEqual(size, outer);
      continue;
    }
    unsigned number = found - op.getInnerDimsPos().begin();
    Expr tile = shapes.getValue(tiles[number]);
    preconditions.add(symbolic::Comparison::le(context.one(), tile));
    preconditions.addEqual(shapes.getDim(tiled, rank + number), tile);
    requireTiles(size, outer, tile);
  }
}

namespace {
/// Every element has its place in a tile; without padding the tiles are full.
struct PackModel
    : public SymbolicShapeOpInterface::ExternalModel<PackModel,
                                                     linalg::PackOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto pack = cast<linalg::PackOp>(op);
    if (!isa<RankedTensorType>(pack.getDest().getType()))
      return;
    symbolic::ExprContext &context = shapes.getContext();
    TilePreconditions<linalg::PackOp>(pack, pack.getSource(), pack.getDest(),
                                      shapes, preconditions)
        .collect([&](Expr size, Expr count, Expr tile) {
          if (pack.getPaddingValue())
            preconditions.addEqual(context.ceilDiv(size, tile), count);
          else
            preconditions.addEqual(size, context.mul(count, tile));
        });
  }
};

/// Every element of the result is in a tile; what is behind them is dropped.
struct UnPackModel
    : public SymbolicShapeOpInterface::ExternalModel<UnPackModel,
                                                     linalg::UnPackOp> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto unpack = cast<linalg::UnPackOp>(op);
    if (!isa<RankedTensorType>(unpack.getDest().getType()))
      return;
    symbolic::ExprContext &context = shapes.getContext();
    TilePreconditions<linalg::UnPackOp>(
        unpack, unpack.getDest(), unpack.getSource(), shapes, preconditions)
        .collect([&](Expr size, Expr count, Expr tile) {
          preconditions.add(
              symbolic::Comparison::le(size, context.mul(count, tile)));
        });
  }
};
} // namespace

void tally::detail::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    linalg::IndexOp::attachInterface<IndexModel>(*context);
    linalg::SoftmaxOp::attachInterface<SoftmaxModel>(*context);
    linalg::PackOp::attachInterface<PackModel>(*context);
    linalg::UnPackOp::attachInterface<UnPackModel>(*context);
  });
}
