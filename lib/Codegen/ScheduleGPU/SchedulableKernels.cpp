//===- SchedulableKernels.cpp - What kernels are made of ------------------===//

#include "Common/Fusion.h"
#include "Kernels/KernelGroups.h"
#include "Schedules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

/// Whether a value of the body is the same number everywhere.
static bool isScalar(Operation *op) {
  Attribute constant;
  if (!matchPattern(op, m_Constant(&constant)))
    return getFillValue(op) != nullptr;
  auto elements = dyn_cast<ElementsAttr>(constant);
  return !elements || elements.isSplat();
}

/// Whether `op` is what bodies of kernels are made of.
static bool canSchedule(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (isScalar(op) || !generic)
    return isScalar(op) || isa<ub::PoisonOp, tensor::EmptyOp>(op);
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>(attr_names::kDims);
  if (!dims || dims.size() != generic.getNumLoops())
    return false;
  // A value that an operation of the kernel makes is no table.
  auto isMade = [&](Value value) {
    Operation *def = value.getDefiningOp();
    return def && def->getBlock() == op->getBlock() && !isScalar(def);
  };
  return !generic.getBody()
              ->walk([&](Operation *nested) {
                return llvm::any_of(nested->getOperands(), isMade)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether there is arithmetic on a type, of our own or of the machine.
static bool isComputable(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth() <= 64;
  return element.isIndex() || element.isF16() || element.isBF16() ||
         element.isF32() || element.isF64();
}

/// Reports a type that cannot be computed where it is first met.
static LogicalResult verifyTypes(KernelOp kernel) {
  WalkResult result =
      kernel.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
        SmallVector<Type> types(op->getOperandTypes());
        llvm::append_range(types, op->getResultTypes());
        for (Type type : types)
          if (Type element = getElementTypeOrSelf(type);
              !isComputable(element)) {
            op->emitError("has elements of type ")
                << element << ", which cannot be computed on a GPU";
            return WalkResult::interrupt();
          }
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

LogicalResult tally::codegen::verifySchedulable(KernelOp kernel) {
  if (failed(verifyTypes(kernel)))
    return failure();
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (!canSchedule(&op))
      return op.emitError("cannot be scheduled for a GPU");
  for (Value yielded : kernel.getYielded())
    if (!yielded.getDefiningOp<linalg::GenericOp>())
      return kernel.emitError("writes what none of its operations makes");
  return success();
}
