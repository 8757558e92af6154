//===- LowerMatmul.cpp - Matmuls as calls of the runtime ------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/MatrixBatch.h"
#include "Common/RuntimeStructs.h"
#include "Common/Utils.h"
#include "HostCall.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tally {
#define GEN_PASS_DEF_LOWERMATMUL
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

namespace {

/// Lowers one product.
class MatmulLowering {
public:
  explicit MatmulLowering(tally::MatmulOp op)
      : op(op), loc(op.getLoc()), builder(op),
        pointer(getPointerType(op.getContext())), i64(builder.getI64Type()) {}

  void run() {
    Value arguments = createArguments();
    Value kernel = tally::KernelAddressOp::create(builder, loc, pointer,
                                                  op.getFallbackAttr());
    declareRuntimeFunction(op->getParentOfType<ModuleOp>(),
                           tally::runtime_functions::kMatmul);
    createStatusCall(builder, loc, tally::runtime_functions::kMatmul,
                     getCallContext(op), arguments, kernel);
    op.erase();
  }

private:
  Value toI64(Value index) {
    return arith::IndexCastOp::create(builder, loc, i64, index);
  }

  /// The size of a dimension, counted from the last one.
  Value getSize(Value buffer, int64_t fromLast) {
    int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
    return builder.createOrFold<memref::DimOp>(loc, buffer, rank - fromLast);
  }

  /// A pointer to the first element of the buffer that `metadata` tells of.
  Value getPointer(Type element, memref::ExtractStridedMetadataOp metadata) {
    Value address = toI64(memref::ExtractAlignedPointerAsIndexOp::create(
        builder, loc, metadata.getBaseBuffer()));
    Value bytes = arith::ConstantIntOp::create(
        builder, loc, element.getIntOrFloatBitWidth() / 8, 64);
    Value offset =
        arith::MulIOp::create(builder, loc, toI64(metadata.getOffset()), bytes);
    address = arith::AddIOp::create(builder, loc, address, offset);
    return LLVM::IntToPtrOp::create(builder, loc, pointer, address);
  }

  /// Adds a pointer to the first element, and notes the distances between rows
  /// and between matrices.
  Value addMatrices(Value buffer, SmallVectorImpl<Value> &leading,
                    SmallVectorImpl<Value> &strides) {
    auto type = cast<MemRefType>(buffer.getType());
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    int64_t rank = type.getRank();
    leading.push_back(toI64(metadata.getStrides()[rank - 2]));
    // Dimensions that count matrices are one: the last of them steps through.
    strides.push_back(
        rank > 2
            ? toI64(metadata.getStrides()[rank - 3])
            : arith::ConstantIntOp::create(builder, loc, 0, 64).getResult());
    return getPointer(type.getElementType(), metadata);
  }

  /// The bias, or null.
  Value getBias() {
    Value bias = op.getBias();
    if (!bias)
      return LLVM::ZeroOp::create(builder, loc, pointer);
    return getPointer(
        cast<MemRefType>(bias.getType()).getElementType(),
        memref::ExtractStridedMetadataOp::create(builder, loc, bias));
  }

  Value getBatch() {
    Value c = op.getC();
    int64_t rank = cast<MemRefType>(c.getType()).getRank();
    Value batch = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t fromLast = rank; fromLast > 2; --fromLast)
      batch = arith::MulIOp::create(builder, loc, batch, getSize(c, fromLast));
    return batch;
  }

  /// A data type as `tally_rt_matmul_args` has it.
  int64_t getTypeCode(Value buffer) {
    DLDataType type =
        tally::getDataType(cast<MemRefType>(buffer.getType()).getElementType(),
                           /*isUnsigned=*/false);
    return TALLY_RT_DATA_TYPE(type.code, type.bits);
  }

  /// A tally_rt_matmul_args on the stack.
  Value createArguments() {
    SmallVector<Value> fields{
        toI64(getBatch()), toI64(getSize(op.getC(), 2)),
        toI64(getSize(op.getC(), 1)),
        toI64(getSize(op.getA(), op.getTransposeA() ? 2 : 1))};
    SmallVector<Value> leading, strides;
    for (Value buffer : {op.getA(), op.getB(), op.getC()})
      fields.push_back(addMatrices(buffer, leading, strides));
    fields.append(leading);
    fields.append(strides);
    fields.push_back(getBias());
    for (int64_t number : {getTypeCode(op.getA()), int64_t(op.getTransposeA()),
                           int64_t(op.getTransposeB()), getTypeCode(op.getC()),
                           int64_t(op.getRelu()), int64_t(0)})
      fields.push_back(arith::ConstantIntOp::create(builder, loc, number, 32));
    return createStruct(builder, loc, op->getParentOfType<func::FuncOp>(),
                        getStructType<tally_rt_matmul_args>(op.getContext()),
                        fields);
  }

  tally::MatmulOp op;
  Location loc;
  OpBuilder builder;
  Type pointer, i64;
};

/// Lowers one convolution.
class ConvolutionLowering : HostCall {
public:
  explicit ConvolutionLowering(tally::ContractOp op)
      : HostCall(op), op(op),
        convolution(*tally::getConvolution(tally::getLoops(op))) {}

