//===- Kernels.cpp - Kernels and their launches ---------------------------===//

#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tally::codegen;

gpu::GPUModuleOp tally::codegen::getKernelModule(ModuleOp module) {
  constexpr StringLiteral name = "kernels";
  if (auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(name))
    return kernels;
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  UnitAttr::get(module.getContext()));
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  return gpu::GPUModuleOp::create(builder, module.getLoc(), name);
}

OpBuilder Kernel::getBodyBuilder() {
  return OpBuilder(function.getBody().front().getTerminator());
}

namespace {

/// A buffer as a kernel gets it: a pointer, and what its type leaves open.
struct BufferParts {
  MemRefType type;
  Value pointer;
  OpFoldResult offset;
  SmallVector<OpFoldResult> sizes;
  /// Empty where the elements lie close together.
  SmallVector<OpFoldResult> strides;
};

/// Takes `memref` apart.
BufferParts decompose(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  auto pointerType =
      MemRefType::get({1}, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  BufferParts parts;
  parts.type = type;
  if (type == pointerType) {
    parts.pointer = memref;
    return parts;
  }
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  parts.pointer = memref::ReinterpretCastOp::create(
      builder, loc, pointerType, metadata.getBaseBuffer(), zero,
      ArrayRef<OpFoldResult>{one}, ArrayRef<OpFoldResult>{one});
  parts.offset = metadata.getConstifiedMixedOffset();
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    parts.sizes.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(
                  builder.createOrFold<memref::DimOp>(loc, memref, dim))
            : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
  if (!type.getLayout().isIdentity())
    parts.strides = metadata.getConstifiedMixedStrides();
  return parts;
}

/// The strides of a buffer without gaps.
SmallVector<OpFoldResult> getCloseStrides(OpBuilder &builder, Location loc,
                                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size(), builder.getIndexAttr(1));
  for (int64_t dim = int64_t(sizes.size()) - 2; dim >= 0; --dim) {
    auto stride = getConstantIntValue(strides[dim + 1]);
    auto size = getConstantIntValue(sizes[dim + 1]);
    if (stride && size) {
      strides[dim] = builder.getIndexAttr(*stride * *size);
      continue;
    }
    Value a = getValueOrCreateConstantIndexOp(builder, loc, strides[dim + 1]);
    Value b = getValueOrCreateConstantIndexOp(builder, loc, sizes[dim + 1]);
    strides[dim] = arith::MulIOp::create(builder, loc, a, b).getResult();
  }
  return strides;
}

/// Puts the parameters of one kernel together.
class ParameterBuilder {
public:
  ParameterBuilder(OpBuilder &host, Location loc, ValueRange captures)
      : host(host), loc(loc) {
    for (Value value : captures)
      add(value);
  }

  SmallVector<Value> getOperands() const {
    SmallVector<Value> operands;
    for (const auto &[memref, parts] : buffers)
      operands.push_back(parts.pointer);
    operands.append(indices.begin(), indices.end());
    operands.append(scalars.begin(), scalars.end());
    return operands;
  }

  /// Makes the captures available at the start of `kernel`.
  void rebuild(gpu::GPUFuncOp kernel, IRMapping &map) {
    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    auto *argument = kernel.getArguments().begin();
    SmallVector<Value> pointers;
    for (size_t i = 0; i < buffers.size(); ++i)
      pointers.push_back(*argument++);
    IRMapping numbers;
    for (Value value : indices)
      numbers.map(value, *argument++);
    for (Value value : scalars)
      numbers.map(value, *argument++);
    for (Value value : constants)
      builder.clone(*value.getDefiningOp(), map);
    for (Value value : direct)
      map.map(value, numbers.lookup(value));
    for (auto [pointer, entry] : llvm::zip_equal(pointers, buffers))
      map.map(entry.first,
              rebuildBuffer(builder, pointer, entry.second, numbers));
  }

private:
  void add(Value value) {
    if (auto type = dyn_cast<MemRefType>(value.getType())) {
      if (buffers.contains(value))
        return;
      BufferParts parts = decompose(host, loc, value);
      if (parts.offset)
        addScalar(parts.offset);
      for (OpFoldResult size : parts.sizes)
        addScalar(size);
      for (OpFoldResult stride : parts.strides)
        addScalar(stride);
      buffers.insert({value, parts});
      return;
    }
    if (value.getDefiningOp() && matchPattern(value, m_Constant())) {
      constants.insert(value);
      return;
    }
    direct.insert(value);
    (value.getType().isIndex() ? indices : scalars).insert(value);
  }

  void addScalar(OpFoldResult number) {
    if (!getConstantIntValue(number))
      indices.insert(cast<Value>(number));
  }

  Value rebuildBuffer(OpBuilder &builder, Value pointer,
                      const BufferParts &parts, const IRMapping &numbers) {
    if (pointer.getType() == parts.type)
      return pointer;
    auto translate = [&](OpFoldResult number) -> OpFoldResult {
      if (auto constant = getConstantIntValue(number))
        return builder.getIndexAttr(*constant);
      return numbers.lookup(cast<Value>(number));
    };
    auto sizes = llvm::map_to_vector(parts.sizes, translate);
    auto strides = llvm::map_to_vector(parts.strides, translate);
    if (parts.type.getLayout().isIdentity())
      strides = getCloseStrides(builder, loc, sizes);
    auto buffer = memref::ReinterpretCastOp::create(
        builder, loc, pointer, translate(parts.offset), sizes, strides);
    // The type may know less than is known of the value.
    if (buffer.getType() == parts.type)
      return buffer;
    return memref::CastOp::create(builder, loc, parts.type, buffer);
  }

  OpBuilder &host;
  Location loc;
  llvm::MapVector<Value, BufferParts> buffers;
  llvm::SetVector<Value> indices;
  llvm::SetVector<Value> scalars;
  llvm::SetVector<Value> constants;
  /// The captures that are numbers themselves.
  llvm::SetVector<Value> direct;
};

} // namespace

Kernel tally::codegen::createKernel(OpBuilder &host, Location loc,
                                    StringRef name, ValueRange captures) {
  auto module =
      host.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  gpu::GPUModuleOp kernels = getKernelModule(module);
  ParameterBuilder parameters(host, loc, captures);
  Kernel kernel;
  kernel.operands = parameters.getOperands();
  OpBuilder builder(kernels.getContext());
  kernel.function = gpu::GPUFuncOp::create(
      builder, loc, name,
      builder.getFunctionType(TypeRange(ValueRange(kernel.operands)), {}));
  kernel.function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                           builder.getUnitAttr());
  // Makes the name unique.
  SymbolTable(kernels).insert(kernel.function);
  builder.setInsertionPointToEnd(&kernel.function.getBody().front());
  gpu::ReturnOp::create(builder, loc);
  parameters.rebuild(kernel.function, kernel.map);
  return kernel;
}

void tally::codegen::launchKernel(OpBuilder &host, Location loc,
                                  const Kernel &kernel, Value blocks,
                                  Value threads) {
  Value one = arith::ConstantIndexOp::create(host, loc, 1);
  gpu::LaunchFuncOp::create(
      host, loc, kernel.function, gpu::KernelDim3{blocks, one, one},
      gpu::KernelDim3{threads, one, one},
      /*dynamicSharedMemorySize=*/nullptr, kernel.operands);
}
