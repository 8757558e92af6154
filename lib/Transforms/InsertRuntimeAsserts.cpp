//===- InsertRuntimeAsserts.cpp - Prove every check, or assert it ---------===//
//
// Walks the function once with the facts that hold at each check. A check that
// is not proven becomes an assert as early in its block as its values, and the
// statements before it, allow; from there on it is a fact.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "ValueSources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tally/Analysis/ScopedFacts.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Parser.h"
#include "tally/Symbolic/Prover.h"
#include "tally/Transforms/ExprLowering.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

namespace tally {
#define GEN_PASS_DEF_INSERTRUNTIMEASSERTS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

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
                 const RuntimeAssertOptions &options)
      : function(function), options(options), shapes(function, formOptions()),
        prover(shapes.getFacts()) {}

  LogicalResult run();

private:
  static SymbolicShapesOptions formOptions() {
    SymbolicShapesOptions options;
    options.form = SymbolicShapesOptions::Form::Bound;
    return options;
  }

  bool visit(Operation *op);
  void decide(CheckOp check);
  void assertAt(CheckOp check, Expr condition);
  AssertOp buildAssert(OpBuilder &builder, CheckOp check);
  llvm::StringMap<Expr> nameOperands(CheckOp check);
  void assume(CheckOp check);
  void reportNeverHolds(CheckOp check);
  void proveUnchecked(Operation *op);
  void explain(CheckOp check, const Twine &fate);
  void explainProof(CheckOp check, const Answer &answer);
  void moveToPlacement(OpBuilder &builder, CheckOp check);
  bool isDropped(CheckOp check) const;

  FunctionOpInterface function;
  const RuntimeAssertOptions &options;
  SymbolicShapes shapes;
  symbolic::Prover prover;
  /// In each block, the last operation that no assert may be moved above.
  llvm::DenseMap<Block *, Operation *> barriers;
  bool hasFailed = false;
};
} // namespace

LogicalResult AssertInserter::run() {
  ScopedFacts(shapes).walk(function, [&](Operation *op) { return visit(op); });
  return failure(hasFailed);
}

/// Asserts keep their order, and stay behind what may end the call itself.
static bool isBarrier(Operation *op) {
  return isa<AssumeOp, AssertOp, SymbolOp, CallOpInterface>(op) ||
         (op->getNumRegions() != 0 && !isMemoryEffectFree(op));
}

bool AssertInserter::visit(Operation *op) {
  if (auto check = dyn_cast<CheckOp>(op)) {
    decide(check);
    return false;
  }
  if (op->hasAttr(attr_names::kUnchecked))
    proveUnchecked(op);
  if (isBarrier(op))
    barriers[op->getBlock()] = op;
  return true;
}

//===----------------------------------------------------------------------===//
// The fate of a check
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
  if (answer.isYes() || answer.verdict == Verdict::Contradiction) {
    explainProof(check, answer);
    shapes.forget(check);
    check.erase();
    return;
  }
  if (isDropped(check))
    return assume(check);
  if (answer.isNo())
    reportNeverHolds(check);
  if (Expr part = ExprLowering::findUnsupported(condition)) {
    check.emitOpError() << "cannot compute '" << part.str() << "' at run time";
    hasFailed = true;
    return;
  }
  assertAt(check, condition);
}

bool AssertInserter::isDropped(CheckOp check) const {
  switch (options.checks) {
  case CheckPolicy::All:
    return false;
  case CheckPolicy::Entry:
    return !check.getDeclaredBy();
  case CheckPolicy::None:
    return true;
  }
  llvm_unreachable("unknown policy");
}

