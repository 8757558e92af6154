//===- LoopBuilder.cpp - What lowerings to loops share --------------------===//

#include "LowerDataDependent.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tally;

Value LoopBuilder::index(int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(b);
    if (lastConstant)
      b.setInsertionPointAfterValue(lastConstant);
    else
      b.setInsertionPoint(op);
    constant = arith::ConstantIndexOp::create(b, loc, value);
    lastConstant = constant;
  }
  return constant;
}

Value LoopBuilder::clamp(Value index, Value size) {
  return max(min(index, sub(size, this->index(1))), this->index(0));
}

Value LoopBuilder::cast(Value integer, Type type) {
  return arith::IndexCastOp::create(b, loc, type, integer);
}

Value LoopBuilder::size(Value tensor, int64_t dim) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  if (type.isDynamicDim(dim))
    return tensor::DimOp::create(b, loc, tensor, dim);
  return index(type.getDimSize(dim));
}

Value LoopBuilder::numElements(Value tensor) {
  int64_t rank = mlir::cast<RankedTensorType>(tensor.getType()).getRank();
  Value number;
  for (int64_t dim = 0; dim < rank; ++dim)
    number = number ? create<arith::MulIOp>(number, size(tensor, dim))
                    : size(tensor, dim);
  return number ? number : index(1);
}

Value LoopBuilder::empty(Type element, Value size) {
  auto type = RankedTensorType::get({ShapedType::kDynamic}, element);
  return tensor::EmptyOp::create(b, loc, type, size);
}

Value LoopBuilder::zeros(Type element, Value size) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  return linalg::FillOp::create(b, loc, zero, empty(element, size))
      .getResult(0);
}

Value LoopBuilder::withSize(Value tensor, Value size) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> sizes{size};
  for (int64_t dim = 1; dim < type.getRank(); ++dim)
    sizes.push_back(b.getIndexAttr(type.getDimSize(dim)));
  return tensor::ExtractSliceOp::create(b, loc, type, tensor, offsets, sizes,
                                        strides);
}

LoopBuilder::Values LoopBuilder::createNest(ArrayRef<Value> sizes,
                                            Values &indices, ValueRange carried,
                                            Body body) {
  if (indices.size() == sizes.size())
    return body(indices, carried);
  auto loop = scf::ForOp::create(b, loc, index(0), sizes[indices.size()],
                                 index(1), carried);
  indices.push_back(loop.getInductionVar());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Values next = createNest(sizes, indices, loop.getRegionIterArgs(), body);
  scf::YieldOp::create(b, loc, next);
  return llvm::to_vector_of<Value>(loop.getResults());
}

LoopBuilder::Values LoopBuilder::forEach(Value tensor, ValueRange initial,
                                         Body body) {
  Values sizes, indices;
  int64_t rank = mlir::cast<RankedTensorType>(tensor.getType()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(size(tensor, dim));
  return createNest(sizes, indices, initial, body);
}

LoopBuilder::Values LoopBuilder::forRange(Value size, ValueRange initial,
                                          Body body) {
  Values indices;
  return createNest(size, indices, initial, body);
}

LoopBuilder::Values LoopBuilder::createIf(Value condition, ValueRange otherwise,
                                          function_ref<Values()> then) {
  auto branch = scf::IfOp::create(b, loc, otherwise.getTypes(), condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loc, then());
  b.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return llvm::to_vector_of<Value>(branch.getResults());
}
