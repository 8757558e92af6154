//===- Passes.h - Calls of the runtime and of libraries ---------*- C++ -*-===//

#ifndef TALLY_CODEGEN_RUNTIMECALLS_PASSES_H
#define TALLY_CODEGEN_RUNTIMECALLS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_RUNTIMECALLS_PASSES_H
