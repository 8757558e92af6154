//===- InsertRuntimeAsserts.cpp - Prove every check, or assert it ---------===//
//
// Walks the function once with the facts that hold at each check. A check that
// is not proven becomes an assert as early as it can stand (AssertPlacement.h);
// from there on it is a fact.
//
//===----------------------------------------------------------------------===//

#include "AssertBuilder.h"
#include "CheckReport.h"
#include "FunctionPass.h"
#include "SpeculationBarriers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ElementRanges.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Signatures.h"
#include "tally/Transforms/ExprLowering.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_INSERTRUNTIMEASSERTS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-insert-runtime-asserts"

using namespace mlir;
using namespace tally;
using symbolic::Answer;
using symbolic::Expr;
using symbolic::Provenance;
using symbolic::Verdict;

namespace {
class AssertInserter {
public:
  AssertInserter(FunctionOpInterface function,
                 const RuntimeAssertOptions &options, CheckSummary *summary)
      : function(function), options(options),
        shapes(function, SymbolicShapesOptions::bound(options.thorough)),
        ranges(shapes), scopedFacts(shapes), prover(shapes.getFacts()),
        placer(function, shapes), report(shapes, options.explain, summary),
        holder(shapes) {
    if (options.z3)
      validator.emplace(shapes, *options.z3);
  }

  LogicalResult run();
  /// Returns true if a look at the asserts themselves may show more: one may
  /// say that arithmetic behind it is exact which was not known to be.
  bool isWorthAnotherLook() const { return assertsArithmetic; }

private:
  bool visit(Operation *op);
  void decide(CheckOp check);
  void noteProven(CheckOp check, Expr condition, const Answer &answer);
  void assertCheck(CheckOp check, Expr condition);
  void assume(CheckOp check, Expr condition);
  void noteAssumed(Expr condition, AssumeOp assumption);
  bool drop(AssertOp assertion);
  bool isDropped(Expr condition);
  bool isDecidedAtEntry(Expr condition);
  void reportNeverHolds(CheckOp check);
  void proveUnchecked(Operation *op);

  FunctionOpInterface function;
  const RuntimeAssertOptions &options;
  SymbolicShapes shapes;
  ElementRanges ranges;
  ScopedFacts scopedFacts;
  symbolic::Prover prover;
  AssertPlacer placer;
  CheckReport report;
  SpeculationBarriers holder;
  std::optional<ProofValidator> validator;
  bool assertsArithmetic = false;
  bool hasFailed = false;
};
} // namespace

LogicalResult AssertInserter::run() {
  scopedFacts.walk(function, [&](Operation *op) { return visit(op); });
  return failure(hasFailed);
}

bool AssertInserter::visit(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op)) {
    decide(check);
    return false;
  }
  if (auto assertion = dyn_cast<AssertOp>(op); assertion && drop(assertion))
    return false;
  if (op->hasAttr(attr_names::kUnchecked))
    proveUnchecked(op);
  placer.pass(op);
  holder.visit(op);
  return true;
}

//===----------------------------------------------------------------------===//
// What becomes of a check
//===----------------------------------------------------------------------===//

void AssertInserter::decide(CheckOp check) {
  Expr condition = shapes.getCondition(check);
  if (!condition) {
    check.emitOpError("mentions a symbol that has no value: the function is "
                      "not in the bound form, run tally-bind-symbols first");
    hasFailed = true;
    return;
  }
  Answer answer = prover.prove(condition);
  auto isProven = [&] {
    return options.elide &&
           (answer.isYes() || answer.verdict == Verdict::Contradiction);
  };
  if (isProven())
    return noteProven(check, condition, answer);
  if (options.elide) {
    symbolic::Facts::Scope scope(shapes.getFacts());
    if (ranges.addFacts(condition, shapes.getFacts()))
      answer = prover.prove(condition);
    if (isProven())
      return noteProven(check, condition, answer);
  }
  if (isDropped(condition))
    return assume(check, condition);
  if (answer.isNo())
    reportNeverHolds(check);
  if (Expr part = ExprLowering::findUnsupported(condition)) {
    check.emitOpError() << "cannot compute '" << describeExpr(part, shapes)
                        << "' at run time";
    hasFailed = true;
    return;
  }
  assertCheck(check, condition);
}

void AssertInserter::noteProven(CheckOp check, Expr condition,
                                const Answer &answer) {
  report.reportProven(check, condition, answer);
  if (validator && failed(validator->validate(check, condition, answer)))
    hasFailed = true;
  shapes.forget(check);
  check.erase();
}

