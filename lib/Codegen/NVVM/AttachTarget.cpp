//===- AttachTarget.cpp - Which GPU the kernels are for -------------------===//
//
// See the description of the pass in Passes.td. LLVM ends the process where a
// chip does not fit the version of PTX, so that both come from one table.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/NVVM/Passes.h"
#include "tally/Codegen/NVVM/Transforms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_ATTACHTARGET
#include "tally/Codegen/NVVM/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-attach-target"

using namespace mlir;

namespace {

/// How hard LLVM and ptxas optimize.
constexpr int kOptLevel = 3;

struct Chip {
  llvm::StringLiteral name;
  /// PTX 8.0 is that of CUDA 12.0, 8.8 that of CUDA 12.9, 9.0 that of 13.0.
  llvm::StringLiteral ptx;
};

/// The chips that LLVM and CUDA 13 compile for, from the Ampere generation on.
constexpr Chip kChips[] = {
    {"sm_80", "+ptx80"},   {"sm_86", "+ptx80"},   {"sm_87", "+ptx80"},
    {"sm_89", "+ptx80"},   {"sm_90", "+ptx80"},   {"sm_90a", "+ptx80"},
    {"sm_100", "+ptx88"},  {"sm_100a", "+ptx88"}, {"sm_103", "+ptx88"},
    {"sm_103a", "+ptx88"}, {"sm_110", "+ptx90"},  {"sm_110a", "+ptx90"},
    {"sm_120", "+ptx88"},  {"sm_120a", "+ptx88"}, {"sm_121", "+ptx88"},
    {"sm_121a", "+ptx88"}};
} // namespace

LogicalResult tally::attachTarget(ModuleOp module, StringRef chip) {
  const Chip *found = llvm::find_if(
      kChips, [&](const Chip &known) { return known.name == chip; });
  if (found == std::end(kChips)) {
    InFlightDiagnostic error = emitError(module.getLoc());
    error << "unknown GPU '" << chip << "'; known are ";
    llvm::interleaveComma(kChips, error,
                          [&](const Chip &known) { error << known.name; });
    return failure();
  }
  auto target =
      NVVM::NVVMTargetAttr::get(module->getContext(), kOptLevel,
                                "nvptx64-nvidia-cuda", found->name, found->ptx);
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    LDBG() << kernels.getName() << ": is for " << found->name << ", by "
           << found->ptx;
    kernels.setTargetsAttr(ArrayAttr::get(module->getContext(), {target}));
  }
  return success();
}

namespace {
struct AttachTargetPass : tally::impl::AttachTargetBase<AttachTargetPass> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    if (failed(tally::attachTarget(getOperation(), chip)))
      signalPassFailure();
  }
};

} // namespace
