//===- PlacementOpInterface.h - Where operations may run --------*- C++ -*-===//

#ifndef TALLY_INTERFACES_PLACEMENTOPINTERFACE_H
#define TALLY_INTERFACES_PLACEMENTOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace tally {

/// Where an operation may use memory of the device.
enum class Placement {
  /// It is host code that launches what runs on the device, or asks the runtime
  /// to do something there.
  Host,
  /// It runs in one thread of the device, as a load and a store do.
  Thread,
};

} // namespace tally

#include "tally/Interfaces/PlacementOpInterface.h.inc"

namespace tally {

/// Returns whether `op` reads or writes a memref, by what it tells itself of
/// its memory effects.
bool accessesMemRef(mlir::Operation *op);

/// Returns whether one thread of the device can run `op`, apart from what is in
/// its regions.
bool runsInThread(mlir::Operation *op);

/// Returns whether `op` may stand in host code, apart from what is in its
/// regions: it touches no memory of the device there.
bool runsOnHost(mlir::Operation *op);

} // namespace tally

#endif // TALLY_INTERFACES_PLACEMENTOPINTERFACE_H
