//===- LowerLaunches.cpp - Launches as calls of the runtime ---------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/AssertTable.h"
#include "Common/RuntimeABI.h"
#include "Common/Utils.h"
#include "KernelConstants.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tally {
#define GEN_PASS_DEF_LOWERLAUNCHES
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

/// The bytes of an element in memory; 0 if it is not a number.
static int64_t getElementBytes(Type type) {
  if (type.isIndex())
    return 8;
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

/// The type of a number in memory.
static Type getStorageType(Type type) {
  auto builder = Builder(type.getContext());
  if (type.isIndex())
    return builder.getI64Type();
  return type.isInteger(1) ? builder.getI8Type() : type;
}

/// Whether the elements of a buffer lie one after the other.
static bool isContiguous(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.areTrailingDimsContiguous(type.getRank());
}

namespace {

/// Lowers what one function asks of the device.
class LaunchLowering {
public:
  LaunchLowering(func::FuncOp function, KernelConstants &kernels)
      : function(function), kernels(kernels),
        module(function->getParentOfType<ModuleOp>()),
        builder(function.getContext()),
        pointer(getPointerType(function.getContext())),
        i64(builder.getI64Type()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      builder.setInsertionPoint(op);
      if (failed(lower(op)))
        return failure();
    }
    createArguments();
    return success();
  }

private:
  LogicalResult lower(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<gpu::LaunchFuncOp, tally::KernelAddressOp, tally::ReadBackOp,
              tally::DeviceErrorsOp, tally::CheckDeviceOp, tally::AnyOrderOp,
              memref::GetGlobalOp, memref::CopyOp>([&](auto matched) {
          if (failed(requireCallContext(op)) || failed(lowerOp(matched)))
            return failure();
          op->erase();
          return success();
        })
        .Default([](Operation *other) { return checkMemory(other); });
  }

  /// The host has no access to the buffers of a function.
  static LogicalResult checkMemory(Operation *op) {
    if (isa<memref::AllocOp, memref::DeallocOp>(op))
      return success();
    if (isa<gpu::GPUDialect>(op->getDialect()))
      return op->emitError("cannot be lowered to a call of the runtime");
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return success();
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          (interface.getEffectOnValue<MemoryEffects::Read>(operand) ||
           interface.getEffectOnValue<MemoryEffects::Write>(operand)))
        return op->emitError("'")
               << op->getName()
               << "' accesses memory of the device on the host; it belongs in "
                  "a kernel";
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  Value constant(Location loc, int64_t value) {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(value));
  }

  Value toI64(Location loc, Value value) {
    if (value.getType().isIndex())
      return arith::IndexCastOp::create(builder, loc, i64, value);
    if (value.getType().getIntOrFloatBitWidth() < 64)
      return arith::ExtSIOp::create(builder, loc, i64, value);
    return value;
  }

  Value addressOf(Location loc, StringRef global) {
    return LLVM::AddressOfOp::create(builder, loc, pointer, global);
  }

  /// The address of an element, or of the first one.
  Value addressOf(Location loc, Value buffer, ValueRange indices = {}) {
    Value address = toI64(loc, memref::ExtractAlignedPointerAsIndexOp::create(
                                   builder, loc, buffer));
    auto type = cast<MemRefType>(buffer.getType());
    if (!type.getLayout().isIdentity() || !indices.empty()) {
      auto metadata =
          memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
      Value position = metadata.getOffset();
      for (auto [index, stride] : llvm::zip(indices, metadata.getStrides())) {
        Value step = arith::MulIOp::create(builder, loc, index, stride);
        position = arith::AddIOp::create(builder, loc, position, step);
      }
      Value bytes = arith::MulIOp::create(
          builder, loc, toI64(loc, position),
          constant(loc, getElementBytes(type.getElementType())));
      address = arith::AddIOp::create(builder, loc, address, bytes);
    }
    return LLVM::IntToPtrOp::create(builder, loc, pointer, address);
  }

  /// The table of what asserts in kernels tell, or null.
  Value createDeviceTable(Location loc) {
    if (module.lookupSymbol<LLVM::GlobalOp>(kDeviceAssertTable))
      return addressOf(loc, kDeviceAssertTable);
    return LLVM::ZeroOp::create(builder, loc, pointer);
  }

  /// Calls the runtime; the context is passed first.
  template <typename Function, typename... Values>
  Value call(Location loc, tally::RuntimeFunction<Function> callee,
             Values... arguments) {
    declareRuntimeFunction(module, callee);
    return createStatusCall(builder, loc, callee, function.getArgument(0),
                            arguments...)
        .getResult(0);
  }

  /// A buffer that is a pointer from the runtime.
  Value toMemRef(Location loc, Value address, MemRefType type) {
    LLVMTypeConverter converter(type.getContext());
    Value descriptor = MemRefDescriptor::fromStaticShape(
        builder, loc, converter, type, address);
    return UnrealizedConversionCastOp::create(builder, loc, type, descriptor)
        .getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  LogicalResult lowerOp(tally::KernelAddressOp op) {
    FailureOr<LLVM::GlobalOp> kernel =
        kernels.getKernel(op.getKernelAttr(), op);
    if (failed(kernel))
      return failure();
    op.getResult().replaceAllUsesWith(
        addressOf(op.getLoc(), kernel->getSymName()));
    return success();
  }

  // One array of 8-byte slots and one of pointers to them, which serve all
  // launches of the function: a launch copies what it is passed.
  LogicalResult lowerOp(gpu::LaunchFuncOp op) {
    Location loc = op.getLoc();
    if (op.hasClusterSize() || op.getAsyncToken() || op.getAsyncObject() ||
        !op.getAsyncDependencies().empty())
      return op.emitError("has a cluster size or an async token, which the "
                          "runtime cannot pass on");
    FailureOr<LLVM::GlobalOp> kernel =
        kernels.getKernel(op.getKernelAttr(), op);
    if (failed(kernel))
      return failure();
    for (auto [slot, argument] : llvm::enumerate(op.getKernelOperands())) {
      Value value = argument;
      if (auto type = dyn_cast<MemRefType>(argument.getType())) {
        if (!type.getLayout().isIdentity())
          return op.emitError("passes a buffer with a layout: ") << type;
        value = addressOf(loc, argument);
      } else if (argument.getType().isIndex()) {
        value = toI64(loc, argument);
      } else if (int64_t bytes = getElementBytes(argument.getType());
                 bytes == 0 || bytes > 8) {
        return op.emitError("cannot pass a ") << argument.getType();
      }
      store(loc, value, static_cast<int32_t>(slot));
    }
    Value address = addressOf(loc, kernel->getSymName());
    Value gridX = toI64(loc, op.getGridSizeX());
    Value gridY = toI64(loc, op.getGridSizeY());
    Value gridZ = toI64(loc, op.getGridSizeZ());
    Value blockX = toI64(loc, op.getBlockSizeX());
    Value blockY = toI64(loc, op.getBlockSizeY());
    Value blockZ = toI64(loc, op.getBlockSizeZ());
    Value shared = op.getDynamicSharedMemorySize();
    shared = shared ? toI64(loc, shared) : constant(loc, 0);
    call(loc, tally::runtime_functions::kLaunch, address, gridX, gridY, gridZ,
         blockX, blockY, blockZ, shared, getArguments().pointers);
    slotCount = std::max<size_t>(slotCount, op.getNumKernelOperands());
    return success();
  }

  LogicalResult lowerOp(tally::ReadBackOp op) {
    Location loc = op.getLoc();
    Type type = op.getResult().getType();
    int64_t bytes = getElementBytes(type);
    if (bytes == 0)
      return op.emitError("cannot read a ") << type;
    Value slot = createStackSlot(function, getStorageType(type));
    Value source = addressOf(loc, op.getSource(), op.getIndices());
    Value table = createDeviceTable(loc), count = constant(loc, bytes);
    call(loc, tally::runtime_functions::kReadBack, table, source, slot, count);
    Value value =
        LLVM::LoadOp::create(builder, loc, getStorageType(type), slot);
    if (type.isIndex())
      value = arith::IndexCastOp::create(builder, loc, type, value);
    else if (type.isInteger(1))
      value = arith::TruncIOp::create(builder, loc, type, value);
    op.replaceAllUsesWith(value);
    return success();
  }

  LogicalResult lowerOp(tally::DeviceErrorsOp op) {
    Location loc = op.getLoc();
    Value errors = call(loc, tally::runtime_functions::kDeviceErrors,
                        createDeviceTable(loc));
    op.replaceAllUsesWith(
        toMemRef(loc, errors, cast<MemRefType>(op.getResult().getType())));
    return success();
  }

  LogicalResult lowerOp(tally::CheckDeviceOp op) {
    call(op.getLoc(), tally::runtime_functions::kCheckDevice,
         createDeviceTable(op.getLoc()));
    return success();
  }

  LogicalResult lowerOp(tally::AnyOrderOp op) {
    declareRuntimeFunction(module, tally::runtime_functions::kAnyOrder);
    Value any = createRuntimeCall(builder, op.getLoc(),
                                  tally::runtime_functions::kAnyOrder,
                                  function.getArgument(0))
                    .getResult(0);
    op.replaceAllUsesWith(
        arith::TruncIOp::create(builder, op.getLoc(), op.getType(), any)
            .getResult());
    return success();
  }

  LogicalResult lowerOp(memref::GetGlobalOp op) {
    Location loc = op.getLoc();
    auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
        op, op.getNameAttr());
    MemRefType type = op.getType();
    int64_t bytes = getElementBytes(type.getElementType());
    if (!global || !global.getConstant() || !type.getLayout().isIdentity() ||
        bytes == 0)
      return op.emitError("only constants of numbers can be on the device");
    auto host = memref::GetGlobalOp::create(builder, loc, type, op.getName());
    Value address = addressOf(loc, host),
          count = constant(loc, bytes * type.getNumElements());
    Value copy = call(loc, tally::runtime_functions::kConstant, address, count);
    op.replaceAllUsesWith(toMemRef(loc, copy, type));
    return success();
  }

  LogicalResult lowerOp(memref::CopyOp op) {
    Location loc = op.getLoc();
    Value source = op.getSource(), target = op.getTarget();
    if (!isContiguous(source) || !isContiguous(target))
      return op.emitError("copies a buffer that may have gaps; it belongs in a "
                          "kernel");
    auto type = cast<MemRefType>(source.getType());
    Value bytes = constant(loc, getElementBytes(type.getElementType()));
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Value size = memref::DimOp::create(builder, loc, source, dim).getResult();
      bytes = arith::MulIOp::create(builder, loc, bytes, toI64(loc, size));
    }
    Value to = addressOf(loc, target), from = addressOf(loc, source);
    call(loc, tally::runtime_functions::kCopy, to, from, bytes);
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Arguments of kernels
  //===--------------------------------------------------------------------===//

  struct Arguments {
    LLVM::AllocaOp slots, pointers;
  };

  /// The two arrays, whose lengths are known when the function is done.
  Arguments &getArguments() {
    if (!arguments.slots) {
      arguments.slots =
          createStackSlot(function, i64).getDefiningOp<LLVM::AllocaOp>();
      arguments.pointers =
          createStackSlot(function, pointer).getDefiningOp<LLVM::AllocaOp>();
    }
    return arguments;
  }

  void store(Location loc, Value value, int32_t slot) {
    Value address =
        LLVM::GEPOp::create(builder, loc, pointer, i64, getArguments().slots,
                            ArrayRef<LLVM::GEPArg>{slot});
    LLVM::StoreOp::create(builder, loc, value, address);
  }

  /// Gives the arrays their lengths and stores the pointers, once.
  void createArguments() {
    if (!arguments.slots)
      return;
    Location loc = function.getLoc();
    builder.setInsertionPointToStart(&function.front());
    Value length = constant(loc, static_cast<int64_t>(slotCount));
    for (LLVM::AllocaOp array : {arguments.slots, arguments.pointers}) {
      array->moveAfter(length.getDefiningOp());
      array.getArraySizeMutable().assign(length);
    }
    builder.setInsertionPointAfter(
        arguments.slots->isBeforeInBlock(arguments.pointers)
            ? arguments.pointers
            : arguments.slots);
    for (int32_t slot = 0; slot < static_cast<int32_t>(slotCount); ++slot) {
      auto element = [&](Value array, Type type) -> Value {
        return LLVM::GEPOp::create(builder, loc, pointer, type, array,
                                   ArrayRef<LLVM::GEPArg>{slot});
      };
      Value address = element(arguments.slots, i64);
      LLVM::StoreOp::create(builder, loc, address,
                            element(arguments.pointers, pointer));
    }
  }

  func::FuncOp function;
  KernelConstants &kernels;
  ModuleOp module;
  OpBuilder builder;
  Type pointer, i64;
  Arguments arguments;
  size_t slotCount = 0;
};
} // namespace

LogicalResult tally::lowerLaunches(ModuleOp module) {
  KernelConstants kernels(module);
  // Declarations of the runtime are added on the way.
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>()))
    if (!function.isExternal() &&
        failed(LaunchLowering(function, kernels).run()))
      return failure();
  // Upstream would give what is left a global constructor.
  for (auto binary : llvm::make_early_inc_range(module.getOps<gpu::BinaryOp>()))
    binary.erase();
  for (auto left : module.getOps<gpu::GPUModuleOp>()) {
    left.emitError("has not been compiled; run 'tally-serialize-kernels' "
                   "first");
    return failure();
  }
  module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  return success();
}

namespace {
struct LowerLaunchesPass : tally::impl::LowerLaunchesBase<LowerLaunchesPass> {
  void runOnOperation() override {
    if (failed(tally::lowerLaunches(getOperation())))
      signalPassFailure();
  }
};

} // namespace
