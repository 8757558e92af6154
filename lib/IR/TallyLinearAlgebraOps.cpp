//===- TallyLinearAlgebraOps.cpp - Factors of matrices --------------------===//

#include "tally/IR/TallyLinearAlgebraOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tally;

#include "tally/IR/TallyLinearAlgebraEnums.cpp.inc"

#define GET_OP_CLASSES
#include "tally/IR/TallyLinearAlgebraOps.cpp.inc"

/// The operands of a kind, for real numbers, and how many of them are inputs.
static std::pair<SmallVector<LinearAlgebraOperand>, unsigned>
describeRealOperands(LinearAlgebraKind kind, bool isFull, bool isTransposed) {
  switch (kind) {
  case LinearAlgebraKind::LU:
    return {{{isTransposed ? "nm" : "mn"}, {"mn"}, {"k", true}, {"", true}}, 1};
  case LinearAlgebraKind::SolveLU:
    return {{{"nn"}, {"n", true}, {"nr"}, {"nr"}}, 3};
  case LinearAlgebraKind::Cholesky:
    return {{{"nn"}, {"nn"}, {"", true}}, 1};
  case LinearAlgebraKind::QR:
    if (isFull)
      return {{{"mn"}, {"mm"}, {"mn"}}, 1};
    return {{{"mn"}, {"mk"}, {"kn"}}, 1};
  case LinearAlgebraKind::Eigh:
    return {{{"nn"}, {"n"}, {"nn"}}, 1};
  case LinearAlgebraKind::SVD:
    if (isFull)
      return {{{"mn"}, {"k"}, {"mm"}, {"nn"}}, 1};
    return {{{"mn"}, {"k"}, {"mk"}, {"kn"}}, 1};
  case LinearAlgebraKind::SolveTriangular:
    return {{{"nn"}, {"nr"}, {"nr"}}, 2};
  case LinearAlgebraKind::Geqrf:
    return {{{"mn"}, {"mn"}, {"k"}}, 1};
  case LinearAlgebraKind::Reflections:
    return {{{"mn"}, {"t"}, {"mn"}}, 2};
  case LinearAlgebraKind::Eig:
    return {{{"nn"}, {"n2"}, {"nn2"}}, 1};
  case LinearAlgebraKind::LDL:
    return {{{"nn"}, {"nn"}, {"n", true}, {"", true}}, 1};
  case LinearAlgebraKind::SolveLDL:
    return {{{"nn"}, {"n", true}, {"nr"}, {"nr"}}, 3};
  case LinearAlgebraKind::MatrixExp:
    return {{{"nn"}, {"nn"}}, 1};
  }
  llvm_unreachable("unknown kind");
}

/// The dimensions of complex numbers.
static StringRef addParts(StringRef dims) {
  return llvm::StringSwitch<StringRef>(dims)
      .Case("k", "k2")
      .Case("n", "n2")
      .Case("t", "t2")
      .Case("kn", "kn2")
      .Case("mk", "mk2")
      .Case("mm", "mm2")
      .Case("mn", "mn2")
      .Case("nm", "nm2")
      .Case("nn", "nn2")
      .Case("nr", "nr2")
      .Default(dims);
}

/// The operands of an operation, and how many of them are inputs.
static std::pair<SmallVector<LinearAlgebraOperand>, unsigned>
describeOperands(LinearAlgebraOp op) {
  LinearAlgebraKind kind = op.getKind();
  auto described = describeRealOperands(kind, op.getFull(), op.getTransposed());
  // Singular values, and eigenvalues of what is its own conjugate transpose.
  bool hasRealValues =
      kind == LinearAlgebraKind::SVD || kind == LinearAlgebraKind::Eigh;
  for (auto [index, operand] : llvm::enumerate(described.first))
    if (op.getComplex() && !operand.isInteger && !(hasRealValues && index == 1))
      operand.dims = addParts(operand.dims);
  return described;
}

SmallVector<LinearAlgebraOperand> LinearAlgebraOp::getSignature() {
  return describeOperands(*this).first;
}

int64_t LinearAlgebraOp::getBatchRank() {
  auto type = cast<ShapedType>(getInputs().front().getType());
  return type.getRank() - int64_t(getSignature().front().dims.size());
}

