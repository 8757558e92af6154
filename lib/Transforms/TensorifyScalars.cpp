//===- TensorifyScalars.cpp - Floats that only feed tensors stay in them --===//
//
// Three steps: find the scalars that come out of tensors, keep those whose uses
// all end in tensors, and compute these as tensors of rank 0.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_TENSORIFYSCALARS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-tensorify-scalars"

using namespace mlir;
using namespace tally;

namespace {
class ScalarTensorifier {
public:
  explicit ScalarTensorifier(FunctionOpInterface function)
      : function(function), builder(function.getContext()) {}

  void run();

private:
  bool comesOutOfTensors(Operation *op) const;
  bool isOnlyForTensors(Value scalar) const;
  bool isTensorUse(OpOperand &use) const;
  void select();

  Value toTensor(Value scalar);
  Value readAsTensor(Operation *op);
  Value computeAsTensor(Operation *op);
  void replaceUse(OpOperand &use, Value tensor);
  void replaceFill(linalg::FillOp fill, Value tensor);
  void replaceSplat(tensor::SplatOp splat, Value tensor);
  void replaceElements(tensor::FromElementsOp op, Value tensor);
  void passToBody(linalg::GenericOp generic, Value scalar, Value tensor);
  Value broadcast(Location loc, Value tensor, Value init);

  FunctionOpInterface function;
  OpBuilder builder;
  /// Scalars that come out of tensors, later those that go back into them, in
  /// program order.
  llvm::SetVector<Value> scalars;
  llvm::DenseMap<Value, Value> tensors;
};
} // namespace

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// The tensor of one element that an operation reads, or null.
static Value getReadTensor(Operation *op) {
  if (auto item = dyn_cast<ItemOp>(op)) {
    auto type = cast<RankedTensorType>(item.getSource().getType());
    bool isBound = item.getBindingsAttr() != nullptr;
    return !isBound && type.hasStaticShape() ? item.getSource() : Value();
  }
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  return extract && extract.getIndices().empty() ? extract.getTensor()
                                                 : Value();
}

/// Returns true for arithmetic on floats that works on tensors alike.
static bool isFloatArithmetic(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return op->getNumResults() == 1 && op->getNumOperands() != 0 &&
         OpTrait::hasElementwiseMappableTraits(op) && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperandTypes(), isFloat) &&
         llvm::all_of(op->getResultTypes(), isFloat);
}

/// Names of floats say nothing about them.
static bool isFloatName(Operation *op) {
  return isa<SymbolOp>(op) && isa<FloatType>(op->getResult(0).getType());
}

bool ScalarTensorifier::comesOutOfTensors(Operation *op) const {
  if (op->getNumResults() != 1 || !isa<FloatType>(op->getResult(0).getType()))
    return false;
  if (getReadTensor(op))
    return true;
  return (isFloatArithmetic(op) || isFloatName(op)) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return scalars.contains(operand); });
}

/// The structured operation whose body uses a value from outside, or null.
static linalg::GenericOp getCapturingOp(OpOperand &use) {
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner()->getParentOp());
  bool isOutside =
      generic && !generic.getRegion().isAncestor(use.get().getParentRegion());
  return isOutside ? generic : linalg::GenericOp();
}

/// Returns true if an operation would as well take a tensor of rank 0.
bool ScalarTensorifier::isTensorUse(OpOperand &use) const {
  Operation *user = use.getOwner();
  if (auto generic = getCapturingOp(use))
    return generic.hasPureTensorSemantics();
  if (auto generic = dyn_cast<linalg::GenericOp>(user))
    return generic.hasPureTensorSemantics();
  if (auto fill = dyn_cast<linalg::FillOp>(user))
    return fill.hasPureTensorSemantics();
  if (auto elements = dyn_cast<tensor::FromElementsOp>(user))
    return elements.getElements().size() == 1;
  return isa<tensor::SplatOp>(user);
}

bool ScalarTensorifier::isOnlyForTensors(Value scalar) const {
  return !scalar.use_empty() &&
         llvm::all_of(scalar.getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner();
           if (user->getNumResults() == 1 &&
               scalars.contains(user->getResult(0)))
             return true;
           return isTensorUse(use);
         });
}

void ScalarTensorifier::select() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    // A body that runs for each element computes scalars.
    if (isa<linalg::LinalgOp, tensor::GenerateOp>(op))
      return WalkResult::skip();
    if (comesOutOfTensors(op))
      scalars.insert(op->getResult(0));
    return WalkResult::advance();
  });
  // A use counts as long as what it computes goes back into a tensor.
  SmallVector<Value> found = scalars.takeVector();
  scalars.insert_range(found);
  for (Value scalar : llvm::reverse(found))
    if (!isOnlyForTensors(scalar)) {
      LDBG() << scalar.getDefiningOp()->getName()
             << describePlace(scalar.getLoc())
             << ": stays a scalar, not only tensors need it";
      scalars.remove(scalar);
    }
  // A value that is computed from scalars alone stays a scalar.
  found = scalars.takeVector();
  for (Value scalar : found)
    if (comesOutOfTensors(scalar.getDefiningOp()))
      scalars.insert(scalar);
}

//===----------------------------------------------------------------------===//
// Tensors of rank 0
//===----------------------------------------------------------------------===//

static RankedTensorType getTensorType(Value scalar) {
  return RankedTensorType::get({}, scalar.getType());
}

