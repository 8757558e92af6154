//===- LoopPreconditions.h - What loops require -----------------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_LOOPPRECONDITIONS_H
#define TALLY_LIB_ANALYSIS_LOOPPRECONDITIONS_H

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally::detail {

/// Collects what every loop with bounds and steps requires: it moves upwards,
/// and its variable ends it before it wraps.
void collectLoopPreconditions(mlir::LoopLikeOpInterface loop,
                              SymbolicShapes &shapes,
                              Preconditions &preconditions);

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_LOOPPRECONDITIONS_H
