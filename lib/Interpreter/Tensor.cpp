//===- Tensor.cpp - Making, reading and reshaping tensors -----------------===//

#include "Handlers.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

/// The shape of a result whose dynamic sizes are given in order.
static FailureOr<SmallVector<int64_t>> readShape(Operation *op,
                                                 mlir::Value result,
                                                 ValueRange dynamicSizes,
                                                 Execution &execution) {
  FailureOr<SmallVector<int64_t>> sizes =
      execution.observeInts(op, dynamicSizes);
  if (failed(sizes))
    return failure();
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(result.getType()).getShape());
  const int64_t *next = sizes->begin();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = *next++;
  return shape;
}

/// An operation whose result has these dynamic sizes: poison.
static FailureOr<Tensor> makeOfSizes(Operation *op, ValueRange dynamicSizes,
                                     Execution &execution) {
  FailureOr<SmallVector<int64_t>> shape =
      readShape(op, op->getResult(0), dynamicSizes, execution);
  if (failed(shape))
    return failure();
  return execution.makeResult(op, op->getResult(0), *shape);
}

static LogicalResult setResult(Operation *op, FailureOr<Tensor> tensor,
                               Execution &execution) {
  if (failed(tensor))
    return failure();
  execution.set(op->getResult(0), std::move(*tensor));
  return success();
}

static LogicalResult runEmpty(tensor::EmptyOp op, Execution &execution) {
  return setResult(op, makeOfSizes(op, op.getDynamicSizes(), execution),
                   execution);
}

static LogicalResult runAllocTensor(bufferization::AllocTensorOp op,
                                    Execution &execution) {
  if (op.getCopy()) {
    execution.set(op, execution.get(op.getCopy()));
    return success();
  }
  return setResult(op, makeOfSizes(op, op.getDynamicSizes(), execution),
                   execution);
}

static LogicalResult runSplat(tensor::SplatOp op, Execution &execution) {
  FailureOr<Tensor> made = makeOfSizes(op, op.getDynamicSizes(), execution);
  if (failed(made))
    return failure();
  execution.set(op, Tensor::splat(made->getElementType(), made->getShape(),
                                  execution.getScalar(op.getInput())));
  return success();
}

static LogicalResult runFromElements(tensor::FromElementsOp op,
                                     Execution &execution) {
  FailureOr<Tensor> made = makeOfSizes(op, {}, execution);
  if (failed(made))
    return failure();
  for (auto [position, element] : enumerate(op.getElements()))
    made->set(static_cast<int64_t>(position), execution.getScalar(element));
  execution.set(op, std::move(*made));
  return success();
}

static LogicalResult runGenerate(tensor::GenerateOp op, Execution &execution) {
  FailureOr<Tensor> made = makeOfSizes(op, op.getDynamicExtents(), execution);
  if (failed(made))
    return failure();
  ElementRuns elements(op.getBody(), execution);
  int64_t position = 0;
  if (failed(forEachIndex(made->getShape(),
                          [&](ArrayRef<int64_t> indices) -> LogicalResult {
                            SmallVector<RuntimeValue> arguments, yielded;
                            for (int64_t index : indices)
                              arguments.emplace_back(Scalar::ofIndex(index));
                            if (failed(elements.run(
                                    indices, std::move(arguments), yielded)))
                              return failure();
                            if (!yielded.empty())
                              made->set(position, yielded.front().getScalar());
                            ++position;
                            return success();
                          })) ||
      failed(elements.finish()))
    return failure();
  execution.set(op, std::move(*made));
  return success();
}

//===----------------------------------------------------------------------===//
// Elements and sizes
//===----------------------------------------------------------------------===//

static LogicalResult runExtract(tensor::ExtractOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getIndices());
  if (failed(indices))
    return failure();
  const Tensor &tensor = execution.getTensor(op.getTensor());
  FailureOr<int64_t> position = execution.locate(op, tensor, *indices);
  if (failed(position))
    return failure();
  execution.set(op, tensor.get(*position));
  return success();
}

