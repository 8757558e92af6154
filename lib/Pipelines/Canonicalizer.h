//===- Canonicalizer.h - Upstream's canonicalizer, with changes --*- C++ --===//

#ifndef TALLY_LIB_PIPELINES_CANONICALIZER_H
#define TALLY_LIB_PIPELINES_CANONICALIZER_H

#include "tally/Pipelines/Passes.h"

namespace tally {

/// Whether constant strides go into the types of buffers.
enum class Strides { Refine, Keep };

std::unique_ptr<mlir::Pass> createCanonicalizer(Strides strides);

/// Returns the patterns of upstream that are left out: for each, its class as
/// compilers spell it.
llvm::SmallVector<llvm::SmallVector<std::string>>
getDisabledPatterns(Strides strides);

} // namespace tally

#endif // TALLY_LIB_PIPELINES_CANONICALIZER_H
