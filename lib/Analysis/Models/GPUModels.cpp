//===- GPUModels.cpp - When regions of the gpu dialect run ----------------===//

#include "Models.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

namespace {
/// Upstream says that the region always runs, which is so for the warp. Of its
/// threads only the first one runs it, and the others are given what it yields:
/// their own values tell nothing of that.
struct WarpModel : public SymbolicShapeOpInterface::ExternalModel<
                       WarpModel, gpu::WarpExecuteOnLane0Op> {
  void inferSymbolicShapes(Operation *, SymbolicShapes &) const {}

  Expr getRegionCondition(Operation *op, unsigned,
                          SymbolicShapes &shapes) const {
    symbolic::ExprContext &context = shapes.getContext();
    Value lane = cast<gpu::WarpExecuteOnLane0Op>(op).getLaneid();
    return context.eq(shapes.getValue(lane), context.zero());
  }
};
} // namespace

void tally::detail::registerGPUModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    gpu::WarpExecuteOnLane0Op::attachInterface<WarpModel>(*context);
  });
}
