//===- LowerMemory.cpp - Memory of the call context -----------------------===//
//
// See the description of the pass in Passes.td. The conversion is a partial
// one, before upstream's: that one folds the casts away, and has neither room
// for a context nor a check of the product of sizes.
//
//===----------------------------------------------------------------------===//

#include "RuntimeABI.h"
#include "Utils.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Threading.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tally {
#define GEN_PASS_DEF_LOWERMEMORY
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

namespace {

// %m = memref.alloc(%n) : memref<?xf32>
//   -> %p = call @tally_rt_alloc(%ctx, %bytes, %alignment)
struct AllocLowering : public ConvertOpToLLVMPattern<memref::AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::AllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    if (!isConvertibleAndHasIdentityMaps(type))
      return rewriter.notifyMatchFailure(op, "has a layout");
    SmallVector<Value> sizes, strides;
    Value bytes;
    getMemRefDescriptorSizes(loc, type, adaptor.getDynamicSizes(), rewriter,
                             sizes, strides, bytes);
    if (!type.hasStaticShape())
      bytes = checkedBytes(loc, type, sizes, rewriter);
    Value alignment = constant(
        loc, op.getAlignment().value_or(TALLY_RT_HOST_ALIGNMENT), rewriter);
    Value pointer =
        createRuntimeCall(rewriter, loc, tally::runtime_functions::kAlloc,
                          getCallContext(op), bytes, alignment)
            .getResult(0);
    Value descriptor = createMemRefDescriptor(loc, type, pointer, pointer,
                                              sizes, strides, rewriter);
    rewriter.replaceOp(op, descriptor);
    return success();
  }

private:
  static Value constant(Location loc, int64_t value, OpBuilder &builder) {
    return LLVM::ConstantOp::create(builder, loc,
                                    builder.getI64IntegerAttr(value));
  }

  /// The bytes of a buffer; 0 if a size is 0, else -1 if they do not fit.
  Value checkedBytes(Location loc, MemRefType type, ArrayRef<Value> sizes,
                     ConversionPatternRewriter &rewriter) const {
    Type pair = LLVM::LLVMStructType::getLiteral(
        getContext(), {rewriter.getI64Type(), rewriter.getI1Type()});
    Value zero = constant(loc, 0, rewriter);
    Value bytes = getSizeInBytes(loc, type.getElementType(), rewriter);
    Value overflow, empty;
    auto orWith = [&](Value flag, Value other) -> Value {
      return flag ? LLVM::OrOp::create(rewriter, loc, flag, other) : other;
    };
    for (Value size : sizes) {
      Value product =
          LLVM::UMulWithOverflowOp::create(rewriter, loc, pair, bytes, size);
      bytes = LLVM::ExtractValueOp::create(rewriter, loc, product, 0);
      overflow = orWith(
          overflow, LLVM::ExtractValueOp::create(rewriter, loc, product, 1));
      empty = orWith(empty,
                     LLVM::ICmpOp::create(rewriter, loc,
                                          LLVM::ICmpPredicate::eq, size, zero));
    }
    Value refused = LLVM::SelectOp::create(rewriter, loc, overflow,
                                           constant(loc, -1, rewriter), bytes);
    return LLVM::SelectOp::create(rewriter, loc, empty, zero, refused);
  }
};

// memref.dealloc %m -> call @tally_rt_free(%ctx, %p)
struct DeallocLowering : public ConvertOpToLLVMPattern<memref::DeallocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::DeallocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa<MemRefType>(op.getMemref().getType()))
      return rewriter.notifyMatchFailure(op, "is unranked");
    Value pointer = MemRefDescriptor(adaptor.getMemref())
                        .allocatedPtr(rewriter, op.getLoc());
    rewriter.replaceOp(op, createRuntimeCall(rewriter, op.getLoc(),
                                             tally::runtime_functions::kFree,
                                             getCallContext(op), pointer));
    return success();
  }
};
} // namespace

void tally::populateLowerMemoryPatterns(const LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<AllocLowering, DeallocLowering>(converter);
}

/// Converts the functions of the module, of which each is on its own, in
/// parallel.
static LogicalResult convertFunctions(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter converter(context);
  RewritePatternSet owned(context);
  tally::populateLowerMemoryPatterns(converter, owned);
  FrozenRewritePatternSet patterns(std::move(owned));
  ConversionTarget target(*context);
  target.addIllegalOp<memref::AllocOp, memref::DeallocOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  SmallVector<FunctionOpInterface> functions;
  module.walk(
      [&](FunctionOpInterface function) { functions.push_back(function); });
  return failableParallelForEach(
      context, functions, [&](FunctionOpInterface function) {
        return applyPartialConversion(function, target, patterns);
      });
}

LogicalResult tally::lowerMemory(ModuleOp module) {
  WalkResult contexts = module.walk([](Operation *op) {
    return isa<memref::AllocOp, memref::DeallocOp>(op)
               ? WalkResult(requireCallContext(op))
               : WalkResult::advance();
  });
  if (contexts.wasInterrupted())
    return failure();
  auto alloc = declareRuntimeFunction(module, runtime_functions::kAlloc);
  alloc.setResultAttr(0, LLVM::LLVMDialect::getNoAliasAttrName(),
                      UnitAttr::get(module.getContext()));
  declareRuntimeFunction(module, runtime_functions::kFree);
  return convertFunctions(module);
}

namespace {
struct LowerMemoryPass : tally::impl::LowerMemoryBase<LowerMemoryPass> {
  void runOnOperation() override {
    if (failed(tally::lowerMemory(getOperation())))
      signalPassFailure();
  }
};

} // namespace
