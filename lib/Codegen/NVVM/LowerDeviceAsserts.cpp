//===- LowerDeviceAsserts.cpp - Asserts of kernels as an error word -------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Common/AssertTable.h"
#include "Common/Utils.h"
#include "FirstEffects.h"
#include "tally/Codegen/NVVM/Passes.h"
#include "tally/Codegen/NVVM/Transforms.h"
#include "tally/IR/Tally.h"
#include "tally/Runtime/tally_runtime.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_LOWERDEVICEASSERTS
#include "tally/Codegen/NVVM/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-lower-device-asserts"

using namespace mlir;
using namespace tally::codegen;

namespace {

static_assert(offsetof(tally_rt_device_error, state) == 0 &&
              offsetof(tally_rt_device_error, count) == sizeof(int64_t) &&
              offsetof(tally_rt_device_error, values) == 2 * sizeof(int64_t) &&
              sizeof(tally_rt_device_error) ==
                  (2 + TALLY_RT_MAX_DEVICE_VALUES) * sizeof(int64_t));

/// Where a kernel finds errors: words of 8 bytes, as in tally_rt_device_error.
MemRefType getErrorsType(MLIRContext *context) {
  return MemRefType::get({1}, IntegerType::get(context, 64));
}

size_t countValues(tally::AssertOp op) {
  return std::min<size_t>(op.getValues().size(), TALLY_RT_MAX_DEVICE_VALUES);
}

/// Lowers the asserts of one kernel.
class DeviceAssertLowering {
public:
  DeviceAssertLowering(gpu::GPUFuncOp kernel, ArrayRef<tally::AssertOp> asserts,
                       AssertTable &table)
      : kernel(kernel), asserts(asserts), table(table),
        builder(kernel.getContext()), loc(kernel.getLoc()),
        i64(builder.getI64Type()) {}

