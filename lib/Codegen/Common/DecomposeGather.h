//===- DecomposeGather.h - Gathers and scatters as loops --------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_DECOMPOSEGATHER_H
#define TALLY_LIB_CODEGEN_COMMON_DECOMPOSEGATHER_H

#include "mlir/IR/PatternMatch.h"

namespace tally {

/// Adds the patterns that make loops of `tensor.gather` and `tensor.scatter`,
/// whose indices have been checked.
void populateDecomposeGatherPatterns(mlir::RewritePatternSet &patterns);

} // namespace tally

#endif // TALLY_LIB_CODEGEN_COMMON_DECOMPOSEGATHER_H
