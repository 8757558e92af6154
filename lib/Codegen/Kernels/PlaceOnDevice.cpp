//===- PlaceOnDevice.cpp - Host code that touches no device memory --------===//
//
// See the description of the pass in Passes.td. What is structured becomes a
// `tally.kernel` for the scheduler; what is left of loops over elements is
// right in one thread, whatever it does.
//
//===----------------------------------------------------------------------===//

#include "Common/Fusion.h"
#include "Common/MatrixBatch.h"
#include "Decisions.h"
#include "Kernels.h"
#include "tally/Codegen/Kernels/Passes.h"
#include "tally/Codegen/Kernels/Transforms.h"
#include "tally/IR/Tally.h"
#include "tally/IR/TallyFFTOps.h"
#include "tally/Interfaces/PlacementOpInterface.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_PLACEONDEVICE
#include "tally/Codegen/Kernels/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-place-on-device"

using namespace mlir;
using namespace tally::codegen;

//===----------------------------------------------------------------------===//
// Structured operations
//===----------------------------------------------------------------------===//

/// The type of an operand in the body of a kernel.
static Type getTypeInside(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return RankedTensorType::get(memref.getShape(), memref.getElementType());
  return type;
}

static bool isConstant(Value value) {
  return value.getDefiningOp() && matchPattern(value, m_Constant());
}

namespace {

/// Makes a `tally.kernel` of one operation on memrefs.
class SingleOpKernel {
public:
  SingleOpKernel(OpBuilder &builder, linalg::GenericOp op)
      : builder(builder), op(op), loc(op.getLoc()) {}

  LogicalResult run() {
    getUsedValuesDefinedAbove(op->getRegions(), captures);
    if (failed(check()))
      return failure();
    SmallVector<Value> extents = createExtents();
    collectInputs();
    auto kernel = tally::KernelOp::create(builder, loc, TypeRange{}, extents,
                                          inputs.getArrayRef(), op.getOutputs(),
                                          getReduced());
    Block &body = kernel.getBody().emplaceBlock();
    for (ValueRange operands :
         {ValueRange(kernel.getInputs()), ValueRange(kernel.getOutputs())})
      for (Type type : operands.getTypes())
        body.addArgument(getTypeInside(type), loc);
    fillBody(kernel, body);
    op.erase();
    return success();
  }

private:
  LogicalResult check() {
    for (Value value : captures) {
      if (!isa<BaseMemRefType>(value.getType()))
        continue;
      for (Operation *user : value.getUsers())
        if (op->isProperAncestor(user) &&
            !isa<memref::LoadOp, memref::DimOp>(user))
          return user->emitOpError("uses memory inside of a structured "
                                   "operation, which becomes a kernel");
    }
    for (Value operand : op->getOperands())
      if (isa<TensorType, UnrankedMemRefType>(operand.getType()))
        return op.emitOpError("has an operand of type ")
               << operand.getType()
               << " that cannot be passed to a kernel; bufferize it first";
    return success();
  }

  /// The size of each loop, which is that of some dimension of an operand.
  SmallVector<Value> createExtents() {
    SmallVector<Value> extents(op.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (loop && !extents[loop.getPosition()])
          extents[loop.getPosition()] =
              builder.createOrFold<memref::DimOp>(loc, operand.get(), dim);
      }
    }
    return extents;
  }

  SmallVector<int64_t> getReduced() {
    SmallVector<unsigned> dims;
    op.getReductionDims(dims);
    return SmallVector<int64_t>(dims.begin(), dims.end());
  }

  /// An output that is read is an input as well.
  void collectInputs() {
    inputs.insert(op.getInputs().begin(), op.getInputs().end());
    for (OpOperand &output : op.getOutputsMutable())
      if (op.payloadUsesValueFromOperand(&output))
        inputs.insert(output.get());
    for (Value value : captures)
      if (!isConstant(value))
        inputs.insert(value);
  }

  void fillBody(tally::KernelOp kernel, Block &body) {
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    IRMapping map;
    for (Value value : captures)
      if (isConstant(value))
        inner.clone(*value.getDefiningOp(), map);
    for (auto [input, argument] :
         llvm::zip_equal(inputs, kernel.getInputArguments()))
      map.map(input, argument);
    SmallVector<Value> operands;
    for (Value value : op.getInputs())
      operands.push_back(map.lookup(value));
    SmallVector<Type> types;
    for (auto [output, argument] :
         llvm::zip_equal(op.getOutputsMutable(), kernel.getOutputArguments())) {
      operands.push_back(op.payloadUsesValueFromOperand(&output)
                             ? map.lookup(output.get())
                             : argument);
      types.push_back(argument.getType());
    }
    Operation *inside = clone(inner, op, types, operands);
    inside->setAttr(tally::attr_names::kDims,
                    inner.getDenseI64ArrayAttr(llvm::to_vector(
                        llvm::seq<int64_t>(0, op.getNumLoops()))));
    replaceCaptures(inside, map);
    tally::YieldOp::create(inner, loc, inside->getResults());
  }

