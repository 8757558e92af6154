//===- TallyAttentionOps.cpp - Weighted sums of rows ----------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tally/IR/Tally.h"

using namespace mlir;
using namespace tally;

AffineMap AttentionOp::getMap(unsigned operand) {
  return cast<AffineMapAttr>(getMaps()[operand]).getValue();
}

std::optional<unsigned> AttentionOp::findDim(unsigned operand, unsigned loop) {
  return getMap(operand).getResultPosition(
      getAffineDimExpr(loop, getContext()));
}

FloatType AttentionOp::getSumType() {
  Type element = getElementTypeOrSelf(getQuery());
  return element.isF64() ? cast<FloatType>(element)
                         : Float32Type::get(getContext());
}

void AttentionOp::getEffects(
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

static LogicalResult verifyTypes(AttentionOp op) {
  auto type = cast<ShapedType>(op.getOutput().getType());
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isF64())
    return op.emitOpError()
           << "works on f16, bf16, f32 or f64, not on " << element;
  bool isTensor = isa<TensorType>(type);
  for (Value operand : op->getOperands()) {
    bool isElements = llvm::is_contained(op.getElements(), operand);
    if (!isElements && getElementTypeOrSelf(operand) != element)
      return op.emitOpError("needs queries, keys, values and results of one "
                            "element type");
    if (auto shaped = dyn_cast<ShapedType>(operand.getType());
        shaped && (!shaped.hasRank() || isa<TensorType>(shaped) != isTensor))
      return op.emitOpError("needs operands that are all tensors, or all "
                            "memrefs, with a rank");
  }
  if (op->getNumResults() != (isTensor ? 1 : 0) ||
      (isTensor && op->getResult(0).getType() != type))
    return op.emitOpError(
        "needs one result, of the type of its output, if that is a tensor");
  return success();
}

/// The loops that the dimensions of an operand run over, for people.
static StringRef describeOperand(AttentionOp op, unsigned operand) {
  constexpr StringLiteral names[] = {"queries", "keys", "values"};
  if (operand < std::size(names))
    return names[operand];
  return operand + 1 == op->getNumOperands() ? "output" : "elements";
}

/// Verifies that queries, keys, values and results run over the loops that they
/// have to, in any order.
static LogicalResult verifyMainMap(AttentionOp op, unsigned operand) {
  unsigned batch = op.getNumBatchLoops();
  auto expected = llvm::to_vector(llvm::seq<unsigned>(0, batch));
  bool isRow = operand == 0 || operand + 1 == op->getNumOperands();
  expected.push_back(isRow ? op.getQueryLoop() : op.getKeyLoop());
  expected.push_back(operand < 2 ? op.getDepthLoop() : op.getColumnLoop());
  AffineMap map = op.getMap(operand);
  if (map.getNumResults() != expected.size() ||
      llvm::any_of(expected,
                   [&](unsigned loop) { return !op.findDim(operand, loop); }))
    return op.emitOpError()
           << "has a map of its " << describeOperand(op, operand)
           << " that does not give each of their loops once: "
           << AffineMapAttr::get(map);
  return success();
}

/// Verifies that elements run over loops of the scores, each once, or stay at
/// the only position of a dimension.
static LogicalResult verifyElementMap(AttentionOp op, unsigned operand) {
  AffineMap map = op.getMap(operand);
  auto type = dyn_cast<ShapedType>(op->getOperand(operand).getType());
  llvm::SmallBitVector seen(map.getNumDims());
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    bool isOne = constant && constant.getValue() == 0 && type &&
                 dim < size_t(type.getRank()) && type.getDimSize(dim) == 1;
    if (isOne || (loop && loop.getPosition() <= op.getKeyLoop() &&
                  !seen.test(loop.getPosition()))) {
      if (loop)
        seen.set(loop.getPosition());
      continue;
    }
    return op.emitOpError()
           << "has a map of its elements that does not give loops of scores: "
           << AffineMapAttr::get(map);
  }
  return success();
}

