//===- DataCheck.cpp - Asserts about all elements of buffers --------------===//

#include "DataCheck.h"
#include "KernelGroups.h"
#include "KernelSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tally;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// What is a check
//===----------------------------------------------------------------------===//

static bool isNumber(Value value) { return !isa<ShapedType>(value.getType()); }

bool tally::codegen::canBePassed(Value number) {
  Type type = number.getType();
  return type.isIndex() ||
         (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
}

static bool isConstant(Value value) {
  return value.getDefiningOp() && matchPattern(value, m_Constant());
}

/// Whether a number of the body of a kernel comes from outside, or is constant.
static bool isKnownNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? isNumber(value) &&
                        isa<KernelOp>(argument.getOwner()->getParentOp())
                  : isNumber(value) && isConstant(value);
}

/// Whether what an operation computes at a point can be computed on its own.
static bool isPointwise(linalg::GenericOp op) {
  for (Operation &inner : op.getBody()->without_terminator()) {
    bool isRead = isa<linalg::IndexOp>(inner);
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
      isRead = isa<BlockArgument>(extract.getTensor());
    if (inner.getNumRegions() != 0 || (!isRead && !isPure(&inner)))
      return false;
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBody() && isNumber(operand) &&
          !isKnownNumber(operand))
        return false;
  }
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value value = input->get();
    if (isNumber(value)) {
      if (!isKnownNumber(value))
        return false;
      continue;
    }
    if (!llvm::all_of(op.getMatchingIndexingMap(input).getResults(),
                      [](AffineExpr expr) { return isa<AffineDimExpr>(expr); }))
      return false;
    if (isa<BlockArgument>(value))
      continue;
    if (Value number = getFillValue(value.getDefiningOp())) {
      if (!isKnownNumber(number))
        return false;
      continue;
    }
    auto maker = value.getDefiningOp<linalg::GenericOp>();
    if (!maker || maker.getNumReductionLoops() != 0 || !isPointwise(maker) ||
        llvm::any_of(maker.getDpsInitsMutable(),
                     [&](OpOperand &init) {
                       return maker.payloadUsesValueFromOperand(&init);
                     }) ||
        !maker.getIndexingMapMatchingResult(cast<OpResult>(value))
             .isPermutation())
      return false;
  }
  return true;
}

static bool isTrue(Value init) {
  if (Value number = getFillValue(init.getDefiningOp()))
    init = number;
  Attribute constant;
  if (!matchPattern(init, m_Constant(&constant)))
    return false;
  if (auto elements = dyn_cast<SplatElementsAttr>(constant))
    constant = elements.getSplatValue<Attribute>();
  auto integer = dyn_cast<IntegerAttr>(constant);
  return integer && integer.getValue().isOne();
}

/// Whether an operation reduces all of its points by a conjunction.
static bool isConjunction(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() == 0 ||
      op.getNumReductionLoops() != op.getNumLoops() || op.getNumLoops() == 0 ||
      !op->hasAttr(attr_names::kDims) || !isTrue(op.getDpsInits().front()))
    return false;
  BlockArgument accumulator = op.getRegionOutputArgs().front();
  Operation *join =
      op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return accumulator.getType().isInteger(1) &&
         isa_and_nonnull<arith::AndIOp>(join) && accumulator.hasOneUse() &&
         llvm::is_contained(join->getOperands(), accumulator) &&
         isPointwise(op);
}

/// Whether a value depends on no load of its block.
static bool isOfHost(Value value) {
  Operation *maker = value.getDefiningOp();
  return !maker || (!isa<memref::LoadOp>(maker) &&
                    (maker->getNumRegions() != 0 ||
                     llvm::all_of(maker->getOperands(), [](Value operand) {
                       return !isNumber(operand) || isOfHost(operand);
                     })));
}

/// The load that a condition comes from, by disjunctions alone.
static memref::LoadOp findFlag(Value condition,
                               SmallVectorImpl<OpOperand *> &alternatives) {
  auto either = condition.getDefiningOp<arith::OrIOp>();
  if (!either)
    return condition.getDefiningOp<memref::LoadOp>();
  unsigned host = isOfHost(either.getLhs()) ? 0 : 1;
  if (!either->hasOneUse() || !isOfHost(either->getOperand(host)))
    return {};
  memref::LoadOp flag = findFlag(either->getOperand(1 - host), alternatives);
  alternatives.push_back(&either->getOpOperand(host));
  return flag;
}

std::optional<DataCheck> DataCheck::match(AssertOp assertion) {
  DataCheck check;
  check.assertion = assertion;
  check.flag = findFlag(assertion.getCondition(), check.alternatives);
  if (!check.flag || assertion->getNumResults() != 0 ||
      !check.flag->hasOneUse() ||
      !llvm::all_of(assertion.getValues(), isOfHost) ||
      !llvm::all_of(assertion.getValues(), canBePassed))
    return std::nullopt;
  Value buffer = check.flag.getMemRef();
  if (!buffer.getDefiningOp<memref::AllocOp>() ||
      cast<MemRefType>(buffer.getType()).getRank() != 0)
    return std::nullopt;
  for (Operation *user : buffer.getUsers()) {
    if (auto kernel = dyn_cast<KernelOp>(user); kernel && !check.kernel)
      check.kernel = kernel;
    else if (user != check.flag && !isa<memref::DeallocOp>(user))
      return std::nullopt;
  }
  KernelOp kernel = check.kernel;
  Block *block = assertion->getBlock();
  if (!kernel || kernel.getOutputs().size() != 1 ||
      kernel.getOutputs().front() != buffer || kernel->getBlock() != block ||
      check.flag->getBlock() != block || !kernel->isBeforeInBlock(check.flag) ||
      llvm::is_contained(kernel.getInputs(), buffer))
    return std::nullopt;
  check.reduction =
      kernel.getYielded().front().getDefiningOp<linalg::GenericOp>();
  if (!check.reduction || !isConjunction(check.reduction))
    return std::nullopt;
  return check;
}

