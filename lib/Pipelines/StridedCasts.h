//===- StridedCasts.h - Slices that are taken for whole ---------*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_STRIDEDCASTS_H
#define TALLY_LIB_PIPELINES_STRIDEDCASTS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// A pass that copies where bufferization has cast a slice to a buffer without
/// strides: `memref<?x?xf32, strided<[?, 1]>>` to `memref<?x?xf32>`, for an
/// argument of a function, say. Upstream takes the strides of the latter, which
/// its sizes tell, for unknown. Runs right behind bufferization: later there
/// are casts of what is known to lie together.
std::unique_ptr<mlir::Pass> createCopyStridedCasts();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_STRIDEDCASTS_H