static LogicalResult runInsert(tensor::InsertOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getIndices());
  if (failed(indices))
    return failure();
  FailureOr<int64_t> position =
      execution.locate(op, execution.getTensor(op.getDest()), *indices);
  if (failed(position))
    return failure();
  Scalar element = execution.getScalar(op.getScalar());
  RuntimeValue dest = execution.take(op.getDestMutable());
  dest.getTensor().set(*position, element);
  execution.set(op, std::move(dest));
  return success();
}

static LogicalResult runDim(tensor::DimOp op, Execution &execution) {
  FailureOr<int64_t> dim = execution.observeInt(op, op.getIndex());
  if (failed(dim))
    return failure();
  const Tensor &tensor = execution.getTensor(op.getSource());
  if (*dim < 0 || *dim >= tensor.getRank())
    return execution.refuse(
        op, "0 <= " + Twine(*dim) + " < " + Twine(tensor.getRank()),
        "there is no such dimension");
  execution.set(op, Scalar::ofIndex(tensor.getDim(*dim)));
  return success();
}

static LogicalResult runRank(tensor::RankOp op, Execution &execution) {
  execution.set(op,
                Scalar::ofIndex(execution.getTensor(op.getTensor()).getRank()));
  return success();
}

//===----------------------------------------------------------------------===//
// Other shapes of the same elements
//===----------------------------------------------------------------------===//

/// A static size or a rank of the result is a claim.
static LogicalResult runCast(tensor::CastOp op, Execution &execution) {
  RuntimeValue source = execution.take(op.getSourceMutable());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  ArrayRef<int64_t> shape = source.getTensor().getShape();
  if (type && type.getRank() != static_cast<int64_t>(shape.size()))
    return execution.refuse(
        op, Twine(shape.size()) + " == " + Twine(type.getRank()),
        "a tensor of rank " + Twine(type.getRank()) +
            ", and this one has rank " + Twine(shape.size()));
  for (size_t dim = 0; type && dim < shape.size(); ++dim)
    if (!type.isDynamicDim(dim) &&
        failed(execution.requireEqual(op, shape[dim], type.getDimSize(dim),
                                      "size " + Twine(dim))))
      return failure();
  execution.set(op, std::move(source));
  return success();
}

static LogicalResult runBitcast(tensor::BitcastOp op, Execution &execution) {
  execution.set(op, execution.getTensor(op.getSource())
                        .withElementType(
                            cast<TensorType>(op.getType()).getElementType()));
  return success();
}

/// The product of sizes; nothing if it does not fit 64 bits.
static std::optional<int64_t> multiply(ArrayRef<int64_t> sizes) {
  if (is_contained(sizes, 0))
    return 0;
  int64_t product = 1;
  for (int64_t size : sizes)
    if (MulOverflow(product, size, product))
      return std::nullopt;
  return product;
}

/// Gives the elements of the source another shape, whose sizes have been
/// compared; a static size of the result is a claim.
static LogicalResult setReshaped(Operation *op, const Tensor &source,
                                 ArrayRef<int64_t> shape,
                                 Execution &execution) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  for (size_t dim = 0; type && dim < shape.size(); ++dim)
    if (!type.isDynamicDim(dim) &&
        failed(execution.requireEqual(op, shape[dim], type.getDimSize(dim),
                                      "size " + Twine(dim) + " of the result")))
      return failure();
  execution.set(op->getResult(0), source.withShape(shape));
  return success();
}

/// Requires sizes of 1, for which a shape without dimensions stands.
static LogicalResult requireOnes(Operation *op, ArrayRef<int64_t> sizes,
                                 Execution &execution) {
  for (auto [dim, size] : enumerate(sizes))
    if (failed(execution.requireEqual(op, size, 1, "size " + Twine(dim))))
      return failure();
  return success();
}

static LogicalResult runCollapse(tensor::CollapseShapeOp op,
                                 Execution &execution) {
  Tensor source = execution.getTensor(op.getSrc());
  if (op.getResultType().getRank() == 0 &&
      failed(requireOnes(op, source.getShape(), execution)))
    return failure();
  SmallVector<int64_t> shape;
  for (const auto &group : op.getReassociationIndices()) {
    auto sizes =
        map_to_vector(group, [&](int64_t dim) { return source.getDim(dim); });
    std::optional<int64_t> size = multiply(sizes);
    if (!size)
      return execution.refuse(op, "", "the size is too large");
    shape.push_back(*size);
  }
  return setReshaped(op, source, shape, execution);
}

