//===- PlacementModels.cpp - Where operations may run ---------------------===//
//
// The placement of operations of upstream, and of Tally's own.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Kernels/PlacementModels.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/IR/TallyScanOps.h"
#include "tally/Interfaces/PlacementOpInterface.h"

using namespace mlir;
using namespace tally;

namespace {
template <typename OpT, Placement placement>
struct PlacedAs
    : public PlacementOpInterface::ExternalModel<PlacedAs<OpT, placement>,
                                                 OpT> {
  Placement getPlacement(Operation *) const { return placement; }
};
} // namespace

template <Placement placement, typename... OpTs>
static void attach(MLIRContext *context) {
  (OpTs::template attachInterface<PlacedAs<OpTs, placement>>(*context), ...);
}

void tally::registerPlacementModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TallyDialect *) {
    attach<Placement::Host, KernelOp, MatmulOp, ContractOp, FFTOp,
           CountNonzeroOp, WriteNonzeroOp, PrefixScanOp, ReadBackOp, SortOp,
           AnyOrderOp>(context);
    attach<Placement::Thread, AssertOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, memref::MemRefDialect *) {
    attach<Placement::Host, memref::CopyOp>(context);
    attach<Placement::Thread, memref::LoadOp, memref::StoreOp>(context);
  });
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *) {
    attach<Placement::Host, gpu::LaunchFuncOp>(context);
  });
}
