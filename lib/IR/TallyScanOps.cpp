//===- TallyScanOps.cpp - Results that build on those before --------------===//

#include "tally/IR/TallyScanOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;

#define GET_OP_CLASSES
#include "tally/IR/TallyScanOps.cpp.inc"

void PrefixScanOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    MemoryEffects::Effect *effect = MemoryEffects::Read::get();
    if (isDpsInit(&operand))
      effect = MemoryEffects::Write::get();
    effects.emplace_back(effect, &operand, SideEffects::DefaultResource::get());
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

LogicalResult PrefixScanOp::verify() {
  if (getInputs().empty() || getOutputs().empty() || getStarts().empty())
    return emitOpError("needs inputs, destinations and accumulators");
  SmallVector<Type> types(getInputs().getTypes());
  llvm::append_range(types, getOutputs().getTypes());
  bool isTensor = isa<TensorType>(types.front());
  for (Type type : types)
    if (isa<TensorType>(type) != isTensor)
      return emitOpError("needs operands that are all tensors, or all memrefs");
  if (int64_t(getDim()) >= cast<ShapedType>(types.front()).getRank())
    return emitOpError() << "scans along dimension " << getDim() << " of "
                         << types.front();
  if (failed(verifyCompatibleShapes(TypeRange(types))))
    return emitOpError("has operands of different sizes");
  if (isTensor ? getResultTypes() != getOutputs().getTypes()
               : getNumResults() != 0)
    return emitOpError("needs one result for each destination that is a "
                       "tensor, of its type");
  return success();
}

/// Verifies the arguments of a region, what it computes, and what it yields.
static LogicalResult verifyRegion(Operation *op, Region &region,
                                  TypeRange arguments, TypeRange yielded) {
  Block &block = region.front();
  if (arguments != block.getArgumentTypes())
    return op->emitOpError()
           << "needs arguments of types " << arguments << " in its region";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || TypeRange(yield.getOperands()) != yielded)
    return op->emitOpError()
           << "must end its region with 'tally.yield' of " << yielded;
  for (Operation &inner : block) {
    bool isScalar =
        llvm::none_of(inner.getOperandTypes(), llvm::IsaPred<ShapedType>) &&
        llvm::none_of(inner.getResultTypes(), llvm::IsaPred<ShapedType>);
    if (!isa<AccumulateOp>(inner) && (!isScalar || !isMemoryEffectFree(&inner)))
      return inner.emitOpError() << "has effects, or is not on scalars, in a "
                                    "region of '"
                                 << op->getName() << "'";
  }
  return success();
}

LogicalResult PrefixScanOp::verifyRegions() {
  SmallVector<Type> arguments{IndexType::get(getContext())};
  for (Type type : getInputs().getTypes())
    arguments.push_back(getElementTypeOrSelf(type));
  auto yielded = llvm::map_to_vector(getOutputs().getTypes(), [](Type type) {
    return getElementTypeOrSelf(type);
  });
  if (failed(verifyRegion(*this, getBody(), arguments, yielded)))
    return failure();
  auto inside = getBody().getOps<AccumulateOp>();
  if (!llvm::hasSingleElement(inside))
    return emitOpError("needs one 'tally.accumulate' in its body");
  if (getAccumulate().getResultTypes() != getStarts().getTypes())
    return emitOpError() << "accumulates " << getAccumulate().getResultTypes()
                         << ", but starts with " << getStarts().getTypes();
  return success();
}

AccumulateOp PrefixScanOp::getAccumulate() {
  return *getBody().getOps<AccumulateOp>().begin();
}

LogicalResult AccumulateOp::verifyRegions() {
  SmallVector<Type> pairs(getValues().getTypes());
  llvm::append_range(pairs, getValues().getTypes());
  return verifyRegion(*this, getCombine(), pairs, getValues().getTypes());
}
