//===- LowerCustomCalls.cpp - Room for the results of custom functions ----===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/RuntimeCalls/Passes.h"
#include "tally/Codegen/RuntimeCalls/Transforms.h"
#include "tally/IR/Bindings.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tally {
#define GEN_PASS_DEF_LOWERCUSTOMCALLS
#include "tally/Codegen/RuntimeCalls/Passes.h.inc"
} // namespace tally

using namespace mlir;

namespace {

/// Lowers one call.
class CallLowering {
public:
  explicit CallLowering(tally::CustomCallOp op)
      : op(op), loc(op.getLoc()), builder(op) {}

  void run() {
    ValueRange bounds = op.getBounds();
    for (Type type : op.getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      isScalar.push_back(!tensor);
      if (!tensor) {
        scalarTypes.push_back(type);
        continue;
      }
      // No tensor.empty: what others make of the result is no place to write
      // it to, as it would not be compact.
      size_t dynamic = tensor.getNumDynamicDims();
      outputs.push_back(bufferization::AllocTensorOp::create(
          builder, loc, tensor, bounds.take_front(dynamic)));
      bounds = bounds.drop_front(dynamic);
    }
    SmallVector<Type> sizeTypes(op.getBounds().size(), builder.getIndexType());
    auto call = tally::CustomCallDpsOp::create(
        builder, loc, ValueRange(outputs).getTypes(), sizeTypes, scalarTypes,
        op.getCallee(), op.getInputs(), outputs, isScalar, op.getPure());
    op->replaceAllUsesWith(collectResults(call));
    op->erase();
  }

private:
  SmallVector<Value> collectResults(tally::CustomCallDpsOp call) {
    SmallVector<Value> results;
    ValueRange tensors = call.getTensors(), sizes = call.getSizes(),
               numbers = call.getScalars();
    for (bool number : isScalar) {
      ValueRange &from = number ? numbers : tensors;
      results.push_back(number ? from.front() : slice(from.front(), sizes));
      from = from.drop_front();
    }
    return results;
  }

  /// The part of the room that the function has filled; takes its sizes off the
  /// list.
  Value slice(Value destination, ValueRange &sizes) {
    auto type = cast<RankedTensorType>(destination.getType());
    if (type.hasStaticShape())
      return destination;
    SmallVector<OpFoldResult> mixed;
    for (int64_t size : type.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        mixed.push_back(builder.getIndexAttr(size));
        continue;
      }
      mixed.push_back(sizes.front());
      sizes = sizes.drop_front();
    }
    SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0)),
        strides(type.getRank(), builder.getIndexAttr(1));
    return tensor::ExtractSliceOp::create(builder, loc, type, destination,
                                          offsets, mixed, strides);
  }

  tally::CustomCallOp op;
  Location loc;
  OpBuilder builder;
  SmallVector<Value> outputs;
  SmallVector<Type> scalarTypes;
  SmallVector<bool> isScalar;
};
} // namespace

LogicalResult tally::lowerCustomCalls(Operation *root) {
  SmallVector<tally::CustomCallOp> calls;
  WalkResult result = root->walk([&](tally::CustomCallOp op) {
    calls.push_back(op);
    return WalkResult(tally::requireBound(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (tally::CustomCallOp op : calls)
    CallLowering(op).run();
  return success();
}

namespace {
struct LowerCustomCallsPass
    : tally::impl::LowerCustomCallsBase<LowerCustomCallsPass> {
  void runOnOperation() override {
    if (failed(tally::lowerCustomCalls(getOperation())))
      signalPassFailure();
  }
};

} // namespace
