//===- VectorBlocks.cpp - Blocks of vectors -------------------------------===//

#include "VectorBlocks.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tally::codegen;

std::optional<unsigned> tally::codegen::findContiguousLoop(AffineMap map) {
  if (!map.isProjectedPermutation() || map.getNumResults() == 0)
    return std::nullopt;
  return map.getDimPosition(map.getNumResults() - 1);
}

bool tally::codegen::isContiguous(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         !strides.empty() && strides.back() == 1;
}

/// Interleaves halves of the vectors log2(lanes) times.
SmallVector<Value> tally::codegen::transposeBlock(OpBuilder &builder,
                                                  Location loc,
                                                  SmallVector<Value> vectors) {
  int64_t lanes = vectors.size();
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < lanes / 2; ++i) {
    low.append({i, lanes + i});
    high.append({lanes / 2 + i, lanes + lanes / 2 + i});
  }
  for (int64_t width = 1; width < lanes; width *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < lanes / 2; ++i)
      for (ArrayRef<int64_t> half : {low, high})
        next.push_back(vector::ShuffleOp::create(builder, loc, vectors[i],
                                                 vectors[lanes / 2 + i], half));
    vectors = next;
  }
  return vectors;
}

static Value widen(OpBuilder &builder, Location loc, Value value,
                   int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get(lanes, value.getType()), value);
}

SmallVector<Value> tally::codegen::computeLanes(OpBuilder &builder,
                                                Location loc, Block &body,
                                                IRMapping &map, int64_t lanes) {
  for (Operation &inner : body.without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>()) {
      builder.clone(inner, map);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(
          widen(builder, loc, map.lookupOrDefault(operand), lanes));
    OperationState state(loc, inner.getName(), operands,
                         {VectorType::get(lanes, inner.getResult(0).getType())},
                         inner.getAttrs());
    map.map(inner.getResult(0), builder.create(state)->getResult(0));
  }
  SmallVector<Value> results;
  for (Value result : body.getTerminator()->getOperands())
    results.push_back(widen(builder, loc, map.lookupOrDefault(result), lanes));
  return results;
}
