//===- LowerHostMatmul.cpp - Matmuls on the CPU as calls of the runtime ---===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Utils.h"
#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tally {
#define GEN_PASS_DEF_LOWERHOSTMATMUL
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

namespace {

/// A batch of matrices in memory.
struct Matrices {
  Value pointer;
  /// Of the dimensions that count matrices, in elements.
  SmallVector<Value> batchStrides;
  Value rowStride, columnStride;
};

/// Lowers one matmul.
class HostMatmulLowering {
public:
  explicit HostMatmulLowering(tally::MatmulOp op)
      : op(op), loc(op.getLoc()), builder(op),
        pointer(getPointerType(op.getContext())), i64(builder.getI64Type()),
        rank(cast<MemRefType>(op.getC().getType()).getRank()) {}

  void run() {
    auto function = declareRuntimeFunction(
        op->getParentOfType<ModuleOp>(), "tally_rt_host_matmul",
        {pointer, pointer}, {builder.getI32Type()});
    auto call =
        func::CallOp::create(builder, loc, function,
                             ValueRange{getCallContext(op), createArguments()});
    call->setAttr(tally::attr_names::kStatus, builder.getUnitAttr());
    op.erase();
  }

private:
  Value toI64(Value index) {
    return arith::IndexCastOp::create(builder, loc, i64, index);
  }

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  Value getSize(Value buffer, int64_t dim) {
    return toI64(builder.createOrFold<memref::DimOp>(loc, buffer, dim));
  }

  Matrices describe(Value buffer, bool isTransposed) {
    auto type = cast<MemRefType>(buffer.getType());
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
    Value address = toI64(memref::ExtractAlignedPointerAsIndexOp::create(
        builder, loc, metadata.getBaseBuffer()));
    Value offset =
        arith::MulIOp::create(builder, loc, toI64(metadata.getOffset()),
                              constant(type.getElementTypeBitWidth() / 8));
    address = arith::AddIOp::create(builder, loc, address, offset);
    Matrices matrices;
    matrices.pointer = LLVM::IntToPtrOp::create(builder, loc, pointer, address);
    for (Value stride : metadata.getStrides().drop_back(2))
      matrices.batchStrides.push_back(toI64(stride));
    matrices.rowStride = toI64(metadata.getStrides()[rank - 2]);
    matrices.columnStride = toI64(metadata.getStrides()[rank - 1]);
    if (isTransposed)
      std::swap(matrices.rowStride, matrices.columnStride);
    return matrices;
  }

  /// The data type as `tally_rt_host_matmul_args` has it.
  int64_t getTypeCode() {
    Type element = cast<MemRefType>(op.getC().getType()).getElementType();
    DataType type = getDataType(element, /*isUnsigned=*/false);
    return int64_t(type.code) << 8 | type.bits;
  }

  /// A structure on the stack.
  Value createRecord(ArrayRef<Value> fields) {
    auto type = LLVM::LLVMStructType::getLiteral(
        op.getContext(), llvm::to_vector(ValueRange(fields).getTypes()));
    Value slot =
        createStackSlot(op->getParentOfType<FunctionOpInterface>(), type);
    for (auto [index, field] : llvm::enumerate(fields)) {
      Value address = LLVM::GEPOp::create(
          builder, loc, pointer, type, slot,
          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
      LLVM::StoreOp::create(builder, loc, field, address);
    }
    return slot;
  }

  /// The sizes of the batch, and the strides of each operand.
  Value createBatch(ArrayRef<Matrices> operands) {
    if (rank == 2)
      return LLVM::ZeroOp::create(builder, loc, pointer);
    SmallVector<Value> fields;
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      fields.push_back(getSize(op.getC(), dim));
    for (const Matrices &matrices : operands)
      llvm::append_range(fields, matrices.batchStrides);
    return createRecord(fields);
  }

  /// A tally_rt_host_matmul_args on the stack.
  Value createArguments() {
    bool transposeA = op.getTransposeA();
    Matrices operands[] = {describe(op.getA(), transposeA),
                           describe(op.getB(), op.getTransposeB()),
                           describe(op.getC(), false)};
    SmallVector<Value> fields{
        getSize(op.getC(), rank - 2), getSize(op.getC(), rank - 1),
        getSize(op.getA(), transposeA ? rank - 2 : rank - 1)};
    for (const Matrices &matrices : operands)
      fields.push_back(matrices.pointer);
    for (const Matrices &matrices : operands)
      fields.append({matrices.rowStride, matrices.columnStride});
    fields.append(
        {constant(rank - 2), createBatch(operands), constant(getTypeCode())});
    return createRecord(fields);
  }

  tally::MatmulOp op;
  Location loc;
  OpBuilder builder;
  Type pointer, i64;
  int64_t rank;
};

struct LowerHostMatmulPass
    : public tally::impl::LowerHostMatmulBase<LowerHostMatmulPass> {
  void runOnOperation() override {
    SmallVector<tally::MatmulOp> ops;
    WalkResult result = getOperation().walk([&](tally::MatmulOp op) {
      ops.push_back(op);
      if (!isa<MemRefType>(op.getC().getType()))
        return WalkResult(op.emitOpError("is on tensors; bufferize it first"));
      return WalkResult(requireCallContext(op));
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (tally::MatmulOp op : ops)
      HostMatmulLowering(op).run();
  }
};

} // namespace
