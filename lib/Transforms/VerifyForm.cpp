//===- VerifyForm.cpp - Report where a function is not in a form ----------===//

#include "FunctionPass.h"
#include "SymbolAccounting.h"
#include "UnmetPreconditions.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Tally.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/StringSwitch.h"

namespace tally {
#define GEN_PASS_DEF_VERIFYFORM
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;

//===----------------------------------------------------------------------===//
// The named form
//===----------------------------------------------------------------------===//

/// Every symbol is defined once, before it is mentioned, and is no value yet.
/// That what is mentioned is declared, the verifiers see to.
static LogicalResult verifyNamed(FunctionOpInterface function) {
  bool failed = false;
  function.walk([&](SymbolOp op) {
    op.emitOpError("belongs to the bound form: in the named form a symbol is "
                   "an entry of the function's 'tally.symbols'");
    failed = true;
  });
  failed |= verifySymbolAccounts(function).failed();
  return failure(failed);
}

/// In the bound form, which the pipelines take as well, names are left in the
/// signature alone, where they are but words.
static LogicalResult verifyInput(FunctionOpInterface function) {
  bool hasNames = function
                      .walk([](Operation *op) {
                        return getMentionedName(op).empty()
                                   ? WalkResult::advance()
                                   : WalkResult::interrupt();
                      })
                      .wasInterrupted();
  return hasNames ? verifyNamed(function) : success();
}

//===----------------------------------------------------------------------===//
// The bound form
//===----------------------------------------------------------------------===//

/// Reports a name of the table that a statement leaves without a value.
static LogicalResult verifyHasValues(Operation *op) {
  SmallVector<std::string> unbound = getMentionedNames(op);
  if (unbound.empty())
    return success();
  return op->emitOpError() << "gives no value for symbol '" << unbound.front()
                           << "'; run tally-bind-symbols";
}

/// A subgraph may use only constant-like values from outside.
static LogicalResult verifyClosed(HigherOrderOpInterface op) {
  for (Region *region : op.getSubgraphs()) {
    if (region->getParentOp() != op)
      continue;
    LogicalResult result = success();
    visitUsedValuesDefinedAbove(*region, [&](OpOperand *use) {
      if (failed(result) || isConstantLike(use->get()))
        return;
      InFlightDiagnostic diagnostic =
          use->getOwner()->emitOpError()
          << "uses a value from outside of the subgraph; run "
             "tally-lift-free-symbols";
      diagnostic.attachNote(use->get().getLoc()) << "the value is made here";
      result = diagnostic;
    });
    if (failed(result))
      return failure();
  }
  return success();
}

static LogicalResult verifyBound(FunctionOpInterface function) {
  bool failed = false;
  auto note = [&](LogicalResult result) { failed |= result.failed(); };
  function.walk([&](Operation *op) {
    if (isa<SizeOp>(op))
      note(op->emitOpError("mentions names: the function is not bound; run "
                           "tally-bind-symbols"));
    else
      note(verifyHasValues(op));
    if (auto binding = dyn_cast<UnbackedBindingOpInterface>(op);
        binding && binding.getSymbolBindings())
      note(op->emitOpError("binds names: the function is not bound; run "
                           "tally-bind-symbols"));
    if (auto hop = dyn_cast<HigherOrderOpInterface>(op))
      note(verifyClosed(hop));
  });
  return failure(failed);
}

//===----------------------------------------------------------------------===//
// The checked form
//===----------------------------------------------------------------------===//

/// Wants every precondition to follow from what holds there.
static LogicalResult verifyPreconditions(FunctionOpInterface function) {
  LogicalResult result = success();
  findUnmetPreconditions(
      function, [&](SymbolicShapes &shapes, ArrayRef<Precondition> unmet) {
        for (const Precondition &precondition : unmet)
          result = precondition.op->emitOpError()
                   << "needs " << describePrecondition(precondition, shapes)
                   << ", which neither follows from what is known here nor is "
                      "asserted before it";
      });
  return result;
}

/// `arePreconditionsMet` is set where somebody has looked already.
static LogicalResult verifyChecked(FunctionOpInterface function,
                                   bool arePreconditionsMet) {
  bool failed = false;
  function.walk([&](CheckOp check) {
    check.emitOpError("has not been decided; run tally-insert-runtime-asserts");
    failed = true;
  });
  if (failed || verifyBound(function).failed())
    return failure();
  return arePreconditionsMet ? success() : verifyPreconditions(function);
}

static LogicalResult verify(FunctionOpInterface function, ProgramForm form,
                            bool arePreconditionsMet) {
  if (function.isExternal())
    return success();
  switch (form) {
  case ProgramForm::Input:
    return verifyInput(function);
  case ProgramForm::Named:
    return verifyNamed(function);
  case ProgramForm::Bound:
    return verifyBound(function);
  case ProgramForm::Checked:
    return verifyChecked(function, arePreconditionsMet);
  }
  llvm_unreachable("unknown form");
}

LogicalResult tally::verifyForm(FunctionOpInterface function,
                                ProgramForm form) {
  return verify(function, form, /*arePreconditionsMet=*/false);
}

namespace {
struct VerifyFormPass : tally::impl::VerifyFormBase<VerifyFormPass> {
  using VerifyFormBase::VerifyFormBase;

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<ProgramForm> parsed =
        llvm::StringSwitch<std::optional<ProgramForm>>(form)
            .Case("input", ProgramForm::Input)
            .Case("named", ProgramForm::Named)
            .Case("bound", ProgramForm::Bound)
            .Case("checked", ProgramForm::Checked)
            .Default(std::nullopt);
    if (!parsed)
      return emitError(UnknownLoc::get(context))
             << "tally-verify-form: form must be input, named, bound or "
                "checked, not '"
             << form << "'";
    programForm = *parsed;
    return success();
  }

  void runOnOperation() override {
    auto known = getCachedAnalysis<MetPreconditions>();
    bool arePreconditionsMet = known && known->get().areMet;
    if (failed(
            forEachFunction(getOperation(), [&](FunctionOpInterface function) {
              return verify(function, programForm, arePreconditionsMet);
            })))
      signalPassFailure();
    markAllAnalysesPreserved();
  }

  ProgramForm programForm = ProgramForm::Checked;
};
} // namespace
