//===- MarkParallelAccesses.cpp - Loops with independent iterations -------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"
#include "tally/IR/Tally.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_MARKPARALLELACCESSES
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-mark-parallel-accesses"

using namespace mlir;

/// Takes the marks off the branches of a function and returns those branches
/// and their marks.
static SmallVector<std::pair<Operation *, LLVM::LoopAnnotationAttr>>
takeMarks(LLVM::LLVMFuncOp function) {
  SmallVector<std::pair<Operation *, LLVM::LoopAnnotationAttr>> branches;
  function.walk([&](Operation *op) {
    // The verifier knows that it is one.
    if (Attribute mark =
            op->removeDiscardableAttr(tally::attr_names::kIndependent))
      branches.push_back({op, cast<LLVM::LoopAnnotationAttr>(mark)});
  });
  return branches;
}

/// Finds the loads and stores of memory on the stack; fails where something
/// else may access it.
static LogicalResult
collectStackAccesses(LLVM::LLVMFuncOp function,
                     llvm::SmallPtrSetImpl<Operation *> &accesses) {
  SmallVector<Value> addresses;
  llvm::SmallPtrSet<Operation *, 16> visited;
  function.walk(
      [&](LLVM::AllocaOp slot) { addresses.push_back(slot.getResult()); });
  while (!addresses.empty()) {
    Value address = addresses.pop_back_val();
    for (Operation *user : address.getUsers()) {
      auto store = dyn_cast<LLVM::StoreOp>(user);
      if (isa<LLVM::LoadOp>(user) || (store && store.getValue() != address))
        accesses.insert(user);
      else if (!isa<LLVM::GEPOp, LLVM::InsertValueOp, LLVM::ExtractValueOp,
                    UnrealizedConversionCastOp>(user))
        return failure();
      else if (visited.insert(user).second)
        llvm::append_range(addresses, user->getResults());
    }
  }
  return success();
}

/// What the address of an access is relative to: a value, or a field of one.
using Base = std::pair<Value, Attribute>;

static Base findBase(Value address) {
  while (auto element = address.getDefiningOp<LLVM::GEPOp>())
    address = element.getBase();
  if (auto field = address.getDefiningOp<LLVM::ExtractValueOp>())
    return {field.getContainer(), field.getPositionAttr()};
  return {address, nullptr};
}

/// Whether an iteration may load what it has stored. LLVM, to which no two
/// accesses of a loop with independent iterations depend on each other, not
/// those of one iteration either, may then load first: it makes one access to
/// consecutive elements of accesses to each.
static bool loadsWhatItStores(const CFGLoop &loop) {
  llvm::SmallDenseSet<Base> stored;
  // Blocks stand in the order in which they run.
  for (Block &block : *loop.getHeader()->getParent()) {
    if (!loop.contains(&block))
      continue;
    for (Operation &op : block) {
      if (auto store = dyn_cast<LLVM::StoreOp>(op))
        stored.insert(findBase(store.getAddr()));
      auto load = dyn_cast<LLVM::LoadOp>(op);
      if (load && stored.contains(findBase(load.getAddr())))
        return true;
    }
  }
  return false;
}

void tally::markParallelAccesses(LLVM::LLVMFuncOp function,
                                 LLVM::AccessGroupAttr group) {
  auto branches = takeMarks(function);
  if (branches.empty())
    return;
  // Iterations share what is on the stack. A loop is one with independent
  // iterations for LLVM if all of its accesses are in the group.
  llvm::SmallPtrSet<Operation *, 16> ofStack;
  if (failed(collectStackAccesses(function, ofStack))) {
    LDBG() << function.getName() << ": iterations share memory on its stack";
    return;
  }
  LDBG() << function.getName() << ": " << branches.size()
         << " loops have independent iterations";
  MLIRContext *context = function.getContext();
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&function.getBody()));
  for (auto [op, mark] : branches) {
    const CFGLoop *blocks = loops.getLoopFor(op->getBlock());
    bool isOrdered = blocks && loadsWhatItStores(*blocks);
    ArrayRef<LLVM::AccessGroupAttr> groups = group;
    auto loop = LLVM::LoopAnnotationAttr::get(
        context, nullptr, mark.getVectorize(), nullptr, mark.getUnroll(),
        nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
        nullptr, nullptr, isOrdered ? groups.drop_front() : groups);
    if (auto branch = dyn_cast<LLVM::BrOp>(op))
      branch.setLoopAnnotationAttr(loop);
    else if (auto conditional = dyn_cast<LLVM::CondBrOp>(op))
      conditional.setLoopAnnotationAttr(loop);
  }
  auto groups = ArrayAttr::get(context, {group});
  function.walk([&](LLVM::AccessGroupOpInterface access) {
    if (!ofStack.contains(access))
      access.setAccessGroups(groups);
  });
}

namespace {
struct MarkParallelAccessesPass
    : tally::impl::MarkParallelAccessesBase<MarkParallelAccessesPass> {
  LogicalResult initialize(MLIRContext *context) override {
    group = LLVM::AccessGroupAttr::get(context);
    return success();
  }

  void runOnOperation() override {
    tally::markParallelAccesses(getOperation(), group);
  }

  /// The copies of the pass that run in parallel share it.
  LLVM::AccessGroupAttr group;
};

} // namespace
