//===- AssertBuilder.cpp - A check as the assert that runs ----------------===//

#include "AssertBuilder.h"

#include "tally/Analysis/ValueSources.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"
#include "tally/Transforms/ExprLowering.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Provenance;

namespace {
/// The state of building one assert.
class AssertBuilder {
public:
  AssertBuilder(CheckOp check, const AssertPlacement &placement,
                SymbolicShapes &shapes, bool elide, bool exact)
      : check(check), placement(placement), shapes(shapes), elide(elide),
        exact(exact), nothing(shapes.getContext()),
        builder(placement.makeBuilder()), loc(check.getLoc()) {}

  AssertOp build();

private:
  void readOperands();
  void nameOperands();
  Expr parse(StringRef text);
  Expr dropProven(Expr condition);
  Value buildExecutes();
  void addSides(ExprLowering &lowering, SmallVectorImpl<Attribute> &allNames,
                SmallVectorImpl<Value> &allValues);
  DictionaryAttr getSources();
  Value read(Expr expr, symbolic::Facts &facts);
  /// The facts that the arithmetic of the condition may use.
  symbolic::Facts &getFacts() { return exact ? nothing : shapes.getFacts(); }

  CheckOp check;
  const AssertPlacement &placement;
  SymbolicShapes &shapes;
  bool elide;
  bool exact;
  symbolic::Facts nothing;
  OpBuilder builder;
  Location loc;
  /// The names that the check gives values for, and these values at the place
  /// of the assert.
  SmallVector<StringRef> names;
  SmallVector<Value> values;
  /// The expressions for which names stand in the text.
  llvm::StringMap<Expr> symbols;
};
} // namespace

/// Computes an expression of the analysis at the place of the assert.
Value AssertBuilder::read(Expr expr, symbolic::Facts &facts) {
  ExprLowering lowering(builder, loc, facts, [&](Expr symbol) {
    return shapes.read(builder, loc, symbol);
  });
  return lowering.build(expr);
}

/// An operand that does not exist yet at the place is computed there from what
/// does.
void AssertBuilder::readOperands() {
  DominanceInfo dominance;
  Operation *next = &*builder.getInsertionPoint();
  for (auto [name, value] : llvm::zip_equal(
           check.getNames().getAsValueRange<StringAttr>(), check.getValues())) {
    names.push_back(name);
    values.push_back(dominance.properlyDominates(value, next)
                         ? value
                         : read(shapes.getValue(value), shapes.getFacts()));
  }
}

/// An operand whose value is a symbol is that symbol; for any other one there
/// is a symbol that is known to equal it, so that the text is lowered as
/// written.
void AssertBuilder::nameOperands() {
  symbolic::ExprContext &context = shapes.getContext();
  for (auto [name, value] : llvm::zip_equal(names, values)) {
    Expr expr = shapes.getValue(value);
    Expr symbol = expr;
    if (!expr.isSymbol()) {
      symbol = context.anonymous(name, expr.getType());
      shapes.getFacts().add(context.eq(symbol, expr), Provenance::Proven);
    }
    symbols[name] = symbol;
  }
}

Expr AssertBuilder::parse(StringRef text) {
  return symbolic::parseExpr(
             text, shapes.getContext(),
             [&](StringRef name) { return symbols.lookup(name); })
      .expr;
}

/// The parts of a conjunction that do not follow from what is known.
Expr AssertBuilder::dropProven(Expr condition) {
  if (!elide || condition.getKind() != symbolic::ExprKind::And)
    return condition;
  symbolic::Prover prover(shapes.getFacts());
  SmallVector<Expr> open;
  for (Expr part : condition.getOperands())
    if (!prover.isProven(part))
      open.push_back(part);
  return shapes.getContext().logicalAnd(open);
}

/// Where each value of the check comes from.
DictionaryAttr AssertBuilder::getSources() {
  SmallVector<NamedAttribute> sources;
  for (auto [name, value] : llvm::zip_equal(names, values))
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

/// The value of each side that is more than a symbol, for the message.
void AssertBuilder::addSides(ExprLowering &lowering,
                             SmallVectorImpl<Attribute> &allNames,
                             SmallVectorImpl<Value> &allValues) {
  auto sides = splitComparison(check.getCondition().getText());
  if (!sides)
    return;
  for (StringRef side : {sides->first, sides->second}) {
    Expr expr = parse(side);
    if (!expr || !expr.isInt() || expr.isSymbol() || expr.isConstant() ||
        !lowering.fits(expr))
      continue;
    allNames.push_back(builder.getStringAttr(side));
    allValues.push_back(lowering.build(expr));
  }
}

/// An i1 that is true unless the check is going to execute; null if it always
/// is. It is computed where the premises need not hold, and what is known
/// inside of the regions follows from these: it makes use of nothing.
Value AssertBuilder::buildExecutes() {
  if (placement.premises.empty())
    return {};
  return read(shapes.getContext().logicalNot(
                  shapes.getContext().logicalAnd(placement.premises)),
              nothing);
}

AssertOp AssertBuilder::build() {
  readOperands();
  Value skipped = buildExecutes();
  auto guardedBySkipped = [&](Value ok) -> Value {
    return skipped ? arith::OrIOp::create(builder, loc, skipped, ok) : ok;
  };
  symbolic::Facts::Scope scope(shapes.getFacts());
  nameOperands();
  llvm::DenseMap<Expr, Value> valueOf;
  for (auto [name, value] : llvm::zip_equal(names, values))
    valueOf.try_emplace(symbols[name], value);
  ExprLowering lowering(builder, loc, getFacts(),
                        [&](Expr symbol) { return valueOf.lookup(symbol); });
  Value ok = guardedBySkipped(lowering.buildCondition(
      dropProven(parse(check.getCondition().getText()))));
  if (tellsOnlyMessage(check))
    return AssertOp::create(builder, loc, TypeRange{}, ok, ExprAttr(),
                            ValueRange{}, builder.getStrArrayAttr({}),
                            check.getMessageAttr(), check.getRequiredByAttr(),
                            check.getDeclaredByAttr(), DictionaryAttr(),
                            /*guarded=*/ValueRange{});
  SmallVector<Attribute> allNames(check.getNames().begin(),
                                  check.getNames().end());
  SmallVector<Value> allValues(values);
  addSides(lowering, allNames, allValues);
  return AssertOp::create(
      builder, loc, TypeRange{}, ok, check.getConditionAttr(), allValues,
      builder.getArrayAttr(allNames), check.getMessageAttr(),
      check.getRequiredByAttr(), check.getDeclaredByAttr(), getSources(),
      /*guarded=*/ValueRange{});
}

AssertOp tally::buildAssert(CheckOp check, const AssertPlacement &placement,
                            SymbolicShapes &shapes, bool elide, bool exact) {
  return AssertBuilder(check, placement, shapes, elide, exact).build();
}

AssumeOp tally::assumeAssert(AssertOp assertion) {
  OpBuilder builder(assertion);
  // The condition as it is computed is assumed; the expression need not say all
  // of it.
  StringRef name = "ok";
  auto assumption = AssumeOp::create(builder, assertion.getLoc(),
                                     ExprAttr::get(builder.getContext(), name),
                                     assertion.getCondition(), name);
  if (StringAttr message = assertion.getMessageAttr())
    assumption.setMessageAttr(message);
  else if (ExprAttr expr = assertion.getExprAttr())
    assumption.setMessage(expr.getText());
  assertion->replaceAllUsesWith(assertion.getGuarded());
  assertion.erase();
  return assumption;
}
