//===- KernelConstants.cpp - Kernels as constants of a program ------------===//

#include "KernelConstants.h"
#include "Common/RuntimeStructs.h"
#include "Common/Utils.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tally::codegen;

/// The alignment of an image: that of a file that is mapped.
static constexpr uint64_t kImageAlignment = 64;

LLVM::GlobalOp KernelConstants::emitBytes(const Twine &name, StringRef bytes) {
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(
      builder, module.getLoc(), type, /*isConstant=*/true,
      LLVM::Linkage::Internal, name.str(), builder.getStringAttr(bytes),
      kImageAlignment);
  symbols.insert(global);
  return global;
}

LLVM::GlobalOp KernelConstants::emitStruct(
    const Twine &name, LLVM::LLVMStructType type,
    ArrayRef<llvm::PointerUnion<Operation *, Attribute>> fields) {
  assert(type.getBody().size() == fields.size() &&
         "the values are not those of the fields");
  OpBuilder builder(module.getContext());
  builder.setInsertionPointToEnd(module.getBody());
  Location loc = module.getLoc();
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name.str(), Attribute());
  symbols.insert(global);
  builder.createBlock(&global.getInitializerRegion());
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, field] : llvm::enumerate(fields)) {
    Value element;
    if (auto *op = dyn_cast<Operation *>(field))
      element =
          LLVM::AddressOfOp::create(builder, loc, cast<LLVM::GlobalOp>(op));
    else
      element = LLVM::ConstantOp::create(builder, loc, type.getBody()[index],
                                         cast<Attribute>(field));
    value = LLVM::InsertValueOp::create(builder, loc, value, element, index);
  }
  LLVM::ReturnOp::create(builder, loc, value);
  return global;
}

LLVM::GlobalOp KernelConstants::emitImage(gpu::BinaryOp binary,
                                          gpu::ObjectAttr object) {
  std::string bytes = object.getObject().getValue().str();
  if (object.getFormat() == gpu::CompilationTarget::Assembly)
    bytes.push_back('\0');
  StringRef name = binary.getName();
  StringRef chip = cast<NVVM::NVVMTargetAttr>(object.getTarget()).getChip();
  LLVM::GlobalOp image = emitBytes("tally_gpu_image_" + name, bytes);
  LLVM::GlobalOp text = emitBytes("tally_gpu_chip_" + name, chip.str() + '\0');
  auto size = Builder(module.getContext()).getI64IntegerAttr(bytes.size());
  return emitStruct("tally_gpu_module_" + name,
                    getStructType<tally_rt_gpu_module>(module.getContext()),
                    {image.getOperation(), size, text.getOperation()});
}

FailureOr<LLVM::GlobalOp> KernelConstants::getKernel(SymbolRefAttr symbol,
                                                     Operation *user) {
  LLVM::GlobalOp &kernel = kernels[symbol];
  if (kernel)
    return kernel;
  auto binary =
      symbols.lookup<gpu::BinaryOp>(symbol.getRootReference().getValue());
  if (!binary)
    return user->emitError("launches a kernel that has not been compiled; run "
                           "'tally-serialize-kernels' first");
  auto object = binary.getObjects().size() == 1
                    ? dyn_cast<gpu::ObjectAttr>(binary.getObjects()[0])
                    : gpu::ObjectAttr();
  if (!object || !isa<NVVM::NVVMTargetAttr>(object.getTarget()) ||
      object.getFormat() == gpu::CompilationTarget::Offload)
    return binary.emitError("needs one object, machine code or PTX, for an "
                            "NVVM target");
  LLVM::GlobalOp &image = images[binary];
  if (!image)
    image = emitImage(binary, object);
  StringRef name = symbol.getLeafReference().getValue();
  LLVM::GlobalOp text =
      emitBytes("tally_kernel_name_" + name, name.str() + '\0');
  kernel = emitStruct("tally_kernel_" + name,
                      getStructType<tally_rt_kernel>(module.getContext()),
                      {image.getOperation(), text.getOperation()});
  return kernel;
}
