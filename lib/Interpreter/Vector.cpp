//===- Vector.cpp - Elements that lie side by side ------------------------===//
//
// The value of a vector is a tensor of its shape.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

/// The address of a vector is a multiple of what the operation says.
static LogicalResult checkAlignment(Operation *op, const Buffer &buffer,
                                    ArrayRef<int64_t> indices,
                                    std::optional<uint64_t> alignment,
                                    Execution &execution) {
  std::optional<int64_t> position = buffer.getPosition(indices);
  if (!alignment || !position)
    return success();
  int64_t elementBytes = divideCeil(*getBitWidth(buffer.getElementType()), 8);
  int64_t address = buffer.memory->address + *position * elementBytes;
  if (address % static_cast<int64_t>(*alignment) == 0)
    return success();
  return refuseAccess(op,
                      "accesses address " + Twine(address) +
                          ", which is no multiple of " + Twine(*alignment),
                      execution);
}

/// Calls `use` with the number and the indices of each element.
static LogicalResult
forEachLane(Operation *op, mlir::VectorType type, ValueRange operands,
            const Buffer &buffer, std::optional<uint64_t> alignment,
            Execution &execution,
            llvm::function_ref<LogicalResult(int64_t, ArrayRef<int64_t>)> use) {
  FailureOr<SmallVector<int64_t>> indices = execution.observeInts(op, operands);
  if (failed(indices) ||
      failed(checkAlignment(op, buffer, *indices, alignment, execution)))
    return failure();
  if (type.getRank() != 1 || type.isScalable())
    return execution.unsupported(op, "the interpreter loads and stores only "
                                     "vectors of one dimension");
  for (int64_t lane = 0; lane < type.getDimSize(0); ++lane) {
    if (failed(use(lane, *indices)))
      return failure();
    ++indices->back();
  }
  return success();
}

static LogicalResult runLoad(vector::LoadOp op, Execution &execution) {
  mlir::VectorType type = op.getVectorType();
  Buffer buffer = execution.getBuffer(op.getBase());
  FailureOr<Tensor> result =
      execution.makeTensor(op, type.getElementType(), type.getShape());
  if (failed(result) ||
      failed(forEachLane(op, type, op.getIndices(), buffer, op.getAlignment(),
                         execution,
                         [&](int64_t lane, ArrayRef<int64_t> indices) {
                           FailureOr<Scalar> element =
                               loadElement(op, buffer, indices, execution);
                           if (succeeded(element))
                             result->set(lane, *element);
                           return success(succeeded(element));
                         })))
    return failure();
  execution.set(op, std::move(*result));
  return success();
}

static LogicalResult runStore(vector::StoreOp op, Execution &execution) {
  const Tensor &value = execution.getTensor(op.getValueToStore());
  Buffer buffer = execution.getBuffer(op.getBase());
  return forEachLane(
      op, op.getVectorType(), op.getIndices(), buffer, op.getAlignment(),
      execution, [&](int64_t lane, ArrayRef<int64_t> indices) {
        return storeElement(op, buffer, indices, value.get(lane), execution);
      });
}

static LogicalResult runExtract(vector::ExtractOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getMixedPosition());
  if (failed(indices))
    return failure();
  if (isa<mlir::VectorType>(op.getType()))
    return execution.unsupported(op, "the interpreter extracts only scalars");
  const Tensor &source = execution.getTensor(op.getSource());
  FailureOr<int64_t> position = execution.locate(op, source, *indices);
  if (failed(position))
    return failure();
  execution.set(op, source.get(*position));
  return success();
}

static LogicalResult runFromElements(vector::FromElementsOp op,
                                     Execution &execution) {
  FailureOr<Tensor> result = execution.makeTensor(
      op, op.getType().getElementType(), op.getType().getShape());
  if (failed(result))
    return failure();
  for (auto [position, element] : enumerate(op.getElements()))
    result->set(static_cast<int64_t>(position), execution.getScalar(element));
  execution.set(op, std::move(*result));
  return success();
}

static LogicalResult runBroadcast(vector::BroadcastOp op,
                                  Execution &execution) {
  mlir::VectorType type = op.getResultVectorType();
  if (isa<mlir::VectorType>(op.getSourceType()))
    return execution.unsupported(op, "the interpreter broadcasts only scalars");
  execution.set(op, Tensor::splat(type.getElementType(), type.getShape(),
                                  execution.getScalar(op.getSource())));
  return success();
}

void tally::interpreter::registerVector(HandlerTable &table) {
  addHandler<vector::LoadOp>(table, runLoad);
  addHandler<vector::StoreOp>(table, runStore);
  addHandler<vector::ExtractOp>(table, runExtract);
  addHandler<vector::FromElementsOp>(table, runFromElements);
  addHandler<vector::BroadcastOp>(table, runBroadcast);
}