static LogicalResult runExpand(tensor::ExpandShapeOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSrc());
  FailureOr<SmallVector<int64_t>> shape =
      execution.observeInts(op, op.getMixedOutputShape());
  if (failed(shape) || failed(execution.requireNonNegative(op, *shape)))
    return failure();
  if (source.getShape().empty() && failed(requireOnes(op, *shape, execution)))
    return failure();
  for (auto [dim, group] : enumerate(op.getReassociationIndices())) {
    auto sizes =
        map_to_vector(group, [&](int64_t inner) { return (*shape)[inner]; });
    std::optional<int64_t> size = multiply(sizes);
    if (!size)
      return execution.refuse(op, "", "the size is too large");
    if (failed(execution.requireEqual(op, source.getDim(dim), *size,
                                      "size " + Twine(dim))))
      return failure();
  }
  return setReshaped(op, source, *shape, execution);
}

static LogicalResult runReshape(tensor::ReshapeOp op, Execution &execution) {
  Tensor source = execution.getTensor(op.getSource());
  const Tensor &sizes = execution.getTensor(op.getShape());
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < sizes.getNumElements(); ++i) {
    FailureOr<int64_t> size = execution.observeElement(op, sizes, i);
    if (failed(size))
      return failure();
    shape.push_back(*size);
  }
  if (failed(execution.requireNonNegative(op, shape)))
    return failure();
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (type && type.getRank() != static_cast<int64_t>(shape.size()))
    return execution.refuse(
        op, Twine(shape.size()) + " == " + Twine(type.getRank()), "the rank");
  std::optional<int64_t> count = multiply(shape);
  if (!count)
    return execution.refuse(op, "", "the size is too large");
  if (failed(execution.requireEqual(op, source.getNumElements(), *count,
                                    "the number of elements")))
    return failure();
  return setReshaped(op, source, shape, execution);
}

static LogicalResult leave(tensor::YieldOp op, Execution &execution) {
  return execution.leave(execution.takeAll(op->getOpOperands()));
}

//===----------------------------------------------------------------------===//
// Buffers that are tensors to the end
//===----------------------------------------------------------------------===//

static LogicalResult
runMaterialize(bufferization::MaterializeInDestinationOp op,
               Execution &execution) {
  if (op->getNumResults() != 1)
    return execution.unsupported(op,
                                 "the interpreter runs this on tensors only");
  if (failed(execution.requireSameShape(
          op, execution.getTensor(op.getSource()).getShape(),
          execution.getTensor(op.getDest()).getShape())))
    return failure();
  execution.set(op->getResult(0), execution.get(op.getSource()));
  return success();
}

static LogicalResult ignore(Operation *, Execution &) { return success(); }

void tally::interpreter::registerTensor(HandlerTable &table) {
  addHandler<tensor::EmptyOp>(table, runEmpty);
  addHandler<tensor::SplatOp>(table, runSplat);
  addHandler<tensor::FromElementsOp>(table, runFromElements);
  addHandler<tensor::GenerateOp>(table, runGenerate);
  addHandler<tensor::ExtractOp>(table, runExtract);
  addHandler<tensor::InsertOp>(table, runInsert);
  addHandler<tensor::DimOp>(table, runDim);
  addHandler<tensor::RankOp>(table, runRank);
  addHandler<tensor::CastOp>(table, runCast);
  addHandler<tensor::BitcastOp>(table, runBitcast);
  addHandler<tensor::CollapseShapeOp>(table, runCollapse);
  addHandler<tensor::ExpandShapeOp>(table, runExpand);
  addHandler<tensor::ReshapeOp>(table, runReshape);
  addHandler<tensor::YieldOp>(table, leave);
  addHandler<bufferization::AllocTensorOp>(table, runAllocTensor);
  addHandler<bufferization::MaterializeInDestinationOp>(table, runMaterialize);
  table.add(bufferization::DeallocTensorOp::getOperationName(), ignore);
}
