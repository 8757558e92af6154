//===- VectorModels.cpp - What vectors read of tensors --------------------===//

#include "../ShapesImpl.h"
#include "Models.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
/// A transfer starts inside of the tensor, and ends there where it says so or
/// nothing is left out.
template <typename OpT>
struct TransferModel
    : public SymbolicShapeOpInterface::ExternalModel<TransferModel<OpT>, OpT> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  void collectPreconditions(Operation *op, SymbolicShapes &shapes,
                            Preconditions &preconditions) const {
    auto transfer = cast<OpT>(op);
    auto type = dyn_cast<RankedTensorType>(transfer.getBase().getType());
    if (!type || isa<VectorType>(type.getElementType()))
      return;
    AffineMap map = transfer.getPermutationMap();
    for (auto [dim, index] : llvm::enumerate(transfer.getIndices())) {
      Expr start = shapes.getValue(index);
      Expr size = shapes.getDim(transfer.getBase(), dim);
      std::optional<unsigned> position =
          map.getResultPosition(getAffineDimExpr(dim, op->getContext()));
      if (position)
        requireRange(transfer, *position, start, size, shapes, preconditions);
      else
        preconditions.addInBounds(start, size);
    }
  }

private:
  /// Elements that are masked out are not accessed, nor those beyond the end of
  /// a dimension that is not known to be in bounds.
  static void requireRange(OpT transfer, unsigned position, Expr start,
                           Expr size, SymbolicShapes &shapes,
                           Preconditions &preconditions) {
    symbolic::ExprContext &context = shapes.getContext();
    VectorType type = transfer.getVectorType();
    bool isMasked =
        transfer.getMask() || isa<vector::MaskOp>(transfer->getParentOp());
    if (!transfer.isDimInBounds(position) || isMasked ||
        type.getScalableDims()[position])
      return preconditions.add(context.le(context.zero(), start));
    preconditions.addSlice(start, context.constant(type.getDimSize(position)),
                           context.one(), size);
  }
};
} // namespace

void tally::detail::registerVectorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, vector::VectorDialect *) {
    vector::TransferReadOp::attachInterface<
        TransferModel<vector::TransferReadOp>>(*context);
    vector::TransferWriteOp::attachInterface<
        TransferModel<vector::TransferWriteOp>>(*context);
  });
}
