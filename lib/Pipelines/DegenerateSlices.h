//===- DegenerateSlices.h - Slices of nothing and of one ---------*- C++
//-*-===//

#ifndef TALLY_LIB_PIPELINES_DEGENERATESLICES_H
#define TALLY_LIB_PIPELINES_DEGENERATESLICES_H

#include "mlir/IR/PatternMatch.h"

namespace tally {

/// Adds patterns for what upstream's verifiers and folders do not take although
/// it is right, once constants are known: a slice of no elements behind the
/// last one, a shape that is collapsed although a size is the constant 0, a
/// step in a dimension of which one element is taken.
void populateDegenerateSlicePatterns(mlir::RewritePatternSet &patterns);

} // namespace tally

#endif // TALLY_LIB_PIPELINES_DEGENERATESLICES_H
