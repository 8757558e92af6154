//===- Passes.h - Passes for programs of every target -----------*- C++ -*-===//

#ifndef TALLY_CODEGEN_COMMON_PASSES_H
#define TALLY_CODEGEN_COMMON_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/Common/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_COMMON_PASSES_H
