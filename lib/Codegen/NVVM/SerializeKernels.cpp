//===- SerializeKernels.cpp - Kernels as machine code or PTX --------------===//
//
// See the description of the pass in Passes.td. Upstream's pass reports what it
// did not find more than once, or not at all; the way to PTX is upstream's.
//
//===----------------------------------------------------------------------===//

#include "CudaToolkit.h"
#include "tally/Codegen/NVVM/Passes.h"
#include "tally/Codegen/NVVM/Transforms.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Target/TargetMachine.h"

namespace tally {
#define GEN_PASS_DEF_SERIALIZEKERNELS
#include "tally/Codegen/NVVM/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-serialize-kernels"

using namespace mlir;
using namespace tally::codegen;

namespace {

/// The prefix of the names of the functions in libdevice.
constexpr llvm::StringLiteral kLibdevicePrefix{"__nv_"};

/// Takes a module of kernels through LLVM to PTX.
class Serializer : public LLVM::ModuleToObject {
public:
  Serializer(gpu::GPUModuleOp kernels, NVVM::NVVMTargetAttr target,
             std::string libdevice)
      : ModuleToObject(*kernels, target.getTriple(), target.getChip(),
                       target.getFeatures(), target.getO()),
        libdevice(std::move(libdevice)) {}

  /// Tells the translation how the GPU aligns numbers: LLVM's default has 4
  /// bytes for an i64, of which each access would be two.
  LogicalResult setDataLayout() {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    std::string layout =
        (*machine)->createDataLayout().getStringRepresentation();
    getOperation().setAttr(
        LLVM::LLVMDialect::getDataLayoutAttrName(),
        StringAttr::get(getOperation().getContext(), layout));
    return success();
  }

private:
  /// The first function that has a name like this and no body.
  static llvm::Function *findUndefined(llvm::Module &module,
                                       function_ref<bool(StringRef)> accepts) {
    for (llvm::Function &function : module)
      if (function.isDeclaration() && !function.isIntrinsic() &&
          accepts(function.getName()))
        return &function;
    return nullptr;
  }

  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &module) override {
    SmallVector<std::unique_ptr<llvm::Module>> libraries;
    llvm::Function *function = findUndefined(module, [](StringRef name) {
      return name.starts_with(kLibdevicePrefix);
    });
    if (!function)
      return libraries;
    if (libdevice.empty()) {
      emitError(getOperation().getLoc(), "needs '")
          << function->getName()
          << "' of NVIDIA's libdevice.10.bc, which was not found; install the "
             "CUDA toolkit or PyPI's nvidia-nvvm, or tell where it is "
             "(option 'toolkit', or CUDA_HOME)";
      return std::nullopt;
    }
    auto library = loadBitcodeFile(module.getContext(), libdevice);
    if (!library)
      return std::nullopt;
    libraries.push_back(std::move(library));
    return libraries;
  }

  /// Libdevice asks how to round a square root, and a division; LLVM's own
  /// answer is the fast way.
  void handleModulePostLink(llvm::Module &module) override {
    llvm::Function *reflect = module.getFunction("__nvvm_reflect");
    if (!reflect)
      return;
    for (llvm::User *user : llvm::make_early_inc_range(reflect->users())) {
      auto *call = cast<llvm::CallInst>(user);
      StringRef question;
      if (!llvm::getConstantStringInfo(call->getArgOperand(0), question) ||
          !question.starts_with("__CUDA_PREC_"))
        continue;
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), 1));
      call->eraseFromParent();
    }
  }

  FailureOr<SmallVector<char, 0>>
  moduleToObject(llvm::Module &module) override {
    // The driver provides these.
    if (llvm::Function *function = findUndefined(module, [](StringRef name) {
          return name != "vprintf" && name != "__assertfail";
        }))
      return emitError(getOperation().getLoc(), "calls '")
             << function->getName() << "', which does not exist on the GPU";
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    FailureOr<SmallString<0>> ptx = translateModuleToISA(
        module, **machine, [&] { return emitError(getOperation().getLoc()); });
    if (failed(ptx))
      return failure();
    return SmallVector<char, 0>(ptx->begin(), ptx->end());
  }

  std::string libdevice;
};
} // namespace

static LogicalResult serialize(gpu::GPUModuleOp kernels, StringRef ptxas,
                               std::string libdevice) {
  ArrayAttr targets = kernels.getTargetsAttr();
  auto target = targets && targets.size() == 1
                    ? dyn_cast<NVVM::NVVMTargetAttr>(targets[0])
                    : NVVM::NVVMTargetAttr();
  if (!target)
    return kernels.emitError("needs one NVVM target; run "
                             "'tally-attach-target' first");
  Serializer serializer(kernels, target, std::move(libdevice));
  if (failed(serializer.setDataLayout()))
    return failure();
  std::optional<SmallVector<char, 0>> ptx = serializer.run();
  if (!ptx)
    return failure();
  std::string code(ptx->begin(), ptx->end());
  auto format = gpu::CompilationTarget::Assembly;
  LDBG() << kernels.getName()
         << (ptxas.empty() ? std::string(": stays PTX")
                           : ": machine code, by " + ptxas.str());
  if (!ptxas.empty()) {
    auto binary = runPtxas(ptxas, target.getChip(), target.getO(), code);
    if (!binary)
      return emitError(kernels.getLoc(), llvm::toString(binary.takeError()));
    code = std::move(*binary);
    format = gpu::CompilationTarget::Binary;
  }
  OpBuilder builder(kernels);
  auto object =
      gpu::ObjectAttr::get(target, format, builder.getStringAttr(code));
  gpu::BinaryOp::create(builder, kernels.getLoc(), kernels.getName(),
                        /*offloadingHandler=*/nullptr,
                        ArrayRef<Attribute>{object});
  kernels.erase();
  return success();
}

LogicalResult tally::serializeKernels(ModuleOp module, StringRef format,
                                      StringRef toolkit) {
  if (format != "auto" && format != "bin" && format != "isa") {
    emitError(module.getLoc())
        << "unknown format '" << format << "'; known are auto, bin and isa";
    return failure();
  }
  CudaToolkit tools(toolkit);
  std::string ptxas = format == "isa" ? "" : tools.findPtxas();
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (format == "bin" && ptxas.empty() && !modules.empty()) {
    emitError(module.getLoc())
        << "ptxas was not found; install the CUDA toolkit or PyPI's "
           "nvidia-cuda-nvcc, or tell where it is (option 'toolkit', or "
           "CUDA_HOME)";
    return failure();
  }
  NVVM::SerializeGPUModuleBase::init();
  for (gpu::GPUModuleOp kernels : modules)
    if (failed(serialize(kernels, ptxas, tools.findLibdevice())))
      return failure();
  return success();
}

namespace {
struct SerializeKernelsPass
    : tally::impl::SerializeKernelsBase<SerializeKernelsPass> {
  using SerializeKernelsBase::SerializeKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SerializeKernelsBase::getDependentDialects(registry);
    registerBuiltinDialectTranslation(registry);
    registerGPUDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
    registerNVVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    if (failed(tally::serializeKernels(getOperation(), format, toolkit)))
      signalPassFailure();
  }
};

} // namespace
