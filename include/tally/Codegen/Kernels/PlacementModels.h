//===- PlacementModels.h - Where operations may run -------------*- C++ -*-===//

#ifndef TALLY_CODEGEN_KERNELS_PLACEMENTMODELS_H
#define TALLY_CODEGEN_KERNELS_PLACEMENTMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tally {

/// Adds the external models through which operations of upstream, and Tally's
/// own, implement PlacementOpInterface.
void registerPlacementModels(mlir::DialectRegistry &registry);

} // namespace tally

#endif // TALLY_CODEGEN_KERNELS_PLACEMENTMODELS_H
