//===- FormKernels.cpp - Structured operations become kernels -------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/Utils.h"
#include "FusePoints.h"
#include "GroupObstacles.h"
#include "HoistSizes.h"
#include "KernelGroups.h"
#include "KernelReport.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Codegen/Kernels/Passes.h"
#include "tally/Codegen/Kernels/Transforms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace tally {
#define GEN_PASS_DEF_FORMKERNELS
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;
using namespace tally::codegen;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Iteration spaces
//===----------------------------------------------------------------------===//

/// An operand of `op` and a dimension of it that `loop` runs over.
static std::optional<std::pair<Value, int64_t>> findSize(linalg::GenericOp op,
                                                         unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [dim, result] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto expr = dyn_cast<AffineDimExpr>(result);
          expr && expr.getPosition() == loop)
        return std::pair(operand.get(), int64_t(dim));
  }
  return std::nullopt;
}

/// No schedule uses a larger divisor.
static constexpr int64_t kMaxDivisor = 4096;

/// A number that is known to divide a size; of one that is known itself, 1.
static int64_t getDivisor(SymbolicShapes &shapes, Expr size) {
  if (size.isConstant())
    return 1;
  DynamicAPInt divisor = shapes.getFacts().congruence(size).getDivisor();
  if (divisor <= 0)
    return 1;
  return int64_t(gcd(divisor, DynamicAPInt(kMaxDivisor)));
}

/// Returns whether each dimension of each result is written by a loop of its
/// own, and not in one place of it alone.
static bool writesByLoops(linalg::GenericOp op) {
  return llvm::all_of(op->getResults(), [&](OpResult result) {
    return llvm::all_of(op.getIndexingMapMatchingResult(result).getResults(),
                        llvm::IsaPred<AffineDimExpr>);
  });
}

/// The reason why an operation is in no kernel; null if there is none.
static const char *findObstacle(linalg::GenericOp op) {
  if (!writesByLoops(op))
    return "writes a part of its result; it cannot be compiled for a GPU: "
           "compute the part and use 'tensor.insert_slice'";
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!findSize(op, loop))
      return "has a loop that runs over no dimension of an operand; it cannot "
             "be compiled for a GPU";
  return nullptr;
}

/// How often each loop of each structured operation runs, by what is known at
/// it. Reports what cannot be part of a kernel, or leaves it out.
static LogicalResult collectExtents(func::FuncOp function, LoopExtents &extents,
                                    SymbolicShapes &shapes, bool leaveOut) {
  bool hasFailed = false;
  ScopedFacts(shapes).walk(function, [&](Operation *op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic || !generic.hasPureTensorSemantics() ||
        op->getParentOfType<KernelOp>())
      return true;
    if (const char *obstacle = findObstacle(generic)) {
      if (!leaveOut)
        op->emitError(obstacle);
      hasFailed |= !leaveOut;
      return true;
    }
    SmallVector<Extent> sizes;
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop) {
      auto size = findSize(generic, loop);
      Expr dim =
          shapes.getFacts().simplify(shapes.getDim(size->first, size->second));
      sizes.push_back({dim, getDivisor(shapes, dim)});
    }
    extents[op] = sizes;
    return true;
  });
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// Making a kernel of a group
//===----------------------------------------------------------------------===//

namespace {

/// Builds the kernel of one group in the place of its operations.
class GroupKernelBuilder {
public:
  GroupKernelBuilder(const KernelGroup &group, IRRewriter &rewriter)
      : group(group), rewriter(rewriter), last(group.ops.back()) {}

  void run() {
    rewriter.setInsertionPoint(last);
    collectInputs();
    collectOutputs();
    createExtents();
    createKernel();
    fillBody();
    replaceResults();
  }

private:
  void collectInputs();
  void collectOutputs();
  void createExtents();
  void createKernel();
  void fillBody();
  void replaceResults();
  Value createExtent(unsigned dim);
  Value createOutput(OpResult result);
  Value createInit(OpBuilder &builder, linalg::GenericOp op, OpOperand &init);
  Value cloneLocal(OpBuilder &builder, Value value);

  const KernelGroup &group;
  IRRewriter &rewriter;
  linalg::GenericOp last;
  llvm::SetVector<Value> inputs;
  SmallVector<OpResult> results;
  SmallVector<Value> outputs;
  SmallVector<Value> extents;
  KernelOp kernel;
  /// From values outside to those of the body.
  IRMapping map;
};

} // namespace

