//===- LowerAsserts.cpp - Asserts as branches to cold blocks --------------===//
//
// See the description of the pass in Passes.td. Blocks are split from the back
// of a function to its front: the other way round would move the rest of a
// block at every split, which is quadratic.
//
//===----------------------------------------------------------------------===//

#include "AssertTable.h"
#include "RuntimeABI.h"
#include "Utils.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace tally {
#define GEN_PASS_DEF_LOWERASSERTS
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

namespace {

/// Lowers the asserts, allocations and calls of one function.
class FunctionLowering {
public:
  FunctionLowering(func::FuncOp function, const llvm::StringSet<> &compiled,
                   func::FuncOp fail, AssertTable &table)
      : function(function), compiled(compiled), fail(fail), table(table),
        builder(function.getContext()), loc(function.getLoc()),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  void run() {
    if (!function->hasAttr(tally::attr_names::kStatus))
      addStatusResult();
    collectSites();
    if (sites.empty())
      return;
    createExit();
    if (maxValues >= 0) {
      createCold();
      findReported();
    }
    for (Operation *site : llvm::reverse(sites))
      lowerSite(site);
    // Users were found before what they use.
    for (Operation *op : reported)
      op->erase();
  }

private:
  /// Makes the status the first result, and every return one of success.
  void addStatusResult() {
    SmallVector<Type> results{i32};
    llvm::append_range(results, function.getResultTypes());
    function.removeResAttrsAttr();
    function.setFunctionType(
        builder.getFunctionType(function.getArgumentTypes(), results));
    function.walk([&](func::ReturnOp op) {
      builder.setInsertionPoint(op);
      Value ok = arith::ConstantIntOp::create(builder, op.getLoc(), 0, 32);
      op->insertOperands(0, ok);
    });
  }

  bool returnsStatus(func::CallOp call) const {
    return call->hasAttr(tally::attr_names::kStatus) ||
           compiled.contains(call.getCallee());
  }

  void collectSites() {
    for (Block &block : function.getBody()) {
      for (Operation &op : block) {
        auto call = dyn_cast<func::CallOp>(op);
        if (auto assertOp = dyn_cast<tally::AssertOp>(op))
          maxValues = std::max<int64_t>(maxValues, assertOp.getValues().size());
        else if (!isa<memref::AllocOp>(op) && !(call && returnsStatus(call)))
          continue;
        sites.push_back(&op);
      }
    }
  }

  // ^exit(%status): return %status, poison...
  void createExit() {
    exit = new Block;
    function.getBody().push_back(exit);
    builder.setInsertionPointToEnd(exit);
    SmallVector<Value> results{exit->addArgument(i32, loc)};
    for (Type type : function.getResultTypes().drop_front())
      results.push_back(ub::PoisonOp::create(builder, loc, type));
    func::ReturnOp::create(builder, loc, results);
  }

  // ^cold(%index, %count): call @tally_rt_fail
  void createCold() {
    Type pointer = getPointerType(builder.getContext());
    values = createStackSlot(
        function,
        LLVM::LLVMArrayType::get(i64, std::max<int64_t>(maxValues, 1)));
    cold = new Block;
    function.getBody().push_back(cold);
    builder.setInsertionPointToEnd(cold);
    Value index = cold->addArgument(i32, loc);
    Value count = cold->addArgument(i32, loc);
    Value records =
        LLVM::AddressOfOp::create(builder, loc, pointer, kAssertTable);
    auto call = func::CallOp::create(
        builder, loc, fail,
        ValueRange{function.getArgument(0), records, index, count, values});
    cf::BranchOp::create(builder, loc, exit, call.getResults());
  }

  /// Finds the operations that compute nothing but what asserts report.
  void findReported() {
    // Uses that are not known to be for reports only.
    llvm::DenseMap<Operation *, size_t> otherUses;
    SmallVector<Operation *> worklist;
    auto visit = [&](ValueRange values) {
      for (Value value : values) {
        Operation *op = value.getDefiningOp();
        if (!op)
          continue;
        auto [it, isNew] = otherUses.try_emplace(op);
        if (isNew)
          it->second = llvm::range_size(op->getUses());
        if (--it->second == 0)
          worklist.push_back(op);
      }
    };
    for (Operation *site : sites)
      if (auto assertOp = dyn_cast<tally::AssertOp>(site))
        visit(assertOp.getValues());
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (op->hasTrait<OpTrait::ConstantLike>() || op->getNumRegions() != 0 ||
          !isMemoryEffectFree(op))
        continue;
      reported.insert(op);
      visit(op->getOperands());
    }
  }

  /// The value as it is where an assert has failed: what nobody else needs is
  /// computed there.
  Value createReported(Value value, IRMapping &made) {
    Operation *op = value.getDefiningOp();
    if (!op || !reported.contains(op))
      return value;
    if (Value known = made.lookupOrNull(value))
      return known;
    for (Value operand : op->getOperands())
      made.map(operand, createReported(operand, made));
    builder.clone(*op, made);
    return made.lookup(value);
  }

