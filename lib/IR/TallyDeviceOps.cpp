//===- TallyDeviceOps.cpp - Ops that run on a device ----------------------===//

#include "tally/IR/ContractLoops.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

/// The effects of an operation that reads `inputs` and writes `outputs`; on
/// tensors there are none.
static void addBufferEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects,
    MutableOperandRange inputs, MutableOperandRange outputs) {
  for (OpOperand &input : inputs)
    if (isa<BaseMemRefType>(input.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &input,
                           SideEffects::DefaultResource::get());
  for (OpOperand &output : outputs)
    if (isa<BaseMemRefType>(output.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &output,
                           SideEffects::DefaultResource::get());
}

/// On tensors there is one result of the type of each output, on memrefs none.
static LogicalResult verifyResults(Operation *op, ValueRange outputs) {
  SmallVector<Type> expected;
  for (Value output : outputs)
    if (isa<RankedTensorType>(output.getType()))
      expected.push_back(output.getType());
  if (!expected.empty() && expected.size() != outputs.size())
    return op->emitOpError("writes to tensors and to memrefs");
  if (TypeRange(expected) != op->getResultTypes())
    return op->emitOpError("needs one result for each output that is a tensor, "
                           "of its type");
  return success();
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

/// Returns true where the body sees an operand as such an argument.
static bool isSeenAs(Type operand, Type argument) {
  if (operand == argument)
    return true;
  auto memref = dyn_cast<MemRefType>(operand);
  auto buffer = dyn_cast<ShapedType>(operand);
  auto tensor = dyn_cast<RankedTensorType>(argument);
  return (memref || isa<RankedTensorType>(operand)) && tensor &&
         buffer.getElementType() == tensor.getElementType() &&
         buffer.getRank() == tensor.getRank() &&
         succeeded(verifyCompatibleShape(buffer, tensor));
}

/// Every loop of every operation in the body runs over a dimension.
static LogicalResult verifyDims(KernelOp kernel) {
  int64_t count = kernel.getExtents().size();
  auto isDim = [&](int64_t dim) { return dim >= 0 && dim < count; };
  if (!llvm::all_of(kernel.getReduced(), isDim))
    return kernel.emitOpError("reduces a dimension that it does not have");
  ArrayRef<int64_t> divisors = kernel.getDivisors();
  if (!divisors.empty() && int64_t(divisors.size()) != count)
    return kernel.emitOpError("has ")
           << divisors.size() << " divisors for " << count << " dimensions";
  if (llvm::any_of(divisors, [](int64_t divisor) { return divisor < 1; }))
    return kernel.emitOpError("has a divisor that is not positive");
  for (Operation &op : kernel.getBody().front()) {
    auto dims = op.getAttrOfType<DenseI64ArrayAttr>(attr_names::kDims);
    if (dims && !llvm::all_of(dims.asArrayRef(), isDim))
      return op.emitOpError("runs over a dimension that its kernel does not "
                            "have");
  }
  return success();
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  SmallVector<Type> types(getInputs().getTypes());
  llvm::append_range(types, getOutputs().getTypes());
  if (block.getNumArguments() != types.size())
    return emitOpError("has ")
           << types.size() << " inputs and outputs, but "
           << block.getNumArguments() << " arguments of its body";
  if (failed(verifyDims(*this)))
    return failure();
  for (auto [index, operand, argument] :
       llvm::enumerate(types, block.getArgumentTypes()))
    if (!isSeenAs(operand, argument))
      return emitOpError("passes operand ")
             << index << " of type " << operand << " as " << argument;
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("must end with 'tally.yield'");
  if (yield.getNumOperands() != getOutputs().size())
    return emitOpError("yields ") << yield.getNumOperands() << " values for "
                                  << getOutputs().size() << " outputs";
  for (auto [value, output] :
       llvm::zip_equal(yield.getOperandTypes(), getOutputs().getTypes()))
    if (!isSeenAs(output, value))
      return emitOpError("writes ") << value << " to " << output;
  return verifyResults(*this, getOutputs());
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(effects, getInputsMutable(), getOutputsMutable());
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// Verifies the types of elements that are multiplied, and that of the result.
static LogicalResult verifyElementTypes(Operation *op, Type a, Type b, Type c) {
  if (a != b)
    return op->emitOpError("multiplies ") << a << " and " << b;
  if (!isa<FloatType>(a) && !a.isInteger(8) && !a.isInteger(16) &&
      !a.isInteger(32) && !a.isInteger(64))
    return op->emitOpError("multiplies floats, i8, i16, i32 and i64 only, not ")
           << a;
  if (a == c || (a.isInteger(8) && c.isInteger(32)) ||
      (c.isF32() && (a.isF16() || a.isBF16())))
    return success();
  return op->emitOpError("has a result of ") << c << " for operands of " << a;
}

void MatmulOp::build(OpBuilder &, OperationState &state, Type result, Value a,
                     Value b, Value c, bool transposeA, bool transposeB) {
  state.addTypes(result);
  state.addOperands({a, b, c});
  auto &properties = state.getOrAddProperties<Properties>();
  auto flag = UnitAttr::get(state.getContext());
  properties.transpose_a = transposeA ? flag : UnitAttr();
  properties.transpose_b = transposeB ? flag : UnitAttr();
  properties.operandSegmentSizes = {1, 1, 0, 0, 1};
}

/// Returns whether an operand of a prologue can be read at each element of `b`:
/// its dimensions are some of those of `b`, or have one position.
static bool fitsMatrix(Type operand, AffineMap map) {
  auto type = dyn_cast<ShapedType>(operand);
  if (map.getNumDims() != 2 || map.getNumSymbols() != 0 ||
      int64_t(map.getNumResults()) != (type ? type.getRank() : 0))
    return false;
  return llvm::all_of(llvm::enumerate(map.getResults()), [&](auto result) {
    auto constant = dyn_cast<AffineConstantExpr>(result.value());
    return isa<AffineDimExpr>(result.value()) ||
           (constant && constant.getValue() == 0 &&
            type.getDimSize(result.index()) == 1);
  });
}

/// Verifies what a prologue is applied to.
static LogicalResult verifyPrologue(MatmulOp op) {
  if (op.getPrologues().size() > 1)
    return op.emitOpError("has more than one prologue");
  if (!op.getPrologue()) {
    if (!op.getElements().empty())
      return op.emitOpError("has elements, but no prologue that gets them");
    return success();
  }
  if (cast<ShapedType>(op.getC().getType()).getRank() != 2)
    return op.emitOpError("has a prologue of several matrices");
  size_t numMaps = op.getMaps() ? op.getMaps()->size() : 0;
  if (numMaps != op.getElements().size())
    return op.emitOpError("has ")
           << numMaps << " maps for " << op.getElements().size() << " elements";
  for (auto [index, operand] : llvm::enumerate(op.getElements())) {
    auto map = cast<AffineMapAttr>((*op.getMaps())[index]);
    if (!fitsMatrix(operand.getType(), map.getValue()))
      return op.emitOpError("has elements of ")
             << operand.getType() << " that do not fit their map " << map;
  }
  return success();
}

/// Verifies what is done with sums of products.
static LogicalResult verifyEpilogue(MatmulOp op) {
  if (!op.hasEpilogue())
    return success();
  auto c = cast<ShapedType>(op.getC().getType());
  if (c.getRank() != 2)
    return op.emitOpError("has a bias or 'relu' for several matrices");
  if (op.getPrologue())
    return op.emitOpError("has a prologue, which only the CPU computes, and a "
                          "bias or 'relu', which only a GPU does");
  Type type = c.getElementType();
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return op.emitOpError("has a bias or 'relu' for a result of ") << type;
  if (!op.getBias())
    return success();
  auto bias = cast<ShapedType>(op.getBias().getType());
  if (bias.getRank() != 1 || bias.getElementType() != type ||
      failed(verifyCompatibleDims({bias.getDimSize(0), c.getDimSize(1)})))
    return op.emitOpError("has a bias of ")
           << bias << " for rows of " << c << ": it needs one " << type
           << " for each column";
  return success();
}

LogicalResult MatmulOp::verifyRegions() {
  Region *prologue = getPrologue();
  if (!prologue)
    return success();
  SmallVector<Type> expected{getElementTypeOrSelf(getB())};
  for (Value operand : getElements())
    expected.push_back(getElementTypeOrSelf(operand));
  if (prologue->getArgumentTypes() != TypeRange(expected))
    return emitOpError("has a prologue that does not get an element of 'b' and "
                       "one of each of its elements");
  auto yield = dyn_cast<YieldOp>(prologue->front().getTerminator());
  if (!yield || yield.getNumOperands() != 1)
    return emitOpError("has a prologue that does not yield one element");
  for (Operation &inner : prologue->front().without_terminator())
    if (!isMemoryEffectFree(&inner))
      return inner.emitOpError("has an effect, in a prologue");
  return success();
}

LogicalResult MatmulOp::verify() {
  auto a = cast<ShapedType>(getA().getType());
  auto b = cast<ShapedType>(getB().getType());
  auto c = cast<ShapedType>(getC().getType());
  if (c.getRank() < 2 || a.getRank() != c.getRank() ||
      b.getRank() != c.getRank())
    return emitOpError("needs operands of one rank, at least 2");
  if (failed(verifyPrologue(*this)) || failed(verifyEpilogue(*this)))
    return failure();
  Type multiplied = b.getElementType();
  if (Region *prologue = getPrologue())
    if (auto yield = dyn_cast<YieldOp>(prologue->front().back());
        yield && yield.getNumOperands() == 1)
      multiplied = yield.getOperandTypes().front();
  if (failed(verifyElementTypes(*this, a.getElementType(), multiplied,
                                c.getElementType())))
    return failure();
  int64_t rank = c.getRank();
  auto agrees = [&](ShapedType x, int64_t i, ShapedType y, int64_t j) {
    return succeeded(verifyCompatibleDims({x.getDimSize(i), y.getDimSize(j)}));
  };
  for (int64_t dim = 0; dim < rank - 2; ++dim)
    if (!agrees(a, dim, c, dim) || !agrees(b, dim, c, dim))
      return emitOpError("has operands that differ in dimension ") << dim;
  int64_t aRow = getTransposeA() ? rank - 1 : rank - 2;
  int64_t bRow = getTransposeB() ? rank - 1 : rank - 2;
  int64_t both = 2 * rank - 3;
  if (!agrees(a, both - aRow, b, bRow) || !agrees(a, aRow, c, rank - 2) ||
      !agrees(b, both - bRow, c, rank - 1))
    return emitOpError("has operands whose rows and columns do not fit");
  return verifyResults(*this, getC());
}

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(effects, getAMutable(), getCMutable());
  MutableOperandRange none(*this, 0, 0);
  addBufferEffects(effects, getBMutable(), none);
  addBufferEffects(effects, getElementsMutable(), none);
  addBufferEffects(effects, getBiasMutable(), none);
}

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

/// Returns whether an operand has all elements that the loops need, as far as
/// the types say.
static bool fitsLoops(ShapedType type, const ContractOperand &operand,
                      ArrayRef<int64_t> padding, ArrayRef<int64_t> sizes) {
  for (auto [dim, size, terms] : llvm::enumerate(type.getShape(), operand)) {
    // A padded dimension has an element, or a zero, everywhere.
    if (ShapedType::isDynamic(size) || (!padding.empty() && padding[dim] != 0))
      continue;
    if (isSingleLoop(terms) || isBackward(terms)) {
      int64_t loop = sizes[terms.front().loop];
      if (!ShapedType::isDynamic(loop) && loop != size)
        return false;
      continue;
    }
    int64_t needed = 1;
    bool runs = true;
    for (const ContractTerm &term : terms) {
      int64_t loop = sizes[term.loop];
      runs &= loop != 0;
      if (!ShapedType::isDynamic(loop))
        needed += (loop - 1) * term.factor;
    }
    if (runs && needed > size)
      return false;
  }
  return true;
}

LogicalResult ContractOp::verify() {
  ShapedType types[3];
  for (auto [type, operand] : llvm::zip_equal(types, getOperands()))
    type = cast<ShapedType>(operand.getType());
  if (failed(verifyElementTypes(*this, types[0].getElementType(),
                                types[1].getElementType(),
                                types[2].getElementType())))
    return failure();
  SmallVector<AffineMap> maps =
      llvm::to_vector(getMaps().getAsValueRange<AffineMapAttr>());
  if (maps.size() != 3)
    return emitOpError("needs a map for each of three operands");
  for (auto [type, map] : llvm::zip_equal(types, maps))
    if (map.getNumResults() != type.getRank())
      return emitOpError("has a map with ")
             << map.getNumResults() << " results for " << type;
  std::string problem;
  std::optional<ContractLoops> loops = getContractLoops(maps, &problem);
  if (!loops)
    return emitOpError() << problem;
  SmallVector<int64_t> sizes;
  for (const ContractLoop &loop : loops->loops)
    sizes.push_back(types[loop.operand].getDimSize(loop.dim));
  // Windows may write outside of c.
  size_t padded = loops->writesWindows ? 2 : 1;
  SmallVector<int64_t> padding = loops->padding;
  for (auto [zeros, terms] : llvm::zip_equal(padding, loops->operands[padded]))
    if (loops->writesWindows && !isSingleLoop(terms))
      zeros = 1;
  for (size_t i = 0; i < 3; ++i)
    if (!fitsLoops(types[i], loops->operands[i],
                   i == padded ? ArrayRef<int64_t>(padding)
                               : ArrayRef<int64_t>(),
                   sizes))
      return emitOpError("has loops that do not fit the sizes of '")
             << "abc"[i] << "'";
  for (auto [dim, last] : llvm::enumerate(loops->first))
    if (last != 0 && types[0].getDimSize(int64_t(dim)) != last + 1)
      return emitOpError("reads dimension ")
             << dim << " of 'a' backwards from index " << last
             << ", which is not known to be its last one";
  return verifyResults(*this, getC());
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(effects, getAMutable(), getCMutable());
  addBufferEffects(effects, getBMutable(), MutableOperandRange(*this, 0, 0));
}

//===----------------------------------------------------------------------===//
// CountNonzeroOp, WriteNonzeroOp
//===----------------------------------------------------------------------===//

/// Verifies the part that both operations have: tiles of whole warps, and
/// counts for each.
static LogicalResult verifyCompaction(Operation *op, Value source, Value before,
                                      int64_t tile) {
  if (!cast<ShapedType>(source.getType())
           .getElementType()
           .isIntOrIndexOrFloat())
    return op->emitOpError("looks at numbers only, not at ")
           << source.getType();
  auto type = cast<ShapedType>(before.getType());
  if (type.getRank() != 1 || !type.getElementType().isInteger(64))
    return op->emitOpError("counts in one dimension of i64, not in ") << type;
  if (tile <= 0 || tile % 32 != 0 || tile > (1 << 16))
    return op->emitOpError("needs tiles of a multiple of 32 elements, at most "
                           "65536, not of ")
           << tile;
  return success();
}

LogicalResult CountNonzeroOp::verify() {
  if (failed(verifyCompaction(*this, getSource(), getBefore(), getTile())))
    return failure();
  return verifyResults(*this, getBefore());
}

void CountNonzeroOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(effects, getSourceMutable(), getBeforeMutable());
}

LogicalResult WriteNonzeroOp::verify() {
  if (failed(verifyCompaction(*this, getSource(), getBefore(), getTile())))
    return failure();
  auto source = cast<ShapedType>(getSource().getType());
  auto rows = cast<ShapedType>(getRows().getType());
  if (rows.getRank() != 2 || rows.getDimSize(1) != source.getRank() ||
      !rows.getElementType().isInteger(64))
    return emitOpError("writes rows of ")
           << source.getRank() << " i64, not to " << rows;
  return verifyResults(*this, getRows());
}

void WriteNonzeroOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addBufferEffects(effects, getSourceMutable(), getRowsMutable());
  addBufferEffects(effects, getBeforeMutable(),
                   MutableOperandRange(*this, 0, 0));
}

//===----------------------------------------------------------------------===//
// ReadBackOp
//===----------------------------------------------------------------------===//

LogicalResult ReadBackOp::verify() {
  int64_t rank = cast<MemRefType>(getSource().getType()).getRank();
  if (int64_t(getIndices().size()) != rank)
    return emitOpError("has ")
           << getIndices().size() << " indices for a buffer of rank " << rank;
  return success();
}
