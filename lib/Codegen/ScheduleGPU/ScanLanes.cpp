//===- ScanLanes.cpp - Neighboring elements of several buffers ------------===//

#include "ScanLanes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

static llvm::MaybeAlign getAlignment(Type element, unsigned lanes) {
  return llvm::MaybeAlign(lanes * element.getIntOrFloatBitWidth() / 8);
}

SmallVector<SmallVector<Value>>
tally::codegen::loadLanes(OpBuilder &builder, Location loc, ValueRange buffers,
                          ValueRange indices, unsigned lanes) {
  SmallVector<SmallVector<Value>> loaded(lanes);
  for (Value buffer : buffers) {
    if (lanes == 1) {
      loaded[0].push_back(
          memref::LoadOp::create(builder, loc, buffer, indices));
      continue;
    }
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    auto vector = vector::LoadOp::create(
        builder, loc, VectorType::get({lanes}, type), buffer, indices,
        /*nontemporal=*/false, getAlignment(type, lanes));
    for (unsigned lane = 0; lane < lanes; ++lane)
      loaded[lane].push_back(
          vector::ExtractOp::create(builder, loc, vector, lane));
  }
  return loaded;
}

void tally::codegen::storeLanes(OpBuilder &builder, Location loc,
                                ValueRange buffers, ValueRange indices,
                                ArrayRef<SmallVector<Value>> lanes) {
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    if (lanes.size() == 1) {
      memref::StoreOp::create(builder, loc, lanes[0][number], buffer, indices);
      continue;
    }
    Type type = cast<MemRefType>(buffer.getType()).getElementType();
    SmallVector<Value> elements;
    for (ArrayRef<Value> values : lanes)
      elements.push_back(values[number]);
    auto vector = vector::FromElementsOp::create(
        builder, loc, VectorType::get({int64_t(elements.size())}, type),
        elements);
    vector::StoreOp::create(builder, loc, vector, buffer, indices,
                            /*nontemporal=*/false,
                            getAlignment(type, elements.size()));
  }
}
