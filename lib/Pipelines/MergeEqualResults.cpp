//===- MergeEqualResults.cpp - Results that are one tensor ----------------===//

#include "tally/Analysis/RegionFlow.h"
#include "tally/Pipelines/Passes.h"
#include "tally/Pipelines/Transforms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_MERGEEQUALRESULTS
#include "tally/Pipelines/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-merge-equal-results"

using namespace mlir;

/// The operation that returns from a function of one block, or null.
static Operation *getReturn(func::FuncOp function) {
  return function.getBody().hasOneBlock()
             ? function.getBody().front().getTerminator()
             : nullptr;
}

static Value skipCasts(Value value) {
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource();
  return value;
}

/// The tensors that a value may be, through casts, branches and loops.
static void collectSources(Value value, llvm::SmallPtrSetImpl<Value> &sources) {
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Value next = skipCasts(worklist.pop_back_val());
    if (!sources.insert(next).second)
      continue;
    Operation *op = next.getDefiningOp();
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      worklist.push_back(select.getTrueValue());
      worklist.push_back(select.getFalseValue());
      continue;
    }
    if (!op)
      op = next.getParentBlock()->getParentOp();
    if (!isa<FunctionOpInterface>(op))
      llvm::append_range(worklist, tally::getPredecessorValues(op, next));
  }
}

/// Returns a copy of what is one of the other results where the program takes
/// some branch: a caller that writes to the one would write to the other.
static void separateResults(func::FuncOp function) {
  Operation *exit = function.isExternal() ? nullptr : getReturn(function);
  if (!exit)
    return;
  SmallPtrSet<Value, 8> before;
  SmallPtrSet<Value, 8> merged;
  OpBuilder builder(exit);
  for (OpOperand &operand : exit->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        merged.contains(skipCasts(operand.get())))
      continue;
    SmallPtrSet<Value, 8> sources;
    collectSources(operand.get(), sources);
    bool isOwn = llvm::none_of(
        sources, [&](Value source) { return before.contains(source); });
    LDBG() << function.getName() << ": result " << operand.getOperandNumber()
           << (isOwn ? " is a tensor of its own"
                     : " may be another result: returned as a copy");
    if (isOwn)
      merged.insert(skipCasts(operand.get()));
    else
      operand.set(bufferization::AllocTensorOp::create(
          builder, exit->getLoc(),
          cast<RankedTensorType>(operand.get().getType()), ValueRange(),
          operand.get()));
    before.insert(sources.begin(), sources.end());
  }
}

static void mergeResults(func::CallOp call, SymbolTableCollection &symbols) {
  auto callee =
      dyn_cast_or_null<func::FuncOp>(call.resolveCallableInTable(&symbols));
  Operation *exit =
      callee && !callee.isExternal() ? getReturn(callee) : nullptr;
  if (!exit)
    return;
  OpBuilder builder(call->getContext());
  builder.setInsertionPointAfter(call);
  DenseMap<Value, Value> first;
  for (auto [returned, result] :
       llvm::zip_equal(exit->getOperands(), call.getResults())) {
    auto [it, isNew] = first.try_emplace(skipCasts(returned), result);
    if (isNew || result.use_empty())
      continue;
    Value same = it->second;
    if (same.getType() != result.getType())
      same = tensor::CastOp::create(builder, call.getLoc(), result.getType(),
                                    same);
    result.replaceAllUsesWith(same);
  }
}

void tally::mergeEqualResults(ModuleOp module) {
  module.walk(separateResults);
  SymbolTableCollection symbols;
  module.walk([&](func::CallOp call) { mergeResults(call, symbols); });
}

namespace {
struct MergeEqualResultsPass
    : tally::impl::MergeEqualResultsBase<MergeEqualResultsPass> {
  void runOnOperation() override { tally::mergeEqualResults(getOperation()); }
};
} // namespace
