//===- MergeKernels.cpp - Equal kernels become one ------------------------===//
//
// Layers of a model that are alike make kernels that are. Each takes as long to
// compile as the first.
//
//===----------------------------------------------------------------------===//

#include "Common/Utils.h"
#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/Hashing.h"

namespace tally {
#define GEN_PASS_DEF_MERGEKERNELS
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

/// What equal kernels have in common.
static llvm::hash_code hash(gpu::GPUFuncOp kernel) {
  llvm::hash_code code = hash_value(kernel.getFunctionType());
  kernel.getBody().walk([&](Operation *op) {
    code = llvm::hash_combine(code, op->getName(),
                              op->getDiscardableAttrDictionary(),
                              op->getNumOperands());
  });
  return code;
}

static DictionaryAttr getAttributes(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel.getContext());
}

/// Where the asserts of a kernel are, as those that fail tell it.
static std::string getPlacesOfAsserts(gpu::GPUFuncOp kernel) {
  std::string places;
  kernel.getBody().walk(
      [&](tally::AssertOp op) { appendPosition(places, op.getLoc()); });
  return places;
}

static bool areEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
  return getAttributes(a) == getAttributes(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(),
             OperationEquivalence::IgnoreLocations) &&
         getPlacesOfAsserts(a) == getPlacesOfAsserts(b);
}

void tally::mergeKernels(ModuleOp module) {
  llvm::DenseMap<size_t, SmallVector<gpu::GPUFuncOp>> known;
  llvm::DenseMap<Attribute, SymbolRefAttr> replacements;
  SmallVector<gpu::GPUFuncOp> kernels;
  for (auto kernelModule : module.getOps<gpu::GPUModuleOp>())
    llvm::append_range(kernels, kernelModule.getOps<gpu::GPUFuncOp>());
  auto getReference = [](gpu::GPUFuncOp kernel) {
    return SymbolRefAttr::get(
        kernel->getParentOfType<gpu::GPUModuleOp>().getNameAttr(),
        FlatSymbolRefAttr::get(kernel.getNameAttr()));
  };
  for (gpu::GPUFuncOp kernel : kernels) {
    SmallVector<gpu::GPUFuncOp> &others = known[size_t(hash(kernel))];
    auto *equal = llvm::find_if(
        others, [&](gpu::GPUFuncOp other) { return areEqual(other, kernel); });
    if (equal == others.end()) {
      others.push_back(kernel);
      continue;
    }
    replacements[getReference(kernel)] = getReference(*equal);
    kernel.erase();
  }
  if (replacements.empty())
    return;
  // Launches, and calls that name a kernel to fall back on.
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr reference) {
    SymbolRefAttr other = replacements.lookup(reference);
    return other ? other : reference;
  });
  replacer.recursivelyReplaceElementsIn(module);
}

namespace {
struct MergeKernelsPass : tally::impl::MergeKernelsBase<MergeKernelsPass> {
  void runOnOperation() override { tally::mergeKernels(getOperation()); }
};
} // namespace