  void run() {
    SmallVector<Value> kernels;
    for (auto name : op->getAttrOfType<ArrayAttr>(tally::kFallbacksAttr)
                         .getAsRange<SymbolRefAttr>())
      kernels.push_back(
          tally::KernelAddressOp::create(builder, loc, pointer, name));
    Value arguments =
        createStruct<tally_rt_convolution_args>(createArguments());
    if (convolution.givesWeight)
      call(tally::runtime_functions::kWeightGradient, arguments, kernels[0]);
    else if (convolution.givesImage)
      call(tally::runtime_functions::kImageGradient, arguments, kernels[0]);
    else
      call(tally::runtime_functions::kConvolution, arguments, kernels[0],
           kernels[1]);
  }

private:
  /// Adds three numbers, of which those of dimensions that there are not are 1.
  void addSpatial(SmallVectorImpl<Value> &fields,
                  llvm::function_ref<Value(int64_t)> get) {
    auto rank = static_cast<int64_t>(convolution.strides.size());
    for (int64_t dim = rank - 3; dim < rank; ++dim)
      fields.push_back(dim < 0 ? constant(1) : get(dim));
  }

  /// The fields of a tally_rt_convolution_args.
  SmallVector<Value> createArguments() {
    int64_t lead = convolution.isGrouped ? 1 : 0;
    Value image = op.getB(), weight = op.getA(), result = op.getC();
    if (convolution.givesWeight)
      std::swap(weight, result);
    if (convolution.givesImage)
      std::swap(image, result);
    SmallVector<Value> fields{getSize(image, 0),
                              lead ? getSize(image, 1) : constant(1),
                              getSize(weight, 1 + lead), getSize(weight, lead)};
    for (Value buffer : {image, weight, result})
      addSpatial(fields,
                 [&](int64_t dim) { return getSize(buffer, 2 + lead + dim); });
    for (ArrayRef<int64_t> numbers : {ArrayRef<int64_t>(convolution.strides),
                                      ArrayRef<int64_t>(convolution.dilations)})
      addSpatial(fields, [&](int64_t dim) { return constant(numbers[dim]); });
    auto rank = static_cast<int64_t>(convolution.padding.size());
    for (int64_t dim = rank - 3; dim < rank; ++dim)
      fields.push_back(constant(dim < 0 ? 0 : convolution.padding[dim]));
    for (Value buffer : {image, weight, result})
      fields.push_back(describeBuffer(buffer).first);
    fields.push_back(getTypeCode(op.getC()));
    return fields;
  }

  tally::ContractOp op;
  tally::Convolution convolution;
};
} // namespace

static LogicalResult checkConvolution(tally::ContractOp op) {
  if (failed(requireCallContext(op)))
    return failure();
  for (Type type : op->getOperandTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return op.emitOpError("is on tensors; bufferize it first");
    if (!isWithoutGaps(memref))
      return op.emitOpError("has an operand of type ")
             << type << " with gaps; run 'tally-place-on-device' first";
  }
  if (!op->hasAttr(tally::kFallbacksAttr))
    return op.emitOpError("has no kernels to fall back on; run "
                          "'tally-add-matmul-fallbacks' first");
  return success();
}

static LogicalResult checkMatmul(tally::MatmulOp op) {
  if (failed(requireCallContext(op)))
    return failure();
  for (Type type : op->getOperandTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return op.emitOpError("is on tensors; bufferize it first");
    if (!isMatrixBatch(memref))
      return op.emitOpError("has an operand of type ")
             << type
             << " whose rows, or whose matrices, are not at one distance; "
                "run "
                "'tally-place-on-device' first";
  }
  if (op.getPrologue())
    return op.emitOpError(
        "has a prologue, which only 'tally-lower-host-matmul' "
        "lowers; do not run 'tally-fuse-prologues'");
  if (!op.getFallbackAttr())
    return op.emitOpError("has no kernel to fall back on; run "
                          "'tally-add-matmul-fallbacks' first");
  return success();
}

LogicalResult tally::lowerMatmuls(ModuleOp module) {
  SmallVector<Operation *> ops;
  WalkResult result = module.walk([&](Operation *op) {
    if (!isa<tally::MatmulOp, tally::ContractOp>(op))
      return WalkResult::advance();
    ops.push_back(op);
    if (auto matmul = dyn_cast<tally::MatmulOp>(op))
      return WalkResult(checkMatmul(matmul));
    return WalkResult(checkConvolution(cast<tally::ContractOp>(op)));
  });
  if (result.wasInterrupted())
    return failure();
  for (Operation *op : ops)
    if (auto matmul = dyn_cast<tally::MatmulOp>(op))
      MatmulLowering(matmul).run();
    else
      ConvolutionLowering(cast<tally::ContractOp>(op)).run();
  return success();
}

namespace {
struct LowerMatmulPass : tally::impl::LowerMatmulBase<LowerMatmulPass> {
  void runOnOperation() override {
    if (failed(tally::lowerMatmuls(getOperation())))
      signalPassFailure();
  }
};

} // namespace
