//===- AddContext.cpp - The call context as first argument ----------------===//
//
// See the description of the pass in Passes.td.
//
//===----------------------------------------------------------------------===//

#include "Utils.h"
#include "tally/Codegen/Passes.h"

#include "llvm/ADT/StringSet.h"

namespace tally {
#define GEN_PASS_DEF_ADDCONTEXT
#include "tally/Codegen/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally::codegen;

namespace {

struct AddContextPass : public tally::impl::AddContextBase<AddContextPass> {
  void runOnOperation() override {
    llvm::StringSet<> compiled;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        compiled.insert(function.getName());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(addContext(function)))
        return signalPassFailure();
    getOperation().walk([&](func::CallOp call) {
      if (compiled.contains(call.getCallee()))
        call->insertOperands(0, getCallContext(call));
    });
  }

  /// Inserts the argument; bodies that are never run have no block for it.
  LogicalResult addContext(func::FuncOp function) {
    return function.insertArgument(0, getPointerType(&getContext()), {},
                                   function.getLoc());
  }
};

} // namespace