/// A scalar as a tensor, at the insertion point.
Value ScalarTensorifier::toTensor(Value scalar) {
  if (Value tensor = tensors.lookup(scalar))
    return tensor;
  RankedTensorType type = getTensorType(scalar);
  FloatAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return arith::ConstantOp::create(
        builder, scalar.getLoc(),
        DenseElementsAttr::get(type, constant.getValue()));
  return tensor::FromElementsOp::create(builder, scalar.getLoc(), type, scalar);
}

Value ScalarTensorifier::readAsTensor(Operation *op) {
  Value tensor = getReadTensor(op);
  if (cast<RankedTensorType>(tensor.getType()).getRank() == 0)
    return tensor;
  return tensor::CollapseShapeOp::create(
      builder, op->getLoc(), getTensorType(op->getResult(0)), tensor,
      ArrayRef<ReassociationIndices>{});
}

Value ScalarTensorifier::computeAsTensor(Operation *op) {
  builder.setInsertionPoint(op);
  if (getReadTensor(op))
    return readAsTensor(op);
  if (isFloatName(op))
    return toTensor(op->getOperand(0));
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return toTensor(operand); });
  OperationState state(op->getLoc(), op->getName(), operands,
                       getTensorType(op->getResult(0)),
                       op->getAttrDictionary().getValue());
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

/// Writes the element of a tensor of rank 0 into every element of another.
Value ScalarTensorifier::broadcast(Location loc, Value tensor, Value init) {
  unsigned rank = cast<RankedTensorType>(init.getType()).getRank();
  MLIRContext *context = builder.getContext();
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank, 0, context),
      AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, init.getType(), tensor, init, maps, iterators,
             [](OpBuilder &body, Location loc, ValueRange arguments) {
               linalg::YieldOp::create(body, loc, arguments.front());
             })
      .getResult(0);
}

void ScalarTensorifier::replaceFill(linalg::FillOp fill, Value tensor) {
  Value filled = broadcast(fill.getLoc(), tensor, fill.getOutputs().front());
  fill.getResult(0).replaceAllUsesWith(filled);
  fill.erase();
}

void ScalarTensorifier::replaceSplat(tensor::SplatOp splat, Value tensor) {
  auto type = cast<RankedTensorType>(splat.getType());
  Value empty = tensor::EmptyOp::create(builder, splat.getLoc(), type,
                                        splat.getDynamicSizes());
  splat.replaceAllUsesWith(broadcast(splat.getLoc(), tensor, empty));
  splat.erase();
}

void ScalarTensorifier::replaceElements(tensor::FromElementsOp op,
                                        Value tensor) {
  if (op.getType() != tensor.getType())
    tensor =
        tensor::ExpandShapeOp::create(builder, op.getLoc(), op.getType(),
                                      tensor, ArrayRef<ReassociationIndices>{});
  op.replaceAllUsesWith(tensor);
  op.erase();
}

/// A value that the body uses from outside becomes an input of the operation.
void ScalarTensorifier::passToBody(linalg::GenericOp generic, Value scalar,
                                   Value tensor) {
  SmallVector<Value> inputs(generic.getInputs());
  unsigned position = inputs.size();
  inputs.push_back(tensor);
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  maps.insert(maps.begin() + position,
              AffineMap::get(generic.getNumLoops(), 0, generic.getContext()));
  auto replacement = linalg::GenericOp::create(
      builder, generic.getLoc(), generic.getResultTypes(), inputs,
      generic.getOutputs(), maps, generic.getIteratorTypesArray());
  replacement->setDiscardableAttrs(generic->getDiscardableAttrDictionary());
  replacement.getRegion().takeBody(generic.getRegion());
  Value argument = replacement.getBody()->insertArgument(
      position, scalar.getType(), scalar.getLoc());
  replaceAllUsesInRegionWith(scalar, argument, replacement.getRegion());
  generic.replaceAllUsesWith(replacement.getResults());
  generic.erase();
}

void ScalarTensorifier::replaceUse(OpOperand &use, Value tensor) {
  Operation *user = use.getOwner();
  if (auto generic = getCapturingOp(use)) {
    builder.setInsertionPoint(generic);
    return passToBody(generic, use.get(), tensor);
  }
  builder.setInsertionPoint(user);
  if (auto fill = dyn_cast<linalg::FillOp>(user))
    return replaceFill(fill, tensor);
  if (auto splat = dyn_cast<tensor::SplatOp>(user))
    return replaceSplat(splat, tensor);
  if (auto elements = dyn_cast<tensor::FromElementsOp>(user))
    return replaceElements(elements, tensor);
  use.set(tensor); // an input of a linalg.generic
}

void ScalarTensorifier::run() {
  select();
  for (Value scalar : scalars) {
    LDBG() << scalar.getDefiningOp()->getName()
           << describePlace(scalar.getLoc()) << ": is computed in a tensor";
    tensors[scalar] = computeAsTensor(scalar.getDefiningOp());
  }
  for (Value scalar : llvm::reverse(scalars)) {
    // What was computed from it is gone by now. A replacement may rebuild the
    // operation of another use: each is looked for anew.
    while (!scalar.use_empty())
      replaceUse(*scalar.use_begin(), tensors.lookup(scalar));
    scalar.getDefiningOp()->erase();
  }
}

void tally::tensorifyScalars(FunctionOpInterface function) {
  if (!function.isExternal())
    ScalarTensorifier(function).run();
}

namespace {
struct TensorifyScalarsPass
    : tally::impl::TensorifyScalarsBase<TensorifyScalarsPass> {
  void runOnOperation() override {
    (void)forEachFunction(getOperation(), [](FunctionOpInterface function) {
      tensorifyScalars(function);
      return success();
    });
  }
};
} // namespace