  /// Loads become reads of elements of the argument.
  void replaceCaptures(Operation *inside, const IRMapping &map) {
    inside->walk([&](Operation *user) {
      OpBuilder inner(user);
      if (auto load = dyn_cast<memref::LoadOp>(user)) {
        Value element = tensor::ExtractOp::create(inner, load.getLoc(),
                                                  map.lookup(load.getMemRef()),
                                                  load.getIndices());
        load.replaceAllUsesWith(element);
        load.erase();
      } else if (auto dim = dyn_cast<memref::DimOp>(user)) {
        Value size = tensor::DimOp::create(
            inner, dim.getLoc(), map.lookup(dim.getSource()), dim.getIndex());
        dim.replaceAllUsesWith(size);
        dim.erase();
      }
    });
    for (Value value : captures)
      replaceAllUsesInRegionWith(value, map.lookup(value),
                                 inside->getRegion(0));
  }

  OpBuilder &builder;
  linalg::GenericOp op;
  Location loc;
  llvm::SetVector<Value> captures;
  llvm::SetVector<Value> inputs;
};

} // namespace

// memref.copy %a, %b -> a generic that copies
static FailureOr<linalg::GenericOp> createCopy(OpBuilder &builder,
                                               memref::CopyOp op) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  if (!type || !isa<MemRefType>(op.getTarget().getType()))
    return op.emitOpError("has operands without a rank, which cannot be passed "
                          "to a kernel");
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, op.getLoc(), op.getSource(), op.getTarget(),
      ArrayRef<AffineMap>{map, map}, iterators,
      [](OpBuilder &inner, Location loc, ValueRange elements) {
        linalg::YieldOp::create(inner, loc, elements.front());
      });
  op.erase();
  return generic;
}

/// Returns whether the runtime can copy all bytes at once.
static bool isPlain(memref::CopyOp op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    return memref && memref.getLayout().isIdentity();
  });
}

/// Returns whether memory of the device decides if an operation runs. Kernels
/// can read that, the runtime cannot.
static bool isInBranchOfDevice(Operation *op) {
  for (auto branch = op->getParentOfType<scf::IfOp>(); branch;
       branch = branch->getParentOfType<scf::IfOp>())
    if (branch.getCondition().getDefiningOp<memref::LoadOp>())
      return true;
  return false;
}

/// Makes kernels of the structured operations that are left, and of copies with
/// gaps or in branches that the device decides.
static LogicalResult formRemainingKernels(func::FuncOp function) {
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tally::KernelOp>(op))
      return WalkResult::skip();
    auto copy = dyn_cast<memref::CopyOp>(op);
    if (isa<linalg::LinalgOp>(op) ||
        (copy && (!isPlain(copy) || isInBranchOfDevice(copy))))
      ops.push_back(op);
    return WalkResult::advance();
  });
  for (Operation *op : ops) {
    LDBG() << describeLastPart(op) << ": becomes a kernel of its own";
    IRRewriter rewriter(op);
    FailureOr<linalg::GenericOp> generic;
    if (auto copy = dyn_cast<memref::CopyOp>(op))
      generic = createCopy(rewriter, copy);
    else if (auto already = dyn_cast<linalg::GenericOp>(op))
      generic = already;
    else
      generic = linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
    if (failed(generic))
      return failure();
    rewriter.setInsertionPoint(*generic);
    if (failed(SingleOpKernel(rewriter, *generic).run()))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Calls of libraries
//===----------------------------------------------------------------------===//

/// A buffer without gaps for what `buffer` holds.
static Value createCompact(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(builder.createOrFold<memref::DimOp>(loc, buffer, dim));
  return memref::AllocOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes);
}