//===----------------------------------------------------------------------===//
// DataCheck
//===----------------------------------------------------------------------===//

SmallVector<Value> DataCheck::getExtents() const {
  KernelOp op = kernel;
  return llvm::map_to_vector(
      getKernelDims(reduction),
      [&](int64_t dim) -> Value { return op.getExtents()[dim]; });
}

Value DataCheck::getOnlyInput() const {
  KernelOp op = kernel;
  Value only;
  for (BlockArgument argument : op.getInputArguments()) {
    if (isNumber(argument))
      continue;
    if (only)
      return {};
    only = op.getInputs()[argument.getArgNumber()];
  }
  bool isOfElement =
      !op.getBody()
           .walk([](Operation *inner) {
             return isa<linalg::IndexOp, tensor::ExtractOp>(inner)
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           })
           .wasInterrupted();
  return isOfElement ? only : Value();
}

void DataCheck::erase() const {
  Value buffer = flag->getOperand(0);
  SmallVector<Operation *> ops{assertion};
  for (OpOperand *alternative : llvm::reverse(alternatives))
    ops.push_back(alternative->getOwner());
  ops.push_back(flag);
  for (Operation *user : buffer.getUsers())
    if (isa<memref::DeallocOp>(user))
      ops.push_back(user);
  ops.push_back(kernel);
  ops.push_back(buffer.getDefiningOp());
  for (Operation *op : ops)
    op->erase();
}

//===----------------------------------------------------------------------===//
// CheckEmitter
//===----------------------------------------------------------------------===//

Value CheckEmitter::getOperandOfKernel(BlockArgument argument) const {
  KernelOp kernel = check.kernel;
  return kernel.getInputs()[argument.getArgNumber()];
}

/// A number of the body of the kernel.
Value CheckEmitter::getScalar(Value inside) {
  if (auto argument = dyn_cast<BlockArgument>(inside))
    return getNumber(getOperandOfKernel(argument));
  return builder.clone(*inside.getDefiningOp())->getResult(0);
}

Value CheckEmitter::getOperand(linalg::GenericOp op, OpOperand &operand,
                               ArrayRef<Value> loops) {
  Value value = operand.get();
  if (isNumber(value))
    return getScalar(value);
  SmallVector<Value> indices;
  if (!loops.empty())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      indices.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getElement(argument, indices);
  if (Value number = getFillValue(value.getDefiningOp()))
    return getScalar(number);
  auto maker = value.getDefiningOp<linalg::GenericOp>();
  auto result = cast<OpResult>(value);
  SmallVector<Value> inner;
  if (!loops.empty()) {
    inner.resize(maker.getNumLoops());
    for (auto [expr, index] : llvm::zip_equal(
             maker.getIndexingMapMatchingResult(result).getResults(), indices))
      inner[cast<AffineDimExpr>(expr).getPosition()] = index;
  }
  return compute(maker, result.getResultNumber(), inner);
}

/// What an operation of the kernel yields at a point.
Value CheckEmitter::compute(linalg::GenericOp op, unsigned result,
                            ArrayRef<Value> loops) {
  IRMapping map;
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.payloadUsesValueFromOperand(input))
      map.map(op.getMatchingBlockArgument(input),
              getOperand(op, *input, loops));
  if (op == check.reduction)
    map.map(op.getRegionOutputArgs().front(),
            arith::ConstantIntOp::create(builder, loc, 1, 1).getResult());
  for (Operation &inner : op.getBody()->without_terminator()) {
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBody() && isNumber(operand) &&
          !map.contains(operand))
        map.map(operand, getScalar(operand));
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      map.map(index.getResult(), loops[index.getDim()]);
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      SmallVector<Value> indices;
      for (Value position : extract.getIndices())
        indices.push_back(map.lookup(position));
      map.map(extract.getResult(),
              getElement(cast<BlockArgument>(extract.getTensor()), indices));
    } else {
      builder.clone(inner, map);
    }
  }
  Value yielded = op.getBody()->getTerminator()->getOperand(result);
  if (yielded.getParentBlock() != op.getBody())
    return getScalar(yielded);
  return map.lookup(yielded);
}

void CheckEmitter::emit(ArrayRef<Value> indices) {
  Value holds = compute(check.reduction, 0, indices);
  for (OpOperand *alternative : check.alternatives)
    holds = arith::OrIOp::create(builder, loc, holds,
                                 getNumber(alternative->get()));
  IRMapping map;
  AssertOp assertion = check.assertion;
  map.map(assertion.getCondition(), holds);
  for (Value value : assertion.getValues())
    map.map(value, getNumber(value));
  builder.clone(*assertion, map);
}

Value LoopCheckEmitter::getElement(BlockArgument buffer, ValueRange indices) {
  return memref::LoadOp::create(builder, loc, getOperandOfKernel(buffer),
                                indices);
}

Value KernelCheckEmitter::getNumber(Value outside) {
  if (isConstant(outside))
    return builder.clone(*outside.getDefiningOp())->getResult(0);
  for (auto [operand, argument] :
       llvm::zip_equal(kernel.getInputs(), kernel.getInputArguments()))
    if (operand == outside)
      return argument;
  unsigned index = kernel.getInputs().size();
  kernel.getInputsMutable().append(outside);
  return kernel.getBody().front().insertArgument(index, outside.getType(), loc);
}