static LogicalResult verifyMaps(AttentionOp op) {
  if (op.getMaps().size() != op->getNumOperands())
    return op.emitOpError() << "has " << op.getMaps().size() << " maps for "
                            << op->getNumOperands() << " operands";
  unsigned loops = op.getMap(0).getNumDims();
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    AffineMap map = op.getMap(operand);
    if (map.getNumSymbols() != 0 || map.getNumDims() != loops || loops < 4)
      return op.emitOpError("needs maps of the same loops, at least 4 of them, "
                            "without symbols");
    auto type = dyn_cast<ShapedType>(op->getOperand(operand).getType());
    if (int64_t(map.getNumResults()) != (type ? type.getRank() : 0))
      return op.emitOpError()
             << "has a map of its " << describeOperand(op, operand)
             << " with another number of dimensions: "
             << AffineMapAttr::get(map);
    bool isMain = operand < 3 || operand + 1 == op->getNumOperands();
    if (failed(isMain ? verifyMainMap(op, operand)
                      : verifyElementMap(op, operand)))
      return failure();
  }
  if (op.getGrouped() && op.getNumBatchLoops() == 0)
    return op.emitOpError("has grouped heads, but no loop over heads");
  return success();
}

/// Verifies that sizes agree as far as types tell them.
static LogicalResult verifySizes(AttentionOp op) {
  unsigned loops = op.getMap(0).getNumDims();
  for (unsigned loop = 0; loop < loops; ++loop) {
    int64_t known = ShapedType::kDynamic, shared = ShapedType::kDynamic;
    for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
      std::optional<unsigned> dim = op.findDim(operand, loop);
      if (!dim)
        continue;
      int64_t size =
          cast<ShapedType>(op->getOperand(operand).getType()).getDimSize(*dim);
      int64_t &seen = op.isShared(operand, loop) ? shared : known;
      if (failed(verifyCompatibleDims({seen, size})))
        return op.emitOpError() << "has operands of sizes " << seen << " and "
                                << size << " for loop " << loop;
      if (!ShapedType::isDynamic(size))
        seen = size;
    }
    if (ShapedType::isStatic(known) && ShapedType::isStatic(shared) &&
        (shared == 0 ? known != 0 : known % shared != 0))
      return op.emitOpError()
             << "cannot group " << known << " heads of queries for " << shared
             << " heads of keys";
  }
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyTypes(*this)) || failed(verifyMaps(*this)))
    return failure();
  return verifySizes(*this);
}

/// Verifies the arguments of a region, what it computes, and what it yields.
static LogicalResult verifyRegion(AttentionOp op, Region &region,
                                  StringRef name, bool getsProduct,
                                  Type yielded) {
  MLIRContext *context = op.getContext();
  SmallVector<Type> expected(op.getNumBatchLoops() + 2,
                             IndexType::get(context));
  if (getsProduct)
    expected.push_back(op.getSumType());
  for (Value elements : op.getElements())
    expected.push_back(getElementTypeOrSelf(elements));
  Block &block = region.front();
  if (TypeRange(expected) != block.getArgumentTypes())
    return op.emitOpError() << "needs arguments of types " << expected
                            << " in its region '" << name << "'";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || yield.getNumOperands() != 1 ||
      yield.getOperand(0).getType() != yielded)
    return op.emitOpError() << "must end its region '" << name
                            << "' with 'tally.yield' of " << yielded;
  WalkResult result = region.walk([&](Operation *inner) {
    bool isScalar =
        llvm::none_of(inner->getOperandTypes(), llvm::IsaPred<ShapedType>) &&
        llvm::none_of(inner->getResultTypes(), llvm::IsaPred<ShapedType>);
    if (isScalar && isMemoryEffectFree(inner))
      return WalkResult::advance();
    return WalkResult(inner->emitOpError()
                      << "has effects, or is not on scalars, in region '"
                      << name << "' of 'tally.attention'");
  });
  return failure(result.wasInterrupted());
}

LogicalResult AttentionOp::verifyRegions() {
  if (failed(verifyRegion(*this, getScore(), "score", /*getsProduct=*/true,
                          getSumType())))
    return failure();
  if (getMasks().size() > 1)
    return emitOpError("has more than one region 'mask'");
  if (!getMask())
    return success();
  return verifyRegion(*this, *getMask(), "mask", /*getsProduct=*/false,
                      IntegerType::get(getContext(), 1));
}
