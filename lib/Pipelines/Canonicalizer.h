//===- Canonicalizer.h - Upstream's canonicalizer, less what is wrong -----===//

#ifndef TALLY_LIB_PIPELINES_CANONICALIZER_H
#define TALLY_LIB_PIPELINES_CANONICALIZER_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// The canonicalizer for the pipelines: upstream's without the pattern that
/// takes a size that changes from trip to trip for what it is at first
/// (docs/Rationale.md), without the one that computes an element of a
/// `tensor.generate` anew where it is read (by then, what the computation
/// demands has been asserted of the whole tensor), and without the one that
/// takes a `linalg.generic` that copies a part, such as a diagonal, for a copy
/// of everything.
std::unique_ptr<mlir::Pass> createCanonicalizer();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_CANONICALIZER_H