void LinearAlgebraOp::getEffects(
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

/// Verifies that the attributes are those of the kind.
static LogicalResult verifyFlags(LinearAlgebraOp op) {
  LinearAlgebraKind kind = op.getKind();
  bool isSolve = kind == LinearAlgebraKind::SolveTriangular;
  std::pair<StringRef, bool> refused[] = {
      {"full", op.getFull() && kind != LinearAlgebraKind::QR &&
                   kind != LinearAlgebraKind::SVD},
      {"transposed", op.getTransposed() && kind != LinearAlgebraKind::LU &&
                         kind != LinearAlgebraKind::SolveLU},
      {"upper", op.getUpper() && !isSolve},
      {"unit", op.getUnit() && !isSolve},
      {"hermitian", op.getHermitian() && kind != LinearAlgebraKind::LDL &&
                        kind != LinearAlgebraKind::SolveLDL}};
  for (auto [name, isRefused] : refused)
    if (isRefused)
      return op.emitOpError() << "of kind '" << stringifyEnum(kind)
                              << "' has no attribute '" << name << "'";
  return success();
}

/// Verifies how many operands there are: eigenvalues and singular values may
/// be asked for alone.
static LogicalResult verifyCounts(LinearAlgebraOp op) {
  auto [operands, numInputs] = describeOperands(op);
  size_t numOutputs = operands.size() - numInputs;
  bool mayHaveOne = op.getKind() == LinearAlgebraKind::Eig ||
                    op.getKind() == LinearAlgebraKind::Eigh ||
                    op.getKind() == LinearAlgebraKind::SVD;
  if (op.getInputs().size() == numInputs &&
      (op.getOutputs().size() == numOutputs ||
       (mayHaveOne && op.getOutputs().size() == 1)))
    return success();
  return op.emitOpError() << "of kind '" << stringifyEnum(op.getKind())
                          << "' takes " << numInputs << " inputs and "
                          << numOutputs << " destinations";
}

/// Verifies static sizes: equal letters are equal sizes.
static LogicalResult verifySizes(LinearAlgebraOp op) {
  int64_t rank = op.getBatchRank();
  if (rank < 0)
    return op.emitOpError("needs a matrix, not ")
           << op.getInputs().front().getType();
  SmallVector<int64_t> batch(rank, ShapedType::kDynamic);
  llvm::SmallDenseMap<char, int64_t> known{{'2', 2}};
  auto agree = [](int64_t &size, int64_t found) {
    if (ShapedType::isDynamic(size))
      size = found;
    return ShapedType::isDynamic(found) || size == found;
  };
  for (auto [value, operand] :
       llvm::zip(op->getOperands(), op.getSignature())) {
    auto type = cast<ShapedType>(value.getType());
    bool fits = type.getRank() == rank + int64_t(operand.dims.size());
    for (int64_t dim = 0; fits && dim < type.getRank(); ++dim) {
      int64_t &size = dim < rank ? batch[dim]
                                 : known
                                       .try_emplace(operand.dims[dim - rank],
                                                    ShapedType::kDynamic)
                                       .first->second;
      fits = agree(size, type.getDimSize(dim));
    }
    if (!fits)
      return op.emitOpError() << "of kind '" << stringifyEnum(op.getKind())
                              << "' has an operand of type " << type
                              << ", whose sizes do not fit the others";
  }
  auto m = known.find('m'), n = known.find('n'), k = known.find('k');
  if (m == known.end() || k == known.end() || m->second < 0 || n->second < 0)
    return success();
  if (!agree(k->second, std::min(m->second, n->second)))
    return op.emitOpError()
           << "needs " << std::min(m->second, n->second)
           << ", the lesser of rows and columns, not " << k->second;
  return success();
}

LogicalResult LinearAlgebraOp::verify() {
  if (failed(verifyFlags(*this)) || failed(verifyCounts(*this)))
    return failure();
  Type element = getElementTypeOrSelf(getInputs().front());
  if (!element.isF32() && !element.isF64())
    return emitOpError("needs elements of type f32 or f64, not ") << element;
  bool isTensor = isa<TensorType>(getInputs().front().getType());
  for (auto [value, operand] : llvm::zip(getOperands(), getSignature())) {
    Type wanted =
        operand.isInteger ? IntegerType::get(getContext(), 32) : element;
    if (getElementTypeOrSelf(value) != wanted)
      return emitOpError("needs an operand of elements of type ")
             << wanted << ", not " << value.getType();
    if (isa<TensorType>(value.getType()) != isTensor)
      return emitOpError("needs operands that are all tensors, or all memrefs");
  }
  if (failed(verifySizes(*this)))
    return failure();
  if (isTensor ? getResultTypes() != getOutputs().getTypes()
               : getNumResults() != 0)
    return emitOpError("needs one result for each destination that is a "
                       "tensor, of its type");
  return success();
}
