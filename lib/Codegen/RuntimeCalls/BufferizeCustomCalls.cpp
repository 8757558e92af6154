//===- BufferizeCustomCalls.cpp - tally.custom_call_dps on buffers --------===//

#include "tally/Codegen/RuntimeCalls/BufferizeCustomCalls.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mlir::bufferization;

/// Whether nothing lies between the elements of a buffer.
static bool isCompact(MemRefType type) {
  if (type.getLayout().isIdentity() ||
      memref::isStaticShapeAndContiguousRowMajor(type))
    return true;
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         type.getRank() <= 1 &&
         llvm::all_of(strides, [](int64_t stride) { return stride == 1; });
}

namespace {

/// Reads its inputs and writes all of its outputs, which it returns.
struct CustomCallDpsModel
    : public BufferizableOpInterface::ExternalModel<CustomCallDpsModel,
                                                    tally::CustomCallDpsOp> {
  static bool isOutput(Operation *op, OpOperand &operand) {
    return operand.getOperandNumber() >=
           cast<tally::CustomCallDpsOp>(op).getInputs().size();
  }

  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !isOutput(op, operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return isOutput(op, operand);
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    if (!isOutput(op, operand))
      return {};
    auto call = cast<tally::CustomCallDpsOp>(op);
    size_t output = operand.getOperandNumber() - call.getInputs().size();
    return {{call.getTensors()[output], BufferRelation::Equivalent}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto call = cast<tally::CustomCallDpsOp>(op);
    SmallVector<Value> inputs, outputs;
    for (Value input : call.getInputs()) {
      if (isa<TensorType>(input.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, input, options, state);
        if (succeeded(buffer))
          buffer = makeCompact(rewriter, op->getLoc(), *buffer, options);
        if (failed(buffer))
          return failure();
        input = *buffer;
      }
      inputs.push_back(input);
    }
    for (Value output : call.getOutputs()) {
      FailureOr<Value> buffer = getBuffer(rewriter, output, options, state);
      if (failed(buffer))
        return failure();
      outputs.push_back(*buffer);
    }
    auto made = tally::CustomCallDpsOp::create(
        rewriter, op->getLoc(), TypeRange(), call.getSizes().getTypes(),
        call.getScalars().getTypes(), call.getCallee(), inputs, outputs,
        call.getIsScalar(), call.getPure());
    SmallVector<Value> results(outputs);
    llvm::append_range(results, made.getSizes());
    llvm::append_range(results, made.getScalars());
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }

private:
  /// Copies a buffer with gaps.
  static FailureOr<Value> makeCompact(RewriterBase &rewriter, Location loc,
                                      Value buffer,
                                      const BufferizationOptions &options) {
    auto type = cast<MemRefType>(buffer.getType());
    if (isCompact(type))
      return buffer;
    auto compact = MemRefType::get(type.getShape(), type.getElementType());
    SmallVector<Value> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, dim));
    FailureOr<Value> copy = options.createAlloc(rewriter, loc, compact, sizes);
    if (failed(copy) ||
        failed(options.createMemCpy(rewriter, loc, buffer, *copy)))
      return failure();
    return copy;
  }
};

} // namespace

void tally::registerCustomCallBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TallyDialect *) {
    CustomCallDpsOp::attachInterface<CustomCallDpsModel>(*context);
  });
}