/// Copies operands that no library takes as they lie in memory.
static void makeCompact(Operation *op) {
  if (!isa<tally::MatmulOp, tally::ContractOp, tally::FFTOp>(op))
    return;
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto isTaken = isa<tally::MatmulOp>(op) ? isMatrixBatch : isWithoutGaps;
  for (OpOperand &operand : op->getOpOperands()) {
    Value buffer = operand.get();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || isTaken(type))
      continue;
    builder.setInsertionPoint(op);
    Value compact = createCompact(builder, loc, buffer);
    if (cast<DestinationStyleOpInterface>(op).isDpsInit(&operand)) {
      builder.setInsertionPointAfter(op);
      memref::CopyOp::create(builder, loc, compact, buffer);
    } else {
      memref::CopyOp::create(builder, loc, buffer, compact);
      builder.setInsertionPointAfter(op);
    }
    memref::DeallocOp::create(builder, loc, compact);
    operand.set(compact);
  }
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// What the host needs a value for, as the end of a sentence; empty where only
/// other values are computed.
static StringRef findNeed(Operation *user) {
  if (isa<memref::AllocOp>(user))
    return "a buffer is as large as it says";
  if (isa<scf::WhileOp, scf::ConditionOp, scf::ForOp>(user))
    return "it decides how often a loop goes round";
  if (isa<scf::IfOp, scf::IndexSwitchOp>(user))
    return "it decides which branch is taken";
  if (isa<func::ReturnOp>(user))
    return "the caller gets it on the host";
  if (isa<func::CallOp>(user))
    return "a function is called with it";
  if (isa<tally::AssertOp>(user))
    return "an assert of the host depends on it";
  return user->getNumResults() == 0 ? "it decides what kernels compute" : "";
}

/// Why the host waits for a value.
static StringRef findReason(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  StringRef last = "the host computes with it";
  for (unsigned i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      StringRef need = findNeed(user);
      if (need.empty())
        values.insert(user->result_begin(), user->result_end());
      else if (!isa<tally::AssertOp>(user))
        return need;
      else
        last = need;
    }
  return last;
}

/// Tells that the host waits for the result of an operation. Of what decides
/// branches alone, tally-predicate-launches tells it.
static void reportWait(Operation *op, Value result) {
  if (decidesBranchesAlone(result))
    return;
  auto function = op->getParentOfType<func::FuncOp>();
  remark::missed(getLastPartLoc(op), remark::RemarkOpts::name("Wait")
                                         .category("tally-form-kernels")
                                         .function(function.getName()))
      << "the host waits for " << describeLastPart(op) << ": "
      << findReason(result);
}

//===----------------------------------------------------------------------===//
// Code for one thread
//===----------------------------------------------------------------------===//

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

/// Returns whether `op` becomes a kernel of one thread, with what is in its
/// regions. A load of its own is a read-back.
static bool isPlaceable(Operation *op) {
  if (isa<memref::LoadOp>(op) || !llvm::all_of(op->getResultTypes(), isScalar))
    return false;
  bool touchesMemory = false;
  WalkResult result = op->walk([&](Operation *inner) {
    touchesMemory |= tally::accessesMemRef(inner);
    return tally::runsInThread(inner) ? WalkResult::advance()
                                      : WalkResult::interrupt();
  });
  return touchesMemory && !result.wasInterrupted();
}

/// Returns whether `op` writes memory and is placed with others that do.
static bool isStore(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() == 0 &&
         isPlaceable(op);
}

/// Why the iterations of a loop are not divided among threads; empty where
/// there is no loop.
static StringRef findObstacle(Operation *op) {
  StringRef obstacle;
  op->walk<WalkOrder::PreOrder>([&](LoopLikeOpInterface loop) {
    obstacle = "its iterations may read or write what others write";
    if (isa<scf::WhileOp>(loop))
      obstacle = "how often it goes round depends on what it computes";
    else if (!loop.getInits().empty())
      obstacle = "it carries a value from element to element";
    bool isOfWhole = loop->getNumResults() == 0 && isa<scf::ForOp>(loop);
    return isOfWhole ? WalkResult::advance() : WalkResult::interrupt();
  });
  return obstacle;
}

namespace {

/// Places what one thread runs, in one function.
class ThreadPlacing {
public:
  explicit ThreadPlacing(func::FuncOp function)
      : function(function), name((function.getName() + "_thread").str()) {
    placeRegion(function.getBody());
  }

private:
  void placeRegion(Region &region) {
    for (Block &block : region)
      placeBlock(block);
  }

