//===- Passes.h - Passes from checked IR to LLVM ----------------*- C++ -*-===//
//
// Passes that take a checked program of upstream's dialects down to the LLVM
// dialect, with recoverable errors and memory that belongs to the call.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_PASSES_H
#define TALLY_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_PASSES_H
