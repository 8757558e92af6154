//===- Accesses.cpp - Accesses of buffers ---------------------------------===//
//
// An access is inside of its buffer and of the allocation. In a kernel, no
// other thread accesses the element at the same time, unless both only read it
// or both are atomic.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Handlers.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

LogicalResult tally::interpreter::refuseAccess(Operation *op,
                                               const Twine &message,
                                               Execution &execution) {
  return execution.error(RunError::Kind::Undefined, op,
                         "'" + op->getName().getStringRef() + "' " + message);
}

LogicalResult tally::interpreter::requireLive(Operation *op,
                                              const Buffer &buffer,
                                              Execution &execution) {
  if (!buffer.memory->isFreed)
    return success();
  return refuseAccess(op, "uses a buffer that has been freed", execution);
}

/// `2, 0 of 3x4`.
static std::string describeIndices(const Buffer &buffer,
                                   ArrayRef<int64_t> indices) {
  auto print = [](ArrayRef<int64_t> numbers, StringRef separator) {
    return join(
        map_range(numbers, [](int64_t value) { return std::to_string(value); }),
        separator);
  };
  return "[" + print(indices, ", ") + "] of a buffer of " +
         (buffer.sizes.empty() ? "one element" : print(buffer.sizes, "x"));
}

/// Ends the run because of two accesses that nothing orders.
static LogicalResult refuseRace(Operation *op, int64_t position,
                                const Access &earlier, Execution &execution) {
  std::string place;
  if (auto file = earlier.op->getLoc()->findInstanceOf<FileLineColLoc>())
    place = (" at " + file.getFilename().getValue() + ":" +
             Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                .str();
  return refuseAccess(op,
                      "races with '" + earlier.op->getName().getStringRef() +
                          "'" + place + ": thread " + Twine(earlier.thread) +
                          " of block " + Twine(earlier.block) +
                          " has accessed element " + Twine(position) +
                          " of the allocation, and no barrier is between",
                      execution);
}

/// Threads of a launch may race.
static LogicalResult noteAccess(Operation *op, Memory &memory, int64_t position,
                                AccessKind kind, Execution &execution) {
  const ThreadPlace *thread = execution.getThread();
  if (!thread)
    return success();
  if (!memory.log)
    memory.log = std::make_unique<AccessLog>(memory.elements.getNumElements());
  Access access{op, thread->launch, thread->blockNumber, thread->threadNumber,
                thread->phase};
  if (std::optional<Access> earlier = memory.log->note(position, kind, access))
    return refuseRace(op, position, *earlier, execution);
  return success();
}

FailureOr<int64_t> tally::interpreter::accessElement(Operation *op,
                                                     const Buffer &buffer,
                                                     ArrayRef<int64_t> indices,
                                                     AccessKind kind,
                                                     Execution &execution) {
  if (failed(requireLive(op, buffer, execution)))
    return failure();
  std::optional<int64_t> position = buffer.getPosition(indices);
  if (!position)
    return refuseAccess(op,
                        "accesses element " + describeIndices(buffer, indices) +
                            ", in an allocation of " +
                            Twine(buffer.memory->elements.getNumElements()),
                        execution);
  if (kind != AccessKind::Read &&
      (buffer.isReadOnly || buffer.memory->isConstant))
    return refuseAccess(op, "writes to a buffer that may only be read",
                        execution);
  if (failed(noteAccess(op, *buffer.memory, *position, kind, execution)))
    return failure();
  return *position;
}

FailureOr<Scalar> tally::interpreter::loadElement(Operation *op,
                                                  const Buffer &buffer,
                                                  ArrayRef<int64_t> indices,
                                                  Execution &execution) {
  FailureOr<int64_t> position =
      accessElement(op, buffer, indices, AccessKind::Read, execution);
  if (failed(position))
    return failure();
  if (buffer.memory->elements.isPoison(*position))
    return execution.makePoison(op, "the element was never written");
  return buffer.memory->elements.get(*position);
}

LogicalResult tally::interpreter::storeElement(Operation *op,
                                               const Buffer &buffer,
                                               ArrayRef<int64_t> indices,
                                               const Scalar &value,
                                               Execution &execution) {
  FailureOr<int64_t> position =
      accessElement(op, buffer, indices, AccessKind::Write, execution);
  if (failed(position))
    return failure();
  buffer.memory->elements.set(*position, value);
  return success();
}

FailureOr<Tensor> tally::interpreter::readBuffer(Operation *op,
                                                 const Buffer &buffer,
                                                 Execution &execution) {
  FailureOr<Tensor> tensor =
      execution.makeTensor(op, buffer.getElementType(), buffer.sizes);
  if (failed(tensor))
    return failure();
  int64_t next = 0;
  if (failed(forEachIndex(buffer.sizes, [&](ArrayRef<int64_t> indices) {
        FailureOr<int64_t> position =
            accessElement(op, buffer, indices, AccessKind::Read, execution);
        if (succeeded(position))
          tensor->set(next++, buffer.memory->elements.get(*position));
        return success(succeeded(position));
      })))
    return failure();
  return tensor;
}