  /// Stores that follow each other share a kernel.
  void placeBlock(Block &block) {
    SmallVector<Operation *> stores;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isStore(&op)) {
        stores.push_back(&op);
        continue;
      }
      if (op.getNumRegions() == 0 && isMemoryEffectFree(&op))
        continue;
      flush(stores);
      if (isPlaceable(&op))
        place(&op, {&op});
      else if (!isa<tally::KernelOp>(op))
        for (Region &region : op.getRegions())
          placeRegion(region);
    }
    flush(stores);
  }

  void flush(SmallVectorImpl<Operation *> &stores) {
    if (!stores.empty())
      place(stores.back(), stores);
    stores.clear();
  }

  /// Makes a kernel of `ops` and launches it at `at`.
  void place(Operation *at, ArrayRef<Operation *> ops) {
    LDBG() << describeLastPart(at) << ": " << ops.size()
           << " operations run on the device, in one thread";
    report(at);
    OpBuilder host(at);
    Location loc = at->getLoc();
    llvm::SetVector<Value> captures;
    SmallVector<std::pair<Value, Value>> results;
    for (Operation *op : ops) {
      // Constants of the library belong to host code.
      op->walk([&](memref::GetGlobalOp global) { global->moveBefore(at); });
      captures.insert(op->operand_begin(), op->operand_end());
      getUsedValuesDefinedAbove(op->getRegions(), captures);
      for (Value result : op->getResults()) {
        if (result.use_empty())
          continue;
        Value slot = memref::AllocOp::create(
            host, loc, MemRefType::get({1}, result.getType()));
        reportWait(op, result);
        results.push_back({result, slot});
        captures.insert(slot);
      }
    }
    Kernel kernel = createKernel(host, loc, name, captures.getArrayRef());
    fill(kernel, ops, results);
    Value one = arith::ConstantIndexOp::create(host, loc, 1);
    launchKernel(host, loc, kernel, one, one);
    Value zero = arith::ConstantIndexOp::create(host, loc, 0);
    for (auto [result, slot] : results) {
      result.replaceAllUsesWith(
          tally::ReadBackOp::create(host, loc, result.getType(), slot, zero));
      memref::DeallocOp::create(host, loc, slot);
    }
    for (Operation *op : ops)
      op->erase();
  }

  /// Tells what runs on one thread and why, once for an operator.
  void report(Operation *op) {
    StringRef obstacle = findObstacle(op);
    if (obstacle.empty())
      return;
    std::string text = describeLastPart(op) +
                       " runs on one thread of the GPU: " + obstacle.str();
    if (!told.insert(text).second)
      return;
    // What becomes of operations is told by the same name for all passes.
    remark::missed(getLastPartLoc(op), remark::RemarkOpts::name("OneThread")
                                           .category("tally-form-kernels")
                                           .function(function.getName()))
        << text;
  }

  /// Clones `ops` into the kernel, which stores their results.
  void fill(Kernel &kernel, ArrayRef<Operation *> ops,
            ArrayRef<std::pair<Value, Value>> results) {
    OpBuilder inner = kernel.getBodyBuilder();
    for (Operation *op : ops)
      inner.clone(*op, kernel.map);
    if (results.empty())
      return;
    Location loc = kernel.function.getLoc();
    Value zero = arith::ConstantIndexOp::create(inner, loc, 0);
    for (auto [result, slot] : results)
      memref::StoreOp::create(inner, loc, kernel.map.lookup(result),
                              kernel.map.lookup(slot), zero);
  }

  func::FuncOp function;
  std::string name;
  llvm::StringSet<> told;
};

} // namespace

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void readBackLoads(func::FuncOp function) {
  function.walk([](memref::LoadOp load) {
    LDBG() << describeLastPart(load)
           << ": the host waits for an element of the device";
    reportWait(load, load.getResult());
    OpBuilder builder(load);
    auto element =
        tally::ReadBackOp::create(builder, load.getLoc(), load.getType(),
                                  load.getMemRef(), load.getIndices());
    load.replaceAllUsesWith(element.getResult());
    load.erase();
  });
}

/// Reports what could not be placed.
static LogicalResult checkHost(func::FuncOp function) {
  WalkResult result =
      function.walk<WalkOrder::PreOrder>([](Operation *op) -> WalkResult {
        if (!tally::runsOnHost(op)) {
          op->emitOpError("uses memory of the device on the host; write it "
                          "with structured operations or with loops over "
                          "elements, which become kernels");
          return WalkResult::interrupt();
        }
        return isa<tally::KernelOp>(op) ? WalkResult::skip()
                                        : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

LogicalResult tally::placeOnDevice(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    function.walk(makeCompact);
    if (failed(formRemainingKernels(function)))
      return failure();
    ThreadPlacing{function};
    readBackLoads(function);
    if (failed(checkHost(function)))
      return failure();
  }
  return success();
}

namespace {
struct PlaceOnDevicePass : tally::impl::PlaceOnDeviceBase<PlaceOnDevicePass> {
  void runOnOperation() override {
    if (failed(tally::placeOnDevice(getOperation())))
      signalPassFailure();
  }
};

} // namespace
