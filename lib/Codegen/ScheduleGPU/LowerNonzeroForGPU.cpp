//===- LowerNonzeroForGPU.cpp - Compaction in parallel --------------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/ScheduleGPU/Passes.h"
#include "tally/Codegen/ScheduleGPU/Transforms.h"
#include "tally/IR/Bindings.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace tally {
#define GEN_PASS_DEF_LOWERNONZEROFORGPU
#include "tally/Codegen/ScheduleGPU/Passes.h.inc"
} // namespace tally

using namespace mlir;

/// Elements that one warp looks at: enough that counting the tiles takes little
/// time, few enough that a small tensor keeps many warps busy.
static constexpr int64_t kTile = 1024;

namespace {

/// Counts, allocates, writes.
class NonzeroLowering {
public:
  explicit NonzeroLowering(tally::NonzeroOp op)
      : op(op), loc(op.getLoc()), builder(op) {}

  void run() {
    RankedTensorType type = op.getType();
    Value elements = createElementCount();
    Value tiles =
        arith::CeilDivUIOp::create(builder, loc, elements, constant(kTile));
    Value before = createCounts(tiles);
    Value count = createCount(before, tiles, elements);
    Value rows = tensor::EmptyOp::create(builder, loc, type, count);
    // Without columns there is nothing to write.
    if (type.getDimSize(1) != 0)
      rows = createRows(before, rows, count);
    op->replaceAllUsesWith(ValueRange(rows));
    op->erase();
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }

  Value createElementCount() {
    Value count = constant(1);
    for (OpFoldResult size :
         tensor::getMixedSizes(builder, loc, op.getSource()))
      count = arith::MulIOp::create(
          builder, loc, count,
          getValueOrCreateConstantIndexOp(builder, loc, size));
    return count;
  }

  Value createCounts(Value tiles) {
    Value length = arith::AddIOp::create(builder, loc, tiles, constant(1));
    auto type =
        RankedTensorType::get({ShapedType::kDynamic}, builder.getI64Type());
    Value empty = tensor::EmptyOp::create(builder, loc, type, length);
    return tally::CountNonzeroOp::create(builder, loc, type, op.getSource(),
                                         empty, kTile)
        .getResults()
        .front();
  }

  Value createRows(Value before, Value empty, Value count) {
    RankedTensorType type = op.getType();
    Value rows = tally::WriteNonzeroOp::create(
                     builder, loc, type, op.getSource(), before, empty, kTile)
                     .getResults()
                     .front();
    // All of it; says to who asks for the size of the result what it is.
    SmallVector<OpFoldResult> offsets(2, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(2, builder.getIndexAttr(1));
    SmallVector<OpFoldResult> sizes{count,
                                    builder.getIndexAttr(type.getDimSize(1))};
    return tensor::ExtractSliceOp::create(builder, loc, type, rows, offsets,
                                          sizes, strides);
  }

  /// The number of rows. States what counting guarantees, which nobody sees.
  Value createCount(Value before, Value tiles, Value elements) {
    Value number = tensor::ExtractOp::create(builder, loc, before, tiles);
    Value count = arith::IndexCastOp::create(builder, loc,
                                             builder.getIndexType(), number);
    count = arith::MaxSIOp::create(builder, loc, count, constant(0));
    return arith::MinSIOp::create(builder, loc, count, elements);
  }

  tally::NonzeroOp op;
  Location loc;
  OpBuilder builder;
};
} // namespace

LogicalResult tally::lowerNonzeroForGPU(Operation *root) {
  SmallVector<tally::NonzeroOp> ops;
  WalkResult result = root->walk([&](tally::NonzeroOp op) {
    ops.push_back(op);
    return WalkResult(tally::requireBound(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (tally::NonzeroOp op : ops)
    NonzeroLowering(op).run();
  return success();
}

namespace {
struct LowerNonzeroForGPUPass
    : tally::impl::LowerNonzeroForGPUBase<LowerNonzeroForGPUPass> {
  void runOnOperation() override {
    if (failed(tally::lowerNonzeroForGPU(getOperation())))
      signalPassFailure();
  }
};

} // namespace
