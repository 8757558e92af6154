//===- Passes.h - What the C interface of a program is ----------*- C++ -*-===//

#ifndef TALLY_CODEGEN_ENTRIES_PASSES_H
#define TALLY_CODEGEN_ENTRIES_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/Entries/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_ENTRIES_PASSES_H
