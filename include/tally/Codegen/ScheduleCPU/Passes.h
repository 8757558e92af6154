//===- Passes.h - How kernels run on the CPU --------------------*- C++ -*-===//

#ifndef TALLY_CODEGEN_SCHEDULECPU_PASSES_H
#define TALLY_CODEGEN_SCHEDULECPU_PASSES_H

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/ScheduleCPU/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_SCHEDULECPU_PASSES_H
