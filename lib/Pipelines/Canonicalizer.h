//===- Canonicalizer.h - Upstream's canonicalizer, with changes --*- C++ --===//

#ifndef TALLY_LIB_PIPELINES_CANONICALIZER_H
#define TALLY_LIB_PIPELINES_CANONICALIZER_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// Whether constant strides go into the types of buffers. Once strided copies
/// have become loops a copy of one piece has to stay one.
enum class Strides { Refine, Keep };

/// The canonicalizer for the pipelines: upstream's without the pattern that
/// takes a size that changes from iteration to iteration for what it is at
/// first (docs/Rationale.md), and without the one that computes an element of a
/// `tensor.generate` anew where it is read: by then, what the computation
/// preconditions has been asserted of the whole tensor; with patterns for
/// slices of no elements and of one (DegenerateSlices.h).
std::unique_ptr<mlir::Pass>
createCanonicalizer(Strides strides = Strides::Refine);

} // namespace tally

#endif // TALLY_LIB_PIPELINES_CANONICALIZER_H
