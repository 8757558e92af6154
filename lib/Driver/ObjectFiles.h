//===- ObjectFiles.h - Code in files ----------------------------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_OBJECTFILES_H
#define TALLY_LIB_DRIVER_OBJECTFILES_H

#include "tally/Driver/Driver.h"

namespace tally {

/// Writes a module of the LLVM dialect as object files of position-independent
/// code, which belong together: `path`, and parts that were compiled beside it,
/// `path.1` and so on, unless it is to be one object file. What does not become
/// a shared library shows only names that begin with the prefix, so that a
/// program may have several. Returns their paths; after an error some may
/// exist.
llvm::Expected<llvm::SmallVector<std::string>>
emitObjectFiles(mlir::ModuleOp module, const CompileOptions &options,
                OutputKind kind, llvm::StringRef path);

} // namespace tally

#endif // TALLY_LIB_DRIVER_OBJECTFILES_H