void AssertInserter::assume(CheckOp check) {
  explain(check, "assumed, as the option `checks` says");
  OpBuilder builder(check);
  Expr condition = shapes.getCondition(check);
  auto assumption = AssumeOp::create(builder, check.getLoc(), TypeRange{},
                                     check->getOperands(), check->getAttrs());
  barriers[check->getBlock()] = assumption;
  shapes.getFacts().add(condition, Provenance::Assumed, condition.str());
  check.erase();
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

/// What no check could state must be proven: an operation that might be wrong
/// for some element cannot run.
void AssertInserter::proveUnchecked(Operation *op) {
  op->removeAttr(attr_names::kUnchecked);
  if (options.checks != CheckPolicy::All)
    return;
  Demands demands(shapes);
  shapes.collectDemands(op, demands);
  for (const Demand &demand : demands.getDemands()) {
    if (prover.isProven(demand.condition))
      continue;
    op->emitOpError() << "needs " << describeExpr(demand.condition, shapes)
                      << " of every element, which can neither be proven nor "
                         "checked before; compute the elements in a "
                         "'linalg.generic', or state it as a tally.assume";
    hasFailed = true;
  }
}

//===----------------------------------------------------------------------===//
// Asserting
//===----------------------------------------------------------------------===//

/// Moves the builder to the earliest point of the block where the operands of
/// the check exist, behind the last barrier.
void AssertInserter::moveToPlacement(OpBuilder &builder, CheckOp check) {
  Block *block = check->getBlock();
  Operation *latest = barriers.lookup(block);
  for (Value operand : check.getValues()) {
    Operation *def = operand.getDefiningOp();
    if (def && def->getBlock() == block &&
        (!latest || latest->isBeforeInBlock(def)))
      latest = def;
  }
  if (latest)
    builder.setInsertionPointAfter(latest);
  else
    builder.setInsertionPointToStart(block);
}

/// Where each value of a check comes from.
static DictionaryAttr getSources(CheckOp check) {
  SmallVector<NamedAttribute> sources;
  for (auto [name, value] : llvm::zip_equal(
           check.getNames().getAsValueRange<StringAttr>(), check.getValues()))
    if (std::string source = describeSource(value); !source.empty())
      sources.emplace_back(StringAttr::get(check.getContext(), name),
                           StringAttr::get(check.getContext(), source));
  if (sources.empty())
    return {};
  return DictionaryAttr::get(check.getContext(), sources);
}

/// Splits `a == b` at its only comparison; nothing for anything else.
static std::optional<std::pair<StringRef, StringRef>>
splitComparison(StringRef text) {
  size_t count = 0, at = 0, length = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    for (StringRef op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!text.drop_front(i).starts_with(op))
        continue;
      ++count;
      at = i;
      length = op.size();
      i += op.size() - 1;
      break;
    }
  }
  if (count != 1 || text.contains(" and ") || text.contains(" or ") ||
      text.contains("not ") || text.contains("select"))
    return std::nullopt;
  return std::make_pair(text.take_front(at).trim(),
                        text.drop_front(at + length).trim());
}

/// The symbols of a check as its text names them: each stands for its operand.
/// An operand whose value is a symbol is that symbol; for any other one there
/// is a symbol that is known to equal it, so that the text is lowered as
/// written.
llvm::StringMap<Expr> AssertInserter::nameOperands(CheckOp check) {
  llvm::StringMap<Expr> symbols;
  symbolic::ExprContext &context = shapes.getContext();
  for (auto [name, value] : llvm::zip_equal(
           check.getNames().getAsValueRange<StringAttr>(), check.getValues())) {
    Expr expr = shapes.getValue(value);
    Expr symbol = expr;
    if (!expr.isSymbol()) {
      symbol = context.anonymous(name, expr.getType());
      shapes.getFacts().add(context.eq(symbol, expr), Provenance::Proven);
    }
    symbols[name] = symbol;
  }
  return symbols;
}

void AssertInserter::assertAt(CheckOp check, Expr condition) {
  explain(check, "asserted");
  OpBuilder builder(check.getContext());
  moveToPlacement(builder, check);
  AssertOp op = buildAssert(builder, check);
  barriers[op->getBlock()] = op;
  shapes.getFacts().add(condition, Provenance::Checked,
                        check.getCondition().getText());
  shapes.forget(check);
  check.erase();
}

