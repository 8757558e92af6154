//===- Header.h - C headers of compiled programs ----------------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYCOMPILE_HEADER_H
#define TALLY_TOOLS_TALLYCOMPILE_HEADER_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tally::compile {

/// Writes the C declarations of the entry points of a lowered module.
void writeHeader(llvm::raw_ostream &os, mlir::ModuleOp module,
                 llvm::StringRef prefix);

} // namespace tally::compile

#endif // TALLY_TOOLS_TALLYCOMPILE_HEADER_H
