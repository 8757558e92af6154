//===- Passes.h - From structured operations to kernels ---------*- C++ -*-===//

#ifndef TALLY_CODEGEN_KERNELS_PASSES_H
#define TALLY_CODEGEN_KERNELS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/Kernels/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_KERNELS_PASSES_H
