//===- Atomics.cpp - Updates that no other thread comes between -----------===//

#include "Buffers.h"
#include "Handlers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace llvm;
using namespace mlir;
using namespace tally::interpreter;

/// Replaces an element by what `update` makes of it, and returns what it was.
static FailureOr<Scalar>
updateElement(Operation *op, mlir::Value memref, ValueRange operands,
              Execution &execution,
              llvm::function_ref<FailureOr<Scalar>(const Scalar &)> update) {
  FailureOr<SmallVector<int64_t>> indices = execution.observeInts(op, operands);
  if (failed(indices))
    return failure();
  const Buffer &buffer = execution.getBuffer(memref);
  std::shared_ptr<Memory> memory = buffer.memory;
  FailureOr<int64_t> position =
      accessElement(op, buffer, *indices, AccessKind::Atomic, execution);
  if (failed(position))
    return failure();
  Scalar before = memory->elements.get(*position);
  FailureOr<Scalar> after = update(before);
  if (failed(after))
    return failure();
  memory->elements.set(*position, *after);
  return before;
}

static LogicalResult runGeneric(memref::GenericAtomicRMWOp op,
                                Execution &execution) {
  Scalar after;
  FailureOr<Scalar> before = updateElement(
      op, op.getMemref(), op.getIndices(), execution,
      [&](const Scalar &element) -> FailureOr<Scalar> {
        SmallVector<RuntimeValue> yielded;
        if (failed(execution.run(op.getRegion(), {element}, yielded)))
          return failure();
        return after = yielded.front().getScalar();
      });
  if (failed(before))
    return failure();
  execution.set(op.getResult(), std::move(after));
  return success();
}

static LogicalResult leaveGeneric(memref::AtomicYieldOp op,
                                  Execution &execution) {
  return execution.leave(execution.takeAll(op->getOpOperands()));
}

static std::optional<Scalar> combineInts(arith::AtomicRMWKind kind,
                                         const APInt &a, const APInt &b) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::addi:
    return Scalar(a + b);
  case Kind::muli:
    return Scalar(a * b);
  case Kind::maxs:
    return Scalar(APIntOps::smax(a, b));
  case Kind::maxu:
    return Scalar(APIntOps::umax(a, b));
  case Kind::mins:
    return Scalar(APIntOps::smin(a, b));
  case Kind::minu:
    return Scalar(APIntOps::umin(a, b));
  case Kind::ori:
    return Scalar(a | b);
  case Kind::andi:
    return Scalar(a & b);
  case Kind::assign:
    return Scalar(b);
  default:
    return std::nullopt;
  }
}

static std::optional<Scalar> combineFloats(arith::AtomicRMWKind kind, APFloat a,
                                           const APFloat &b) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::addf:
    a.add(b, APFloat::rmNearestTiesToEven);
    return Scalar(a);
  case Kind::mulf:
    a.multiply(b, APFloat::rmNearestTiesToEven);
    return Scalar(a);
  case Kind::maximumf:
    return Scalar(maximum(a, b));
  case Kind::minimumf:
    return Scalar(minimum(a, b));
  case Kind::maxnumf:
    return Scalar(maxnum(a, b));
  case Kind::minnumf:
    return Scalar(minnum(a, b));
  case Kind::assign:
    return Scalar(b);
  default:
    return std::nullopt;
  }
}

static LogicalResult runAtomic(memref::AtomicRMWOp op, Execution &execution) {
  Scalar value = execution.getScalar(op.getValue());
  mlir::Type type = op.getValue().getType();
  FailureOr<Scalar> before = updateElement(
      op, op.getMemref(), op.getIndices(), execution,
      [&](const Scalar &element) -> FailureOr<Scalar> {
        if (op.getKind() == arith::AtomicRMWKind::assign)
          return value;
        if (value.isPoison() || element.isPoison())
          return Scalar::ofPoison();
        std::optional<Scalar> result =
            isa<FloatType>(type)
                ? combineFloats(op.getKind(), element.getFloat(type),
                                value.getFloat(type))
                : combineInts(op.getKind(), element.getBits(), value.getBits());
        if (!result)
          return execution.unsupported(
              op, "the interpreter does not know this kind of update");
        return *result;
      });
  if (failed(before))
    return failure();
  execution.set(op, std::move(*before));
  return success();
}

void tally::interpreter::registerAtomics(HandlerTable &table) {
  addHandler<memref::GenericAtomicRMWOp>(table, runGeneric);
  addHandler<memref::AtomicYieldOp>(table, leaveGeneric);
  addHandler<memref::AtomicRMWOp>(table, runAtomic);
}