/// Returns true for a value that a kernel makes itself.
static bool isLocal(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  if (getFillValue(def))
    return true;
  Attribute constant;
  if (!matchPattern(def, m_Constant(&constant)))
    return false;
  auto elements = dyn_cast<ElementsAttr>(constant);
  return !elements || elements.isSplat();
}

void GroupKernelBuilder::collectInputs() {
  auto add = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && group.contains(def))
      return;
    if (Value number = getFillValue(def))
      value = number;
    if (!isLocal(value))
      inputs.insert(value);
  };
  for (linalg::GenericOp op : group.ops) {
    for (OpOperand *input : op.getDpsInputOperands())
      add(input->get());
    for (OpOperand &init : op.getDpsInitsMutable())
      if (needsInit(op, init))
        add(init.get());
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op.getRegion(), used);
    for (Value value : used)
      add(value);
  }
}

void GroupKernelBuilder::collectOutputs() {
  for (linalg::GenericOp op : group.ops)
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !group.contains(user); }))
        results.push_back(result);
}

/// The size of a dimension, from what exists before the kernel.
Value GroupKernelBuilder::createExtent(unsigned dim) {
  for (linalg::GenericOp op : group.ops)
    for (auto [loop, other] : llvm::enumerate(group.loopDims.at(op))) {
      if (other != int64_t(dim))
        continue;
      for (OpOperand &operand : op->getOpOperands()) {
        Operation *def = operand.get().getDefiningOp();
        if (def && group.contains(def))
          continue;
        AffineMap map = op.getMatchingIndexingMap(&operand);
        for (auto [position, result] : llvm::enumerate(map.getResults()))
          if (auto expr = dyn_cast<AffineDimExpr>(result);
              expr && expr.getPosition() == loop) {
            Value source = operand.get();
            while (getFillValue(def)) {
              source = cast<linalg::GenericOp>(def).getDpsInits()[0];
              def = source.getDefiningOp();
            }
            return rewriter.createOrFold<tensor::DimOp>(last.getLoc(), source,
                                                        int64_t(position));
          }
      }
    }
  llvm_unreachable("every loop runs over a dimension of an operand");
}

void GroupKernelBuilder::createExtents() {
  for (unsigned dim = 0; dim < group.dims.size(); ++dim)
    extents.push_back(createExtent(dim));
  for (OpResult result : results)
    outputs.push_back(createOutput(result));
}

/// Where a result goes: what was there for it if nobody needs its elements.
Value GroupKernelBuilder::createOutput(OpResult result) {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  OpOperand &init = *op.getTiedOpOperand(result);
  if (init.get().getDefiningOp<tensor::EmptyOp>())
    return init.get();
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes;
  for (auto [position, expr] :
       llvm::enumerate(op.getIndexingMapMatchingResult(result).getResults())) {
    if (!type.isDynamicDim(position))
      continue;
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    sizes.push_back(extents[group.loopDims.at(op)[loop]]);
  }
  return tensor::EmptyOp::create(rewriter, op.getLoc(), type, sizes);
}

void GroupKernelBuilder::createKernel() {
  SmallVector<int64_t> reduced, divisors;
  for (auto [dim, info] : llvm::enumerate(group.dims)) {
    divisors.push_back(info.extent.divisor);
    if (info.isReduced)
      reduced.push_back(dim);
  }
  if (llvm::all_equal(divisors) && (divisors.empty() || divisors[0] == 1))
    divisors.clear();
  kernel = KernelOp::create(
      rewriter, last.getLoc(), TypeRange(ValueRange(outputs)), extents,
      inputs.getArrayRef(), outputs, rewriter.getDenseI64ArrayAttr(reduced),
      rewriter.getDenseI64ArrayAttr(divisors));
  Block *body = new Block;
  kernel.getBody().push_back(body);
  for (Value input : inputs)
    map.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (Value output : outputs)
    body->addArgument(output.getType(), output.getLoc());
}

/// A constant or a fill in the body, made where it is first used.
Value GroupKernelBuilder::cloneLocal(OpBuilder &builder, Value value) {
  if (Value known = map.lookupOrNull(value))
    return known;
  if (!isLocal(value))
    return value;
  Operation *def = value.getDefiningOp();
  Value number = getFillValue(def);
  if (!number)
    return builder.clone(*def, map)->getResult(
        cast<OpResult>(value).getResultNumber());
  cloneLocal(builder, number);
  auto fill = cast<linalg::GenericOp>(def);
  Value init = fill.getDpsInits()[0];
  // The filled tensor may be an input as well, of which only the shape counts.
  Value input = map.lookupOrNull(init);
  map.map(init, ub::PoisonOp::create(builder, fill.getLoc(), init.getType()));
  Operation *clone = builder.clone(*fill, map);
  map.erase(init);
  if (input)
    map.map(init, input);
  return clone->getResult(0);
}