/// Returns true if the expression speaks of the result of arithmetic that may
/// wrap: one that nobody knows a bound of.
static bool mentionsArithmetic(Expr expr, SymbolicShapes &shapes) {
  using Limits = std::numeric_limits<int64_t>;
  symbolic::Interval all = symbolic::Interval::of(Limits::min(), Limits::max());
  return llvm::any_of(shapes.getContext().freeSymbols(expr), [&](Expr symbol) {
    auto origin = shapes.getOrigin(symbol);
    Operation *op = origin ? origin->value.getDefiningOp() : nullptr;
    return op && isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
           symbol.isInt() && shapes.getFacts().range(symbol).contains(all);
  });
}

void AssertInserter::assertCheck(CheckOp check, Expr condition) {
  assertsArithmetic |= mentionsArithmetic(condition, shapes);
  AssertPlacement placement = placer.place(check, condition);
  report.reportAsserted(check, placement);
  AssertOp op = buildAssert(check, placement, shapes, options.elide,
                            /*exact=*/options.thorough);
  placer.notePlaced(op);
  StringRef text = check.getCondition().getText();
  symbolic::Facts &facts = shapes.getFacts();
  report.noteFact(facts.add(condition, Provenance::Checked, text), condition,
                  op);
  if (placement.outOf) {
    symbolic::ExprContext &context = shapes.getContext();
    Expr executes = context.logicalAnd(placement.premises);
    scopedFacts.addBehind(
        placement.outOf,
        context.logicalOr(context.logicalNot(executes), condition), text);
  }
  shapes.forget(check);
  check.erase();
}

//===----------------------------------------------------------------------===//
// Taken on trust
//===----------------------------------------------------------------------===//

/// Returns true if every symbol is a size or a scalar of an argument of the
/// function, or the element of one that has but one.
bool AssertInserter::isDecidedAtEntry(Expr condition) {
  auto isArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner()->getParentOp() == function &&
           argument.getOwner()->isEntryBlock();
  };
  return llvm::all_of(
      shapes.getContext().freeSymbols(condition), [&](Expr symbol) {
        std::optional<SymbolicShapes::Origin> origin = shapes.getOrigin(symbol);
        if (!origin)
          return false;
        auto element = origin->value.getDefiningOp<tensor::ExtractOp>();
        return isArgument(origin->value) ||
               (element && element.getIndices().empty() &&
                isArgument(element.getTensor()));
      });
}

bool AssertInserter::isDropped(Expr condition) {
  switch (options.checks) {
  case CheckPolicy::All:
    return false;
  case CheckPolicy::Entry:
    return !condition || !isDecidedAtEntry(condition);
  case CheckPolicy::None:
    return true;
  }
  llvm_unreachable("unknown policy");
}

void AssertInserter::noteAssumed(Expr condition, AssumeOp assumption) {
  report.noteFact(shapes.getFacts().add(condition, Provenance::Assumed,
                                        describeExpr(condition, shapes)),
                  condition, assumption);
}

void AssertInserter::assume(CheckOp check, Expr condition) {
  report.reportAssumed(check);
  OpBuilder builder(check);
  auto assumption = AssumeOp::create(builder, check.getLoc(), TypeRange{},
                                     check->getOperands(), check->getAttrs());
  placer.pass(assumption);
  noteAssumed(condition, assumption);
  shapes.forget(check);
  check.erase();
}

/// Drops an assert of the input as the policy says; it is a fact all the same.
bool AssertInserter::drop(AssertOp assertion) {
  Expr condition = shapes.getCondition(assertion);
  if (!isDropped(condition))
    return false;
  shapes.forget(assertion);
  AssumeOp assumption = assumeAssert(assertion);
  placer.pass(assumption);
  if (condition)
    noteAssumed(condition, assumption);
  return true;
}

/// A check that fails in every call that gets there. In the entry block every
/// call does.
void AssertInserter::reportNeverHolds(CheckOp check) {
  if (check->getBlock() != &function.getFunctionBody().front())
    return;
  InFlightDiagnostic diagnostic = check.emitWarning()
                                  << "this can never hold: "
                                  << check.getCondition().getText();
  if (std::optional<StringRef> op = check.getRequiredBy())
    diagnostic << ", which " << *op << " needs";
  diagnostic << "; every call will end with this error";
}

/// A precondition that no check could state must be proven: an operation that
/// might be wrong for some element cannot run.
void AssertInserter::proveUnchecked(Operation *op) {
  op->removeAttr(attr_names::kUnchecked);
  if (options.checks != CheckPolicy::All)
    return;
  Preconditions preconditions(shapes);
  shapes.collectPreconditions(op, preconditions);
  for (const Precondition &precondition : preconditions.getPreconditions()) {
    symbolic::Facts::Scope scope(shapes.getFacts());
    ranges.addFacts(op, precondition.condition, shapes.getFacts());
    if (prover.isProven(precondition.condition))
      continue;
    op->emitOpError() << "needs " << describePrecondition(precondition, shapes)
                      << " of every element, which can neither be proven nor "
                         "checked before; compute the elements in a "
                         "'linalg.generic', or state it as a tally.assume";
    hasFailed = true;
  }
}

