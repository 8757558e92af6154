//===- MemRef.cpp - Allocations, loads and stores -------------------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// `memref.alloc` and `memref.alloca`; the latter in a thread is its own.
template <typename OpT>
static LogicalResult runAlloc(OpT op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> sizes =
      execution.observeInts(op, op.getDynamicSizes());
  if (failed(sizes))
    return failure();
  SmallVector<int64_t> shape(op.getType().getShape());
  const int64_t *next = sizes->begin();
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = *next++;
  if (!op.getType().getLayout().isIdentity())
    return execution.unsupported(op, "the interpreter allocates no buffers "
                                     "with a layout");
  FailureOr<Buffer> buffer =
      execution.allocate(op, op.getType().getElementType(), shape);
  if (failed(buffer))
    return failure();
  execution.set(op, std::move(*buffer));
  return success();
}

static LogicalResult runDealloc(memref::DeallocOp op, Execution &execution) {
  const Buffer &buffer = execution.getBuffer(op.getMemref());
  if (failed(requireLive(op, buffer, execution)))
    return failure();
  if (buffer.memory->isConstant)
    return refuseAccess(op, "frees what the program has not allocated",
                        execution);
  buffer.memory->isFreed = true;
  return success();
}

/// The buffer of a constant of the module.
static LogicalResult runGetGlobal(memref::GetGlobalOp op,
                                  Execution &execution) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  std::optional<Buffer> &buffer = execution.getConstantBuffer(global);
  if (!buffer) {
    auto elements =
        dyn_cast_or_null<ElementsAttr>(global.getInitialValueAttr());
    if (!elements || !global.getConstant())
      return execution.unsupported(op, "the interpreter has no memory that "
                                       "lives longer than a call");
    FailureOr<Tensor> tensor = readElements(op, elements, execution);
    if (failed(tensor))
      return failure();
    buffer = execution.allocate(std::move(*tensor));
    buffer->memory->isConstant = true;
  }
  execution.set(op, *buffer);
  return success();
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static LogicalResult runLoad(memref::LoadOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getIndices());
  if (failed(indices))
    return failure();
  FailureOr<Scalar> element =
      loadElement(op, execution.getBuffer(op.getMemref()), *indices, execution);
  if (failed(element))
    return failure();
  execution.set(op, std::move(*element));
  return success();
}

static LogicalResult runStore(memref::StoreOp op, Execution &execution) {
  FailureOr<SmallVector<int64_t>> indices =
      execution.observeInts(op, op.getIndices());
  if (failed(indices))
    return failure();
  return storeElement(op, execution.getBuffer(op.getMemref()), *indices,
                      execution.getScalar(op.getValue()), execution);
}

/// Copies by the host; what is poison stays poison.
static LogicalResult runCopy(memref::CopyOp op, Execution &execution) {
  const Buffer &target = execution.getBuffer(op.getTarget());
  FailureOr<Tensor> source =
      readBuffer(op, execution.getBuffer(op.getSource()), execution);
  if (failed(source) ||
      failed(
          execution.requireSameShape(op, source->getShape(), target.sizes)) ||
      failed(execution.spend(op, source->getNumElements())))
    return failure();
  int64_t next = 0;
  return forEachIndex(target.sizes, [&](ArrayRef<int64_t> indices) {
    return storeElement(op, target, indices, source->get(next++), execution);
  });
}

//===----------------------------------------------------------------------===//
// What a buffer is
//===----------------------------------------------------------------------===//

static LogicalResult runDim(memref::DimOp op, Execution &execution) {
  const Buffer &buffer = execution.getBuffer(op.getSource());
  FailureOr<int64_t> dim = execution.observeInt(op, op.getIndex());
  if (failed(dim))
    return failure();
  if (*dim < 0 || *dim >= static_cast<int64_t>(buffer.sizes.size()))
    return execution.refuse(op, "0 <= " + Twine(*dim) + " < " +
                                    Twine(buffer.sizes.size()));
  execution.set(op, Scalar::ofIndex(buffer.sizes[*dim]));
  return success();
}

static LogicalResult runExtractMetadata(memref::ExtractStridedMetadataOp op,
                                        Execution &execution) {
  Buffer buffer = execution.getBuffer(op.getSource());
  execution.set(op.getOffset(), Scalar::ofIndex(buffer.offset));
  for (auto [result, size] : zip_equal(op.getSizes(), buffer.sizes))
    execution.set(result, Scalar::ofIndex(size));
  for (auto [result, stride] : zip_equal(op.getStrides(), buffer.strides))
    execution.set(result, Scalar::ofIndex(stride));
  // Of no dimension; what is accessed through it is known from the new one.
  buffer.offset = 0;
  buffer.sizes.clear();
  buffer.strides.clear();
  execution.set(op.getBaseBuffer(), std::move(buffer));
  return success();
}

static LogicalResult
runExtractPointer(memref::ExtractAlignedPointerAsIndexOp op,
                  Execution &execution) {
  execution.set(
      op, Scalar::ofIndex(execution.getBuffer(op.getSource()).getAddress()));
  return success();
}