/// The init of a cloned operation.
Value GroupKernelBuilder::createInit(OpBuilder &builder, linalg::GenericOp op,
                                     OpOperand &init) {
  if (needsInit(op, init))
    return cloneLocal(builder, init.get());
  OpResult result = op.getTiedOpResult(&init);
  auto *it = llvm::find(results, result);
  if (it != results.end() &&
      outputs[it - results.begin()].getType() == init.get().getType())
    return kernel.getOutputArguments()[it - results.begin()];
  return ub::PoisonOp::create(builder, op.getLoc(), init.get().getType());
}

void GroupKernelBuilder::fillBody() {
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBody().front());
  for (linalg::GenericOp op : group.ops) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(op.getRegion(), used);
    for (Value value : used)
      cloneLocal(builder, value);
    for (OpOperand *input : op.getDpsInputOperands())
      cloneLocal(builder, input->get());
    SmallVector<Value> inits;
    for (OpOperand &init : op.getDpsInitsMutable())
      inits.push_back(createInit(builder, op, init));
    auto clone = cast<linalg::GenericOp>(builder.clone(*op, map));
    for (auto [operand, init] :
         llvm::zip_equal(clone.getDpsInitsMutable(), inits))
      operand.set(init);
    clone->setAttr(attr_names::kDims,
                   builder.getDenseI64ArrayAttr(group.loopDims.at(op)));
  }
  SmallVector<Value> yielded;
  for (OpResult result : results)
    yielded.push_back(map.lookup(Value(result)));
  YieldOp::create(builder, last.getLoc(), yielded);
}

void GroupKernelBuilder::replaceResults() {
  for (auto [result, made] : llvm::zip_equal(results, kernel.getResults()))
    rewriter.replaceUsesWithIf(result, made, [&](OpOperand &use) {
      return !group.contains(use.getOwner());
    });
  for (linalg::GenericOp op : llvm::reverse(group.ops))
    rewriter.eraseOp(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult tally::formKernels(func::FuncOp function, bool rowsOnly) {
  if (function.isExternal())
    return success();
  hoistSizes(function);
  LoopExtents extents;
  SymbolicShapes shapes(function, SymbolicShapesOptions::bound());
  if (failed(collectExtents(function, extents, shapes, rowsOnly)))
    return failure();
  KernelReport report(function, shapes, /*runtimeSorts=*/rowsOnly);
  auto findObstacle = [&](const KernelGroup &group) {
    return rowsOnly ? findObstacleOfCPU(group) : std::nullopt;
  };
  auto findLasting = [&](const KernelGroup &group) {
    return rowsOnly ? findLastingObstacle(group) : findObstacleOfGPU(group);
  };
  SmallVector<Block *> blocks;
  function.walk([&](Block *block) {
    if (llvm::any_of(*block,
                     [&](Operation &op) { return extents.contains(&op); }))
      blocks.push_back(block);
    else
      report.reportBlock(*block, {}, GroupObstacles(), findObstacle);
  });
  IRRewriter rewriter(function->getContext());
  for (Block *block : blocks) {
    GroupObstacles obstacles;
    std::vector<KernelGroup> groups =
        groupKernels(*block, extents, findLasting, obstacles);
    for (KernelGroup &group : groups)
      if (findObstacle(group))
        fusePoints(group, obstacles, rewriter);
    report.reportBlock(*block, groups, obstacles, findObstacle);
    for (const KernelGroup &group : groups)
      if (!findObstacle(group))
        GroupKernelBuilder(group, rewriter).run();
  }
  // Fills that every kernel has of its own.
  for (Block *block : blocks)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        rewriter.eraseOp(&op);
  return success();
}

namespace {
struct FormKernelsPass : tally::impl::FormKernelsBase<FormKernelsPass> {
  using FormKernelsBase::FormKernelsBase;

  void runOnOperation() override {
    if (failed(tally::formKernels(getOperation(), rowsOnly)))
      signalPassFailure();
  }
};
} // namespace
