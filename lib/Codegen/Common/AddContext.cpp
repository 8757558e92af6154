//===- AddContext.cpp - The call context as first argument ----------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "tally/Codegen/Common/Passes.h"
#include "tally/Codegen/Common/Transforms.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace tally {
#define GEN_PASS_DEF_ADDCONTEXT
#include "tally/Codegen/Common/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

/// A function that is called more often is not inlined.
static constexpr unsigned kMaxInlined = 4;

/// Code in as many places as there are calls takes as many times as long to
/// compile, and saves nothing where the function works on tensors.
static void keepOutOfLine(func::FuncOp function) {
  if (llvm::none_of(function.getArgumentTypes(),
                    llvm::IsaPred<BaseMemRefType>) ||
      function->hasAttr("passthrough"))
    return;
  Builder builder(function.getContext());
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
}

/// Inserts the argument, which a type of MLIR's functions always takes; bodies
/// that are never run have no block for it.
static void addContext(func::FuncOp function) {
  (void)function.insertArgument(0, getPointerType(function.getContext()), {},
                                function.getLoc());
}

void tally::addCallContexts(ModuleOp module) {
  llvm::StringSet<> compiled;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      compiled.insert(function.getName());
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      addContext(function);
  llvm::StringMap<unsigned> numCalls;
  module.walk([&](func::CallOp call) {
    if (!compiled.contains(call.getCallee()))
      return;
    call->insertOperands(0, getCallContext(call));
    ++numCalls[call.getCallee()];
  });
  for (auto function : module.getOps<func::FuncOp>())
    if (numCalls.lookup(function.getName()) > kMaxInlined)
      keepOutOfLine(function);
}

namespace {
struct AddContextPass : tally::impl::AddContextBase<AddContextPass> {
  void runOnOperation() override { tally::addCallContexts(getOperation()); }
};
} // namespace