//===----------------------------------------------------------------------===//
// Other views of the same memory
//===----------------------------------------------------------------------===//

/// Sets a view; static sizes of its type are claims.
static LogicalResult setView(Operation *op, Buffer buffer,
                             Execution &execution) {
  auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
  for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != buffer.sizes[dim])
      return refuseAccess(op,
                          "has size " + Twine(buffer.sizes[dim]) +
                              " where its type says " +
                              Twine(type.getDimSize(dim)),
                          execution);
  execution.set(op->getResult(0), std::move(buffer));
  return success();
}

static LogicalResult runCast(memref::CastOp op, Execution &execution) {
  return setView(op, execution.getBuffer(op.getSource()), execution);
}

/// Starts again from the pointer; elements are checked when they are accessed.
static LogicalResult runReinterpretCast(memref::ReinterpretCastOp op,
                                        Execution &execution) {
  Buffer buffer = execution.getBuffer(op.getSource());
  auto offsets = execution.observeInts(op, op.getMixedOffsets()),
       sizes = execution.observeInts(op, op.getMixedSizes()),
       strides = execution.observeInts(op, op.getMixedStrides());
  if (failed(offsets) || failed(sizes) || failed(strides) ||
      failed(execution.requireNonNegative(op, *sizes)))
    return failure();
  buffer.offset = offsets->front();
  buffer.sizes.assign(sizes->begin(), sizes->end());
  buffer.strides.assign(strides->begin(), strides->end());
  return setView(op, std::move(buffer), execution);
}

static LogicalResult runSubView(memref::SubViewOp op, Execution &execution) {
  Buffer source = execution.getBuffer(op.getSource());
  FailureOr<Slice> slice = readSlice(op, source.sizes, execution);
  if (failed(slice))
    return failure();
  Buffer view = source;
  view.sizes.clear();
  view.strides.clear();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (size_t dim = 0; dim < source.sizes.size(); ++dim) {
    view.offset += slice->offsets[dim] * source.strides[dim];
    if (dropped.test(dim))
      continue;
    view.sizes.push_back(slice->sizes[dim]);
    view.strides.push_back(slice->strides[dim] * source.strides[dim]);
  }
  return setView(op, std::move(view), execution);
}

/// Dimensions become one where they lie one after the other in memory.
static LogicalResult runCollapse(memref::CollapseShapeOp op,
                                 Execution &execution) {
  Buffer source = execution.getBuffer(op.getSrc());
  Buffer view = source;
  view.sizes.clear();
  view.strides.clear();
  bool isEmpty = is_contained(source.sizes, 0);
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    int64_t size = 1, stride = 1;
    for (int64_t dim : reverse(group)) {
      if (source.sizes[dim] == 1)
        continue;
      if (size == 1)
        stride = source.strides[dim];
      else if (!isEmpty && source.strides[dim] != stride * size)
        return refuseAccess(op, "collapses dimensions with a gap between them",
                            execution);
      size *= source.sizes[dim];
    }
    view.sizes.push_back(size);
    view.strides.push_back(stride);
  }
  return setView(op, std::move(view), execution);
}

static LogicalResult runExpand(memref::ExpandShapeOp op, Execution &execution) {
  Buffer source = execution.getBuffer(op.getSrc());
  auto shape = execution.observeInts(op, op.getMixedOutputShape());
  if (failed(shape) || failed(execution.requireNonNegative(op, *shape)))
    return failure();
  Buffer view = source;
  view.sizes.assign(shape->begin(), shape->end());
  view.strides.assign(shape->size(), 1);
  for (auto [from, group] : enumerate(op.getReassociationIndices())) {
    int64_t stride = source.strides[from], size = 1;
    for (int64_t dim : reverse(group)) {
      view.strides[dim] = stride * size;
      size *= (*shape)[dim];
    }
    if (failed(execution.requireEqual(op, size, source.sizes[from],
                                      "size " + Twine(from))))
      return failure();
  }
  return setView(op, std::move(view), execution);
}

void tally::interpreter::registerMemRef(HandlerTable &table) {
  addHandler<memref::AllocOp>(table, runAlloc<memref::AllocOp>);
  addHandler<memref::AllocaOp>(table, runAlloc<memref::AllocaOp>);
  addHandler<memref::DeallocOp>(table, runDealloc);
  addHandler<memref::GetGlobalOp>(table, runGetGlobal);
  addHandler<memref::LoadOp>(table, runLoad);
  addHandler<memref::StoreOp>(table, runStore);
  addHandler<memref::CopyOp>(table, runCopy);
  addHandler<memref::DimOp>(table, runDim);
  addHandler<memref::ExtractStridedMetadataOp>(table, runExtractMetadata);
  addHandler<memref::ExtractAlignedPointerAsIndexOp>(table, runExtractPointer);
  addHandler<memref::CastOp>(table, runCast);
  addHandler<memref::ReinterpretCastOp>(table, runReinterpretCast);
  addHandler<memref::SubViewOp>(table, runSubView);
  addHandler<memref::CollapseShapeOp>(table, runCollapse);
  addHandler<memref::ExpandShapeOp>(table, runExpand);
}
