//===- EraseCopies.h - Copies of all elements -------------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_ERASECOPIES_H
#define TALLY_LIB_CODEGEN_COMMON_ERASECOPIES_H

#include "mlir/IR/PatternMatch.h"

namespace tally::codegen {

/// Adds the pattern that puts what is copied in the place of a structured
/// operation that copies all elements of its operands and does nothing else.
void populateEraseCopyPatterns(mlir::RewritePatternSet &patterns);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_ERASECOPIES_H
