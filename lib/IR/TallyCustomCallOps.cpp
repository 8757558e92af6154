//===- TallyCustomCallOps.cpp - Custom functions --------------------------===//

#include "mlir/IR/BuiltinTypes.h"
#include "tally/IR/Signatures.h"
#include "tally/IR/Tally.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tally;

/// The effects of a call.
static void
getCallEffects(bool isPure,
               SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (isPure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Write::get(), ErrorResource::get());
}

static LogicalResult verifyCustomCallTypes(Operation *op, TypeRange types,
                                           StringRef what) {
  for (auto [index, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (isPassable(tensor ? tensor.getElementType() : type) &&
        !(tensor && tensor.getEncoding()))
      continue;
    return op->emitOpError()
           << what << " " << index << " of type " << type
           << " cannot be passed to a custom function: it takes numbers and "
              "ranked tensors of i1, i8, i16, i32, i64, index, f16, bf16, f32 "
              "and f64";
  }
  return success();
}

/// The linker sees the name.
static LogicalResult verifyCallee(Operation *op, StringRef name) {
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier)
    return op->emitOpError()
           << "calls '" << name << "', which cannot name a C function";
  if (name.starts_with("tally_"))
    return op->emitOpError() << "calls '" << name
                             << "': names that start with 'tally_' belong to "
                                "the runtime";
  return success();
}

//===----------------------------------------------------------------------===//
// CustomCallOp
//===----------------------------------------------------------------------===//

void CustomCallOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getCallEffects(getPure(), effects);
  if (getBindingsAttr())
    effects.emplace_back(MemoryEffects::Write::get(), SymbolResource::get());
}

void CustomCallOp::forEachBound(
    function_ref<void(Value, unsigned, Value)> use) {
  auto bound = getBounds().begin();
  for (Value result : getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        use(result, dim, *bound++);
  }
}

LogicalResult CustomCallOp::verify() {
  if (failed(verifyCallee(*this, getCallee())) ||
      failed(
          verifyCustomCallTypes(*this, getInputs().getTypes(), "argument")) ||
      failed(verifyCustomCallTypes(*this, getResultTypes(), "result")))
    return failure();
  size_t dynamic = 0;
  for (Type type : getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      dynamic += tensor.getNumDynamicDims();
  if (dynamic != getBounds().size())
    return emitOpError() << "gives " << getBounds().size() << " bounds for "
                         << dynamic
                         << " dynamic dimensions of its results; each needs "
                            "one, in order";
  return success();
}

//===----------------------------------------------------------------------===//
// CustomCallDpsOp
//===----------------------------------------------------------------------===//

void CustomCallDpsOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  getCallEffects(getPure(), effects);
  for (OpOperand &operand : getInputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getOutputsMutable())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
}

LogicalResult CustomCallDpsOp::verify() {
  if (failed(verifyCallee(*this, getCallee())))
    return failure();
  int64_t dynamic = 0, isTensor = 0;
  for (Type type : getOutputs().getTypes()) {
    dynamic += cast<ShapedType>(type).getNumDynamicDims();
    isTensor += isa<RankedTensorType>(type);
  }
  if (dynamic != static_cast<int64_t>(getSizes().size()))
    return emitOpError() << "returns " << getSizes().size() << " sizes for "
                         << dynamic << " dynamic dimensions of its outputs";
  if (isTensor != static_cast<int64_t>(getTensors().size()) ||
      !llvm::equal(
          getTensors().getTypes(),
          llvm::make_filter_range(getOutputs().getTypes(), [](Type type) {
            return isa<RankedTensorType>(type);
          })))
    return emitOpError("returns other tensors than its outputs");
  int64_t numbers = llvm::count(getIsScalar(), true);
  if (numbers != static_cast<int64_t>(getScalars().size()) ||
      getIsScalar().size() != getOutputs().size() + getScalars().size())
    return emitOpError("'is_scalar' needs true for each number that it "
                       "returns, and false for each output");
  return success();
}
