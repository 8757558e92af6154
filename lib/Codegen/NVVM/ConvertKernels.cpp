//===- ConvertKernels.cpp - Kernels in the NVVM dialect -------------------===//
//
// See the description of the pass in Passes.td. Upstream's pass has no patterns
// for some operations, and leaves those without a word; here one conversion has
// them all, and what stays is an error.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/NVVM/Passes.h"
#include "tally/Codegen/NVVM/Transforms.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tally {
#define GEN_PASS_DEF_CONVERTKERNELS
#include "tally/Codegen/NVVM/Passes.h.inc"
} // namespace tally

using namespace mlir;

void tally::populateConvertKernelsPatterns(LLVMTypeConverter &converter,
                                           RewritePatternSet &patterns) {
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  // A math function of libdevice is preferred to an intrinsic that the backend
  // may not have.
  populateGpuToNVVMConversionPatterns(converter, patterns, /*benefit=*/2);
}

/// LLVM takes it that a large variable without an alignment is aligned to 16
/// bytes, and loads as much from it at once; PTX declares such a variable with
/// the alignment of its elements.
static void alignSharedMemory(gpu::GPUModuleOp kernels) {
  for (auto global : kernels.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() ==
            static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared) &&
        !global.getAlignment())
      global.setAlignment(16);
}

/// Reports the first operation that is no LLVM; casts only where nothing else
/// is left, as they are what an operation leaves behind.
static LogicalResult checkConverted(gpu::GPUModuleOp kernels) {
  Operation *left = nullptr;
  kernels.walk([&](Operation *op) {
    if (op == kernels ||
        isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult::advance();
    if (!left || isa<UnrealizedConversionCastOp>(left))
      left = op;
    return WalkResult::advance();
  });
  if (left)
    return left->emitError("'")
           << left->getName() << "' cannot be compiled for the GPU";
  return success();
}

/// A store that other threads see as a whole, in place of an exchange.
static void replaceByStore(LLVM::AtomicRMWOp op) {
  OpBuilder builder(op);
  Value value = op.getVal();
  Type type = value.getType();
  auto integer = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (type != integer)
    value = LLVM::BitcastOp::create(builder, op.getLoc(), integer, value);
  LLVM::StoreOp::create(builder, op.getLoc(), value, op.getPtr(),
                        /*alignment=*/integer.getWidth() / 8,
                        /*isVolatile=*/false, /*isNonTemporal=*/false,
                        /*isInvariantGroup=*/false,
                        LLVM::AtomicOrdering::monotonic, "device");
  op.erase();
}

/// The extremum of an element and a float is written where it is not what the
/// element is already, as it soon is for most, and tried again where another
/// thread was first.
static void replaceByAttempts(LLVM::AtomicRMWOp op) {
  constexpr auto relaxed = LLVM::AtomicOrdering::monotonic;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getVal(), pointer = op.getPtr();
  unsigned width = value.getType().getIntOrFloatBitWidth();
  auto integer = builder.getIntegerType(width);
  Value first = LLVM::LoadOp::create(
      builder, loc, integer, pointer, /*alignment=*/width / 8,
      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, relaxed, "device");
  Block *before = op->getBlock();
  Block *after = before->splitBlock(op);
  Block *look = builder.createBlock(after, {integer}, {loc});
  Block *attempt = builder.createBlock(after);
  builder.setInsertionPointToEnd(before);
  LLVM::BrOp::create(builder, loc, first, look);

  builder.setInsertionPointToStart(look);
  Value old = look->getArgument(0);
  Value element = LLVM::BitcastOp::create(builder, loc, value.getType(), old);
  Value best =
      op.getBinOp() == LLVM::AtomicBinOp::fmaximum
          ? Value(LLVM::MaximumOp::create(builder, loc, element, value))
          : LLVM::MinimumOp::create(builder, loc, element, value);
  best = LLVM::BitcastOp::create(builder, loc, integer, best);
  Value isNew =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, best, old);
  LLVM::CondBrOp::create(builder, loc, isNew, attempt, after);

  builder.setInsertionPointToStart(attempt);
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      builder, loc, pointer, old, best, relaxed, relaxed, "device");
  Value found = LLVM::ExtractValueOp::create(builder, loc, exchange, 0);
  Value isDone = LLVM::ExtractValueOp::create(builder, loc, exchange, 1);
  LLVM::CondBrOp::create(builder, loc, isDone, after, ValueRange(), look,
                         found);
  op.erase();
}

/// An update whose old value nobody reads orders nothing else: what a kernel
/// leaves is read by later ones. Only threads of the device take part.
static void relaxUpdates(gpu::GPUModuleOp kernels) {
  SmallVector<LLVM::AtomicRMWOp> updates;
  kernels.walk([&](LLVM::AtomicRMWOp op) {
    if (op.getRes().use_empty())
      updates.push_back(op);
  });
  for (LLVM::AtomicRMWOp op : updates) {
    switch (op.getBinOp()) {
    case LLVM::AtomicBinOp::xchg:
      replaceByStore(op);
      break;
    case LLVM::AtomicBinOp::fmaximum:
    case LLVM::AtomicBinOp::fminimum:
      replaceByAttempts(op);
      break;
    default:
      op.setOrdering(LLVM::AtomicOrdering::monotonic);
      op.setSyncscope("device");
    }
  }
}

LogicalResult tally::convertKernels(gpu::GPUModuleOp kernels) {
  MLIRContext *context = kernels->getContext();
  LowerToLLVMOptions options(context);
  options.useBarePtrCallConv = true;
  options.overrideIndexBitwidth(64);
  // There is no heap in a kernel.
  options.allocLowering = LowerToLLVMOptions::AllocLowering::None;
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  RewritePatternSet patterns(context);
  populateConvertKernelsPatterns(converter, patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
  target.addLegalOp<gpu::GPUModuleOp, UnrealizedConversionCastOp>();
  if (failed(applyPartialConversion(kernels, target, std::move(patterns))))
    return failure();
  alignSharedMemory(kernels);
  relaxUpdates(kernels);
  SmallVector<UnrealizedConversionCastOp> casts;
  kernels.walk([&](UnrealizedConversionCastOp op) { casts.push_back(op); });
  reconcileUnrealizedCasts(casts);
  return checkConverted(kernels);
}

namespace {
struct ConvertKernelsPass
    : tally::impl::ConvertKernelsBase<ConvertKernelsPass> {
  void runOnOperation() override {
    if (failed(tally::convertKernels(getOperation())))
      signalPassFailure();
  }
};

} // namespace
