//===- Canonicalizer.h - Upstream's canonicalizer, less what is wrong -----===//

#ifndef TALLY_LIB_PIPELINES_CANONICALIZER_H
#define TALLY_LIB_PIPELINES_CANONICALIZER_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// The canonicalizer for the pipelines: upstream's without the pattern that
/// takes a size that changes from trip to trip for what it is at first
/// (docs/Rationale.md).
std::unique_ptr<mlir::Pass> createCanonicalizer();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_CANONICALIZER_H
