//===- TallyFFTOps.cpp - Fourier transforms -------------------------------===//

#include "tally/IR/TallyFFTOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally;

#include "tally/IR/TallyFFTEnums.cpp.inc"

#define GET_OP_CLASSES
#include "tally/IR/TallyFFTOps.cpp.inc"

void FFTOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isa<BaseMemRefType>(getInput().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getInputMutable(),
                       SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getOutputMutable(),
                       SideEffects::DefaultResource::get());
}

/// Verifies static sizes, which differ along the dimension only.
static LogicalResult verifySizes(FFTOp op) {
  auto in = cast<ShapedType>(op.getInput().getType());
  auto out = cast<ShapedType>(op.getOutput().getType());
  int64_t rank = op.getSignalRank(), dim = op.getDim();
  if (dim < 0 || dim >= rank)
    return op.emitOpError("has no dimension ") << dim;
  auto isComplex = [&](ShapedType type, bool wanted) {
    return type.getRank() == rank + wanted &&
           (!wanted || type.getShape().back() == 2);
  };
  if (!isComplex(in, op.takesComplex()) || !isComplex(out, op.givesComplex()))
    return op.emitOpError("of kind '")
           << stringifyEnum(op.getKind()) << "' has operands of types " << in
           << " and " << out
           << "; complex numbers are a last dimension of size 2";
  auto agree = [](int64_t a, int64_t b) {
    return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
  };
  auto half = [](int64_t size) {
    return ShapedType::isDynamic(size) ? size : size / 2 + 1;
  };
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = in.getDimSize(i), to = out.getDimSize(i);
    if (i == dim && op.getKind() == FFTKind::RealToComplex)
      from = half(from);
    if (i == dim && op.getKind() == FFTKind::ComplexToReal)
      to = half(to);
    if (!agree(from, to))
      return op.emitOpError("of kind '")
             << stringifyEnum(op.getKind()) << "' has sizes in dimension " << i
             << " that do not fit, of " << in << " and " << out;
  }
  return success();
}

LogicalResult FFTOp::verify() {
  Type element = getElementTypeOrSelf(getInput());
  if (!element.isF32() && !element.isF64())
    return emitOpError("needs elements of type f32 or f64, not ") << element;
  bool isTensor = isa<TensorType>(getInput().getType());
  if (getElementTypeOrSelf(getOutput()) != element ||
      isa<TensorType>(getOutput().getType()) != isTensor)
    return emitOpError("needs a destination like the operand, not ")
           << getOutput().getType();
  if (failed(verifySizes(*this)))
    return failure();
  if (isTensor ? getResult() && getResult().getType() == getOutput().getType()
               : !getResult())
    return success();
  return emitOpError("needs a result for a destination that is a tensor, of "
                     "its type");
}