  void run() {
    unsigned index = kernel.getNumArguments();
    // Any type may be one of a kernel.
    (void)kernel.insertArgument(index, getErrorsType(kernel.getContext()), {},
                                loc);
    FailureOr<SmallVector<Operation *>> effects = findFirstEffects(kernel);
    Value address = createAddress(kernel.getArgument(index));
    Value state = LLVM::LoadOp::create(builder, loc, i64, address);
    if (failed(effects))
      returnIfFailed(builder.getInsertionPoint(), state);
    else
      for (Operation *effect : *effects)
        guard(effect, state);
    if (asserts.empty())
      return;
    size_t maxValues = 0;
    for (tally::AssertOp op : asserts)
      maxValues = std::max(maxValues, countValues(op));
    createCold(address, maxValues);
    // From the back: a block is split at every assert, and what follows moves.
    for (tally::AssertOp op : llvm::reverse(asserts))
      lowerAssert(op, maxValues + 2);
  }

private:
  /// The address of the error, at the start of the kernel.
  Value createAddress(Value errors) {
    builder.setInsertionPointToStart(&kernel.front());
    zero = LLVM::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(0));
    Type pointer = getPointerType(builder.getContext());
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, errors);
    address = arith::IndexCastOp::create(builder, loc, i64, address);
    return LLVM::IntToPtrOp::create(builder, loc, pointer, address);
  }

  Value createIsRight(Value state) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, state,
                                 zero);
  }

  /// Returns where an assert has failed before: what comes next may depend on
  /// what has not been written.
  void returnIfFailed(Block::iterator next, Value state) {
    Block *before = next->getBlock();
    Block *after = before->splitBlock(next);
    builder.setInsertionPointToEnd(before);
    if (!exit) {
      exit = addBlock();
      OpBuilder inside(exit, exit->begin());
      gpu::ReturnOp::create(inside, loc);
    }
    createLikelyBranch(builder, loc, createIsRight(state), after, exit, {});
  }

  /// Has an operation run only if no assert has failed before. Up to there,
  /// reading the state takes no time, as others are read meanwhile. An assert
  /// is a branch as it is; the first error stays.
  void guard(Operation *effect, Value state) {
    auto op = dyn_cast<tally::AssertOp>(effect);
    if (!op)
      return returnIfFailed(effect->getIterator(), state);
    builder.setInsertionPoint(op);
    // LLVM would move what is the same in each iteration out of a loop.
    Value isRight = createIsRight(pin(state));
    op.getConditionMutable().assign(
        arith::AndIOp::create(builder, loc, op.getCondition(), isRight));
  }

  /// A number, or a copy of it that LLVM knows nothing of, and that is where it
  /// is made: it would read what only one branch needs in that branch, and wait
  /// again.
  Value pin(Value value) {
    Type type = value.getType();
    StringRef name = type.isF32()         ? "=f,0"
                     : type.isF64()       ? "=d,0"
                     : type.isInteger(32) ? "=r,0"
                     : type.isInteger(64) ? "=l,0"
                                          : "";
    if (name.empty())
      return value;
    return LLVM::InlineAsmOp::create(
               builder, loc, type, value, /*asm_string=*/"", name,
               /*has_side_effects=*/true, /*is_align_stack=*/false,
               LLVM::tailcallkind::TailCallKind::None,
               /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
        .getResult(0);
  }

  /// Has what a block reads before its first assert, and needs behind it, be
  /// read before it.
  void pinReads(tally::AssertOp op) {
    SmallVector<memref::LoadOp> loads;
    for (Operation &before :
         llvm::make_range(op->getBlock()->begin(), op->getIterator())) {
      if (isa<tally::AssertOp>(before))
        return;
      if (auto load = dyn_cast<memref::LoadOp>(before))
        loads.push_back(load);
    }
    builder.setInsertionPoint(op);
    auto isLater = [&](Operation *user) {
      Operation *inBlock = op->getBlock()->findAncestorOpInBlock(*user);
      return user != op && (!inBlock || op->isBeforeInBlock(inBlock));
    };
    for (memref::LoadOp load : loads)
      if (Value value = load.getResult();
          llvm::all_of(value.getUsers(), isLater))
        if (Value pinned = pin(value); pinned != value)
          value.replaceAllUsesExcept(pinned, pinned.getDefiningOp());
  }

  // ^cold(%number, %count, %values...): the first thread stores them
  void createCold(Value address, size_t maxValues) {
    cold = addBlock();
    auto *store = addBlock();
    auto *end = addBlock();
    SmallVector<Value> words;
    for (size_t i = 0; i < maxValues + 2; ++i)
      words.push_back(cold->addArgument(i64, loc));

    builder.setInsertionPointToEnd(cold);
    Type pointer = getPointerType(builder.getContext());
    auto claim = LLVM::AtomicCmpXchgOp::create(
        builder, loc, address, zero, words.front(),
        LLVM::AtomicOrdering::monotonic, LLVM::AtomicOrdering::monotonic,
        /*syncscope=*/"device");
    Value first = LLVM::ExtractValueOp::create(builder, loc, claim, 1);
    cf::CondBranchOp::create(builder, loc, first, store, end);

    builder.setInsertionPointToEnd(store);
    for (auto [i, word] : llvm::drop_begin(llvm::enumerate(words))) {
      Value slot =
          LLVM::GEPOp::create(builder, loc, pointer, i64, address,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(builder, loc, word, slot);
    }
    cf::BranchOp::create(builder, loc, end);
    builder.setInsertionPointToEnd(end);
    gpu::ReturnOp::create(builder, loc);
  }

  Block *addBlock() {
    kernel.getBody().push_back(new Block);
    return &kernel.getBody().back();
  }

  void lowerAssert(tally::AssertOp op, size_t words) {
    Location at = op.getLoc();
    pinReads(op);
    Block *block = op->getBlock();
    Block *next = block->splitBlock(std::next(Block::iterator(op)));
    builder.setInsertionPointToEnd(block);
    op->replaceAllUsesWith(op.getGuarded());
    size_t count = countValues(op);
    auto constant = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(builder, at,
                                      builder.getI64IntegerAttr(value));
    };
    SmallVector<Value> arguments{constant(1 + table.add(op, count)),
                                 constant(static_cast<int64_t>(count))};
    for (Value value : op.getValues().take_front(count))
      arguments.push_back(createErrorBits(builder, at, value));
    arguments.resize(words, zero);
    createLikelyBranch(builder, at, op.getCondition(), next, cold, arguments);
    op.erase();
  }

  gpu::GPUFuncOp kernel;
  ArrayRef<tally::AssertOp> asserts;
  AssertTable &table;
  OpBuilder builder;
  Location loc;
  Type i64;
  Value zero;
  Block *cold = nullptr;
  /// Where the kernel ends after an error of another one.
  Block *exit = nullptr;
};

/// Lowers the asserts of a module's kernels, and tells their launches.
class ModuleLowering {
public:
  explicit ModuleLowering(ModuleOp module) : module(module) {}

