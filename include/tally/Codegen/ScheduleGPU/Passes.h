//===- Passes.h - How kernels run on a GPU ----------------------*- C++ -*-===//

#ifndef TALLY_CODEGEN_SCHEDULEGPU_PASSES_H
#define TALLY_CODEGEN_SCHEDULEGPU_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"

} // namespace tally

#endif // TALLY_CODEGEN_SCHEDULEGPU_PASSES_H