//===----------------------------------------------------------------------===//
// Another look
//===----------------------------------------------------------------------===//

/// Removes the asserts that follow from what is known before them.
static LogicalResult removeImplied(FunctionOpInterface function,
                                   const RuntimeAssertOptions &options,
                                   CheckSummary *summary) {
  SymbolicShapes shapes(function,
                        SymbolicShapesOptions::bound(options.thorough));
  symbolic::Prover prover(shapes.getFacts());
  LogicalResult result = success();
  ScopedFacts(shapes).walk(function, [&](Operation *op) {
    auto assertion = dyn_cast<AssertOp>(op);
    if (!assertion)
      return true;
    Expr condition = shapes.getCondition(assertion);
    Answer answer = prover.prove(condition);
    if (!answer.isYes())
      return true;
    if (options.z3 && failed(ProofValidator(shapes, *options.z3)
                                 .validate(op, condition, answer)))
      result = failure();
    if (summary)
      --summary->asserted;
    countProven(summary, answer);
    LDBG() << describeExpr(condition, shapes) << describePlace(op->getLoc())
           << ": the assert follows from those before it";
    if (options.explain) {
      ExprAttr expr = assertion.getExprAttr();
      op->emitRemark() << (expr ? expr.getText()
                                : assertion.getMessage().value_or("a check"))
                       << ": removed, as it follows from what is asserted "
                          "before it";
    }
    shapes.forget(op);
    op->replaceAllUsesWith(assertion.getGuarded());
    op->erase();
    return false;
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

/// Tells which sizes the type of an argument fixes: no check in the program
/// speaks of them, each call of a function from outside compares them first.
static void explainFixedSizes(FunctionOpInterface function) {
  auto visibility = dyn_cast<SymbolOpInterface>(function.getOperation());
  if (visibility && !visibility.isPublic())
    return;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || llvm::all_of(type.getShape(), ShapedType::isDynamic))
      continue;
    std::string name = getArgumentName(function, argument.getArgNumber()), text;
    llvm::raw_string_ostream out(text);
    llvm::ListSeparator separator;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      if (!ShapedType::isDynamic(size))
        out << separator << name << ".size(" << dim << ") == " << size;
    emitRemark(getDeclarationLoc(argument)) << text << ": compared at entry";
  }
}

LogicalResult tally::insertRuntimeAsserts(FunctionOpInterface function,
                                          const RuntimeAssertOptions &options) {
  return insertRuntimeAsserts(function, options, /*summary=*/nullptr);
}

LogicalResult tally::insertRuntimeAsserts(FunctionOpInterface function,
                                          const RuntimeAssertOptions &options,
                                          CheckSummary *summary) {
  if (function.isExternal())
    return success();
  if (options.explain)
    explainFixedSizes(function);
  AssertInserter inserter(function, options, summary);
  if (failed(inserter.run()))
    return failure();
  return options.elide && inserter.isWorthAnotherLook()
             ? removeImplied(function, options, summary)
             : success();
}

namespace {
struct InsertRuntimeAssertsPass
    : tally::impl::InsertRuntimeAssertsBase<InsertRuntimeAssertsPass> {
  using InsertRuntimeAssertsBase::InsertRuntimeAssertsBase;

  LogicalResult initialize(MLIRContext *context) override {
    std::optional<CheckPolicy> policy =
        llvm::StringSwitch<std::optional<CheckPolicy>>(checks)
            .Case("all", CheckPolicy::All)
            .Case("entry", CheckPolicy::Entry)
            .Case("none", CheckPolicy::None)
            .Default(std::nullopt);
    if (!policy)
      return emitError(UnknownLoc::get(context))
             << "tally-insert-runtime-asserts: checks must be all, entry or "
                "none, not '"
             << checks << "'";
    asserts.checks = *policy;
    asserts.elide = elide;
    asserts.explain = explain;
    if (failed(openValidator(context, "tally-insert-runtime-asserts", validate,
                             z3)))
      return failure();
    asserts.z3 = z3.get();
    return success();
  }

  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [&](FunctionOpInterface function) {
              warnWithoutSymbols(function, getArgument());
              return insertRuntimeAsserts(function, asserts, summary);
            })))
      signalPassFailure();
  }

  RuntimeAssertOptions asserts;
  std::shared_ptr<Z3Solver> z3;
  CheckSummary *summary = nullptr;
};
} // namespace

std::unique_ptr<Pass>
tally::createInsertRuntimeAsserts(const InsertRuntimeAssertsOptions &options,
                                  CheckSummary &summary) {
  auto pass = std::make_unique<InsertRuntimeAssertsPass>(options);
  pass->summary = &summary;
  return pass;
}