  LogicalResult run() {
    if (failed(collectAsserts()))
      return failure();
    if (asserts.empty())
      return success();
    for (auto &[kernel, found] : asserts)
      canFail.insert(kernel);
    collectLaunched();
    AssertTable table(kDeviceAssertTable);
    for (auto &[kernel, found] : asserts) {
      LDBG() << kernel.getName() << ": "
             << (found.empty() ? "ends at once after an error of another one"
                               : "its asserts report errors");
      DeviceAssertLowering(kernel, found, table).run();
    }
    table.emit(module);
    passErrors();
    checkErrors();
    return success();
  }

private:
  /// Finds the asserts of kernels, which must be in their blocks by now.
  LogicalResult collectAsserts() {
    WalkResult result = module.walk([&](tally::AssertOp op) {
      if (!op->getParentOfType<gpu::GPUModuleOp>())
        return WalkResult::advance();
      Operation *parent = op->getParentOp();
      auto kernel = dyn_cast<gpu::GPUFuncOp>(parent);
      if (kernel && kernel.isKernel()) {
        asserts[kernel].push_back(op);
        return WalkResult::advance();
      }
      InFlightDiagnostic error = op.emitError("is inside of '");
      error << parent->getName() << "'";
      if (isa<FunctionOpInterface>(parent))
        error << " that is no kernel; inline it first";
      else
        error << ", which has not become branches; it cannot be lowered there";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// All kernels of a program in which one has asserts return at once after an
  /// error. Those that only the runtime launches have other parameters.
  void collectLaunched() {
    module.walk([&](gpu::LaunchFuncOp launch) {
      if (auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
              launch, launch.getKernelAttr()))
        asserts[kernel];
    });
  }

  /// Gives launches their last operand; one for the launches of a block.
  void passErrors() {
    DenseMap<Block *, Value> known;
    module.walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      if (!kernel || !asserts.contains(kernel))
        return;
      Value &errors = known[launch->getBlock()];
      if (!errors) {
        OpBuilder builder(launch);
        errors = tally::DeviceErrorsOp::create(
            builder, launch.getLoc(), getErrorsType(module.getContext()));
      }
      launch.getKernelOperandsMutable().append(errors);
      auto function = launch->getParentOfType<func::FuncOp>();
      if (function && canFail.contains(kernel))
        waiting.insert(function);
    });
  }

  /// Public functions from which such a launch is reached wait before they
  /// return.
  void checkErrors() {
    llvm::StringMap<SmallVector<func::FuncOp>> callers;
    module.walk([&](func::CallOp call) {
      if (auto caller = call->getParentOfType<func::FuncOp>())
        callers[call.getCallee()].push_back(caller);
    });
    SmallVector<func::FuncOp> work(waiting.begin(), waiting.end());
    while (!work.empty())
      for (func::FuncOp caller : callers.lookup(work.pop_back_val().getName()))
        if (waiting.insert(caller).second)
          work.push_back(caller);
    module.walk([&](func::ReturnOp op) {
      auto function = cast<func::FuncOp>(op->getParentOp());
      if (!function.isPublic() || !waiting.contains(function))
        return;
      if (hasLooked(op)) {
        LDBG() << function.getName()
               << ": has read errors with a number of the device";
        return;
      }
      LDBG() << function.getName() << ": waits for errors of kernels";
      // What becomes of operations is told by the same name for all passes.
      remark::missed(op.getLoc(), remark::RemarkOpts::name("Wait")
                                      .category("tally-form-kernels")
                                      .function(function.getName()))
          << "the host waits at the end of " << function.getName()
          << ", unless the caller defers it: a check of data may have failed";
      OpBuilder builder(op);
      tally::CheckDeviceOp::create(builder, op.getLoc());
    });
  }

  /// Whether a kernel with asserts may be launched within an operation.
  bool mayFail(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          bool is = false;
          if (auto launch = dyn_cast<gpu::LaunchFuncOp>(inner))
            is = canFail.contains(
                symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
                    launch, launch.getKernelAttr()));
          else if (auto call = dyn_cast<func::CallOp>(inner))
            is = waiting.contains(symbols.lookupNearestSymbolFrom<func::FuncOp>(
                call, call.getCalleeAttr()));
          return is ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Whether the host has read the errors of all kernels with asserts where it
  /// returns: who reads a number back reads the errors as well.
  bool hasLooked(func::ReturnOp op) {
    if (!op->getParentRegion()->hasOneBlock())
      return false;
    for (Operation *before = op->getPrevNode(); before;
         before = before->getPrevNode()) {
      if (isa<tally::ReadBackOp>(before))
        return true;
      if (mayFail(before))
        return false;
    }
    return false;
  }

  ModuleOp module;
  SymbolTableCollection symbols;
  /// The asserts of each kernel that gets the argument; of some there are none.
  llvm::MapVector<gpu::GPUFuncOp, SmallVector<tally::AssertOp>> asserts;
  DenseSet<gpu::GPUFuncOp> canFail;
  /// Functions from which a kernel with asserts is launched.
  DenseSet<func::FuncOp> waiting;
};
} // namespace

LogicalResult tally::lowerDeviceAsserts(ModuleOp module) {
  return ModuleLowering(module).run();
}

namespace {
struct LowerDeviceAssertsPass
    : tally::impl::LowerDeviceAssertsBase<LowerDeviceAssertsPass> {
  void runOnOperation() override {
    if (failed(tally::lowerDeviceAsserts(getOperation())))
      signalPassFailure();
  }
};

} // namespace
