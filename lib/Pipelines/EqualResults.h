//===- EqualResults.h - Results of a call that are one tensor ---*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_EQUALRESULTS_H
#define TALLY_LIB_PIPELINES_EQUALRESULTS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// A pass that uses one result of a call where the function returns the same
/// value twice, and lets it return a copy of what is another of its results
/// where the program takes some branch. One-shot bufferization takes the
/// results of a call for buffers of their own: it would write to one in place
/// that is read as the other.
std::unique_ptr<mlir::Pass> createMergeEqualResults();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_EQUALRESULTS_H
