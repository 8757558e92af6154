//===- Transforms.h - What a compiled library tells and offers -*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_ENTRIES_TRANSFORMS_H
#define TALLY_CODEGEN_ENTRIES_TRANSFORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace tally {

/// Collects what a compiled library tells of its entry points.
mlir::LogicalResult describeEntries(mlir::ModuleOp module);

/// Removes Tally's attributes from a module of the LLVM dialect.
void stripAttributes(mlir::ModuleOp module);

/// Emits the C functions of a compiled library.
mlir::LogicalResult emitEntries(mlir::ModuleOp module,
                                llvm::StringRef prefix = "tally",
                                llvm::StringRef target = "cpu");

} // namespace tally

#endif // TALLY_CODEGEN_ENTRIES_TRANSFORMS_H
