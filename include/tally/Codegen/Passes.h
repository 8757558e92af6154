//===- Passes.h - Passes from checked IR to LLVM ----------------*- C++ -*-===//
//
// Passes that take a checked program of upstream's dialects down to the LLVM
// dialect, with recoverable errors and memory that belongs to the call.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_PASSES_H
#define TALLY_CODEGEN_PASSES_H

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Entries/Passes.h"
#include "tally/Codegen/Kernels/Passes.h"
#include "tally/Codegen/NVVM/Passes.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/ScheduleCPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"

namespace tally {

/// Registers the passes of every folder of Codegen.
inline void registerTallyCodegenPasses() {
  registerTallyCodegenCommonPasses();
  registerTallyCodegenKernelsPasses();
  registerTallyCodegenScheduleCPUPasses();
  registerTallyCodegenScheduleGPUPasses();
  registerTallyCodegenRuntimeCallsPasses();
  registerTallyCodegenNVVMPasses();
  registerTallyCodegenEntriesPasses();
}

} // namespace tally

#endif // TALLY_CODEGEN_PASSES_H