/// True if the condition is but a boolean that nobody has a word for: the
/// message of the check says what it means.
static bool isOnlyMessage(CheckOp check) {
  return check.getMessage() && check.getValues().size() == 1 &&
         cast<StringAttr>(check.getNames()[0]).getValue() ==
             check.getCondition().getText() &&
         describeSource(check.getValues().front()).empty();
}

AssertOp AssertInserter::buildAssert(OpBuilder &builder, CheckOp check) {
  Location loc = check.getLoc();
  if (isOnlyMessage(check))
    return AssertOp::create(
        builder, loc, TypeRange{}, check.getValues().front(), ExprAttr(),
        ValueRange{}, builder.getStrArrayAttr({}), check.getMessageAttr(),
        check.getRequiredByAttr(), check.getDeclaredByAttr(), DictionaryAttr(),
        /*guarded=*/ValueRange{});
  symbolic::Facts::Scope scope(shapes.getFacts());
  llvm::StringMap<Expr> symbols = nameOperands(check);
  llvm::DenseMap<Expr, Value> valueOf;
  SmallVector<Attribute> names(check.getNames().begin(),
                               check.getNames().end());
  SmallVector<Value> values(check.getValues());
  for (auto [name, value] : llvm::zip_equal(
           check.getNames().getAsValueRange<StringAttr>(), check.getValues()))
    valueOf.try_emplace(symbols[name], value);
  auto parse = [&](StringRef text) -> Expr {
    return symbolic::parseExpr(
               text, shapes.getContext(),
               [&](StringRef name) { return symbols.lookup(name); })
        .expr;
  };
  auto lookup = [&](Expr symbol) { return valueOf.lookup(symbol); };
  ExprLowering lowering(builder, loc, shapes.getFacts(), lookup);

  StringRef text = check.getCondition().getText();
  Value ok = lowering.buildCondition(parse(text));
  // The value of each side that is more than a symbol, for the message.
  if (auto sides = splitComparison(text))
    for (StringRef side : {sides->first, sides->second}) {
      Expr expr = parse(side);
      if (!expr || !expr.isInt() || expr.isSymbol() || expr.isConstant() ||
          !lowering.fits(expr))
        continue;
      names.push_back(builder.getStringAttr(side));
      values.push_back(lowering.build(expr));
    }
  return AssertOp::create(builder, loc, TypeRange{}, ok,
                          check.getConditionAttr(), values,
                          builder.getArrayAttr(names), check.getMessageAttr(),
                          check.getRequiredByAttr(), check.getDeclaredByAttr(),
                          getSources(check), /*guarded=*/ValueRange{});
}

//===----------------------------------------------------------------------===//
// Explaining
//===----------------------------------------------------------------------===//

void AssertInserter::explain(CheckOp check, const Twine &fate) {
  if (options.explain)
    check.emitRemark() << check.getCondition().getText() << ": " << fate;
}

void AssertInserter::explainProof(CheckOp check, const Answer &answer) {
  if (!options.explain)
    return;
  std::string text = "proven (" + symbolic::toString(answer.rung).str() + ")";
  if (answer.verdict == Verdict::Contradiction)
    text = "never reached: what is known here excludes every run";
  StringRef separator = " from ";
  for (symbolic::FactId id : answer.facts) {
    const symbolic::Fact &fact = shapes.getFacts().getFact(id);
    // What goes without saying: that a number fits its type, or is a size.
    if (fact.provenance == Provenance::Proven && fact.source.empty())
      continue;
    text += separator.str() + describeExpr(fact.expr, shapes);
    if (!fact.source.empty() && fact.source != fact.expr.str())
      text += " (" + fact.source + ")";
    separator = ", ";
  }
  explain(check, text);
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

LogicalResult tally::insertRuntimeAsserts(FunctionOpInterface function,
                                          const RuntimeAssertOptions &options) {
  if (function.isExternal())
    return success();
  return AssertInserter(function, options).run();
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
    asserts.explain = explain;
    return success();
  }

  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [&](FunctionOpInterface function) {
              return insertRuntimeAsserts(function, asserts);
            })))
      signalPassFailure();
  }

  RuntimeAssertOptions asserts;
};
} // namespace