  // ^report: store the values, br ^cold
  Block *createReport(tally::AssertOp op) {
    OpBuilder::InsertionGuard guard(builder);
    Location at = op.getLoc();
    auto *report = new Block;
    function.getBody().push_back(report);
    builder.setInsertionPointToEnd(report);
    IRMapping made;
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      Value slot =
          LLVM::GEPOp::create(builder, at, values.getType(), i64, values,
                              ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      LLVM::StoreOp::create(
          builder, at,
          createErrorBits(builder, at, createReported(value, made)), slot);
    }
    auto count = static_cast<int64_t>(op.getValues().size());
    cf::BranchOp::create(
        builder, at, cold,
        ValueRange{
            arith::ConstantIntOp::create(builder, at, table.add(op, count), 32),
            arith::ConstantIntOp::create(builder, at, count, 32)});
    return report;
  }

  void lowerSite(Operation *site) {
    Block *block = site->getBlock();
    Block *next = block->splitBlock(std::next(Block::iterator(site)));
    builder.setInsertionPointToEnd(block);
    if (auto assertOp = dyn_cast<tally::AssertOp>(site))
      lowerAssert(assertOp, next);
    else if (auto alloc = dyn_cast<memref::AllocOp>(site))
      lowerAlloc(alloc, next);
    else
      lowerCall(cast<func::CallOp>(site), next);
  }

  void lowerAssert(tally::AssertOp op, Block *next) {
    Location at = op.getLoc();
    op->replaceAllUsesWith(op.getGuarded());
    createLikelyBranch(builder, at, op.getCondition(), next, createReport(op),
                       {});
    op.erase();
  }

  /// A null pointer: the runtime has recorded the error.
  void lowerAlloc(memref::AllocOp op, Block *next) {
    Location at = op.getLoc();
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        builder, at, op.getResult());
    Value null = arith::ConstantIndexOp::create(builder, at, 0);
    Value status =
        arith::ConstantIntOp::create(builder, at, TALLY_RT_OUT_OF_MEMORY, 32);
    Value ok = arith::CmpIOp::create(builder, at, arith::CmpIPredicate::ne,
                                     address, null);
    createLikelyBranch(builder, at, ok, next, exit, status);
  }

  void lowerCall(func::CallOp call, Block *next) {
    Location at = call.getLoc();
    if (!call->hasAttr(tally::attr_names::kStatus)) {
      // The callee has gained a first result.
      builder.setInsertionPoint(call);
      SmallVector<Type> results{i32};
      llvm::append_range(results, call.getResultTypes());
      auto other = func::CallOp::create(builder, at, call.getCallee(), results,
                                        call.getOperands());
      call.replaceAllUsesWith(other.getResults().drop_front());
      call.erase();
      call = other;
      builder.setInsertionPointToEnd(call->getBlock());
    }
    Value status = call.getResult(0);
    if (isa<LLVM::LLVMPointerType>(status.getType()))
      return lowerPointer(at, status, next);
    Value zero = arith::ConstantIntOp::create(builder, at, 0, 32);
    Value ok = arith::CmpIOp::create(builder, at, arith::CmpIPredicate::eq,
                                     status, zero);
    createLikelyBranch(builder, at, ok, next, exit, status);
  }

  /// A null pointer, as of an allocation; the status of the call is what the
  /// runtime has recorded, so that any status that is not success will do.
  void lowerPointer(Location at, Value pointer, Block *next) {
    Value null = LLVM::ZeroOp::create(builder, at, pointer.getType());
    Value status =
        arith::ConstantIntOp::create(builder, at, TALLY_RT_OUT_OF_MEMORY, 32);
    Value ok = LLVM::ICmpOp::create(builder, at, LLVM::ICmpPredicate::ne,
                                    pointer, null);
    createLikelyBranch(builder, at, ok, next, exit, status);
  }

  func::FuncOp function;
  const llvm::StringSet<> &compiled;
  func::FuncOp fail;
  AssertTable &table;
  OpBuilder builder;
  Location loc;
  Type i32;
  Type i64;
  SmallVector<Operation *> sites;
  /// The most values an assert reports; -1 where there is no assert.
  int64_t maxValues = -1;
  /// The operations that only reports of failures need, users first.
  llvm::SetVector<Operation *> reported;
  /// Where the values of a failed assert are stored.
  Value values;
  Block *exit = nullptr;
  Block *cold = nullptr;
};
} // namespace

/// Every assert must be in a block of a function with a context by now.
static LogicalResult checkStructure(ModuleOp module) {
  WalkResult result = module.walk([](tally::AssertOp op) {
    if (!isa<func::FuncOp>(op->getParentOp())) {
      op.emitError("is inside of '")
          << op->getParentOp()->getName()
          << "', which has not become branches; it cannot be lowered there";
      return WalkResult::interrupt();
    }
    return WalkResult(requireCallContext(op));
  });
  return failure(result.wasInterrupted());
}

LogicalResult tally::lowerAsserts(ModuleOp module) {
  if (failed(checkStructure(module)))
    return failure();
  llvm::StringSet<> compiled;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        !function->hasAttr(tally::attr_names::kStatus))
      compiled.insert(function.getName());
  func::FuncOp fail = declareRuntimeFunction(module, runtime_functions::kFail,
                                             /*cold=*/true);
  AssertTable table(kAssertTable);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      FunctionLowering(function, compiled, fail, table).run();
  table.emit(module);
  return success();
}

namespace {
struct LowerAssertsPass : tally::impl::LowerAssertsBase<LowerAssertsPass> {
  void runOnOperation() override {
    if (failed(tally::lowerAsserts(getOperation())))
      signalPassFailure();
  }
};

} // namespace
