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
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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

/// The element of a tensor whose indices are in row `row` of `rows`. They
/// exist; what other programs write into a mask between two passes over it must
/// not lead anywhere else.
static Value createLookUp(OpBuilder &builder, Location loc, Value source,
                          Value rows, Value row) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> indices;
  for (int64_t dim = 0;
       dim < cast<RankedTensorType>(source.getType()).getRank(); ++dim) {
    Value column = arith::ConstantIndexOp::create(builder, loc, dim);
    Value index =
        tensor::ExtractOp::create(builder, loc, rows, ValueRange{row, column});
    index =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
    Value size = tensor::DimOp::create(builder, loc, source, column);
    Value last = arith::SubIOp::create(builder, loc, size, one);
    index = arith::MinSIOp::create(builder, loc, index, last);
    indices.push_back(arith::MaxSIOp::create(builder, loc, index, zero));
  }
  auto element = tensor::ExtractOp::create(builder, loc, source, indices);
  element->setAttr(tally::attr_names::kChecked, builder.getUnitAttr());
  return element;
}

/// Makes a `tally.nonzero` of the mask, and looks up the elements.
static tally::NonzeroOp splitMaskedSelect(tally::MaskedSelectOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  int64_t rank = op.getMask().getType().getRank();
  auto rowsType =
      RankedTensorType::get({ShapedType::kDynamic, rank}, builder.getI64Type());
  auto rows = tally::NonzeroOp::create(builder, loc, rowsType, op.getMask(),
                                       tally::BindingsAttr());
  Value count = tensor::DimOp::create(builder, loc, rows, 0);
  Value empty = tensor::EmptyOp::create(builder, loc, op.getType(), count);
  auto selected = linalg::GenericOp::create(
      builder, loc, TypeRange(op.getType()), ValueRange(), empty,
      builder.getMultiDimIdentityMap(1), utils::IteratorType::parallel,
      [&](OpBuilder &inner, Location loc, ValueRange) {
        Value row = linalg::IndexOp::create(inner, loc, 0);
        linalg::YieldOp::create(
            inner, loc, createLookUp(inner, loc, op.getSource(), rows, row));
      });
  op->replaceAllUsesWith(selected.getResults());
  op->erase();
  return rows;
}

LogicalResult tally::lowerNonzeroForGPU(Operation *root) {
  SmallVector<tally::NonzeroOp> ops;
  SmallVector<tally::MaskedSelectOp> selects;
  WalkResult result = root->walk([&](UnbackedBindingOpInterface op) {
    if (auto nonzero = dyn_cast<tally::NonzeroOp>(*op))
      ops.push_back(nonzero);
    else if (auto select = dyn_cast<tally::MaskedSelectOp>(*op))
      selects.push_back(select);
    else
      return WalkResult::advance();
    return WalkResult(tally::requireBound(op));
  });
  if (result.wasInterrupted())
    return failure();
  for (tally::MaskedSelectOp op : selects)
    ops.push_back(splitMaskedSelect(op));
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
