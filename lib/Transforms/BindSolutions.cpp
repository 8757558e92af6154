//===- BindSolutions.cpp - Symbols that stand only inside of expressions --===//
//
// A part of tally-bind-symbols: what is declared of arguments are equations,
// from which the symbols that no size is alone are solved for. An equation with
// one unknown symbol is solved by itself; those that share several are solved
// together.
//
//===----------------------------------------------------------------------===//

#include "SymbolBinder.h"
#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Proof/Solve.h"
#include "tally/Transforms/ExprLowering.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tally;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Equations and systems
//===----------------------------------------------------------------------===//

bool SymbolBinder::isUnknown(Expr symbol) const {
  return !values.contains(symbol);
}

/// The only unknown symbol of an expression; null if it has none or several.
Expr SymbolBinder::getOnlyUnknown(Expr expr) const {
  Expr unknown;
  for (Expr symbol : context.freeSymbols(expr)) {
    if (!isUnknown(symbol))
      continue;
    if (unknown)
      return {};
    unknown = symbol;
  }
  return unknown;
}

/// The equations with unknown symbols, in groups that share none.
SmallVector<SymbolBinder::System> SymbolBinder::findSystems() {
  llvm::EquivalenceClasses<const symbolic::detail::ExprNode *> classes;
  SmallVector<std::pair<Equation *, Expr>> open;
  for (Equation &equation : equations) {
    Expr first;
    for (Expr symbol : context.freeSymbols(equation.declared)) {
      if (equation.isUsed || !isUnknown(symbol))
        continue;
      if (first)
        classes.unionSets(first.getNode(), symbol.getNode());
      else
        classes.insert((first = symbol).getNode());
    }
    if (first)
      open.emplace_back(&equation, first);
  }
  llvm::MapVector<const symbolic::detail::ExprNode *, System> systems;
  for (auto [equation, symbol] : open)
    systems[classes.getLeaderValue(symbol.getNode())].push_back(equation);
  return llvm::map_to_vector(systems, [](auto &entry) { return entry.second; });
}

/// `x.size(0) floordiv 2`: a value of what is read from the arguments, as
/// messages say it.
static std::string describeValue(Expr value, symbolic::ExprContext &context,
                                 ArrayRef<Equation> equations) {
  symbolic::ExprContext texts;
  llvm::DenseMap<Expr, Expr> renamed;
  for (Expr symbol : context.freeSymbols(value)) {
    StringRef name = symbol.getName();
    for (const Equation &equation : equations)
      if (equation.unknown == symbol)
        name = equation.source;
    renamed[symbol] = texts.symbol(name, symbol.getType());
  }
  return texts
      .import(value, [&](Expr symbol) { return renamed.lookup(symbol); })
      .str();
}

void SymbolBinder::defineSolved(Expr symbol, Expr value,
                                const Equation &equation) {
  if (value.isInt()) {
    requireFits(value, equation.argument);
    facts.setRange(symbol, facts.range(value));
  }
  ExprLowering lowering(builder, loc, facts, [&](Expr s) { return lookup(s); });
  define(symbol, lowering.build(value),
         describeValue(value, context, equations), equation.argument,
         /*isSize=*/false);
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

/// Solves an equation that has one unknown symbol.
bool SymbolBinder::solveEquation(Equation &equation) {
  Expr symbol = equation.isUsed ? Expr() : getOnlyUnknown(equation.declared);
  if (!symbol || !symbol.isInt() || !equation.declared.isInt())
    return false;
  symbolic::Prover prover(facts);
  std::optional<symbolic::Solution> solution =
      solveFor(prover, symbol, equation.declared, equation.unknown);
  if (!solution)
    return false;
  values[equation.unknown] = equation.value;
  loc = equation.loc;
  emitCheck(solution->required, {}, equation.argument);
  defineSolved(symbol, solution->value, equation);
  equation.isUsed = true;
  facts.add(context.eq(equation.unknown, equation.declared));
  return true;
}

/// Adds checks for what a solution takes for granted, as far as it speaks of
/// what is bound. What follows from the declarations of the symbols themselves
/// is checked, or assumed, where each is defined.
void SymbolBinder::checkRequired(SmallVectorImpl<Expr> &required,
                                 ArrayRef<Equation *> system,
                                 symbolic::Facts &implied) {
  auto isBound = [&](Expr condition) {
    return llvm::none_of(context.freeSymbols(condition),
                         [&](Expr symbol) { return isUnknown(symbol); });
  };
  // A condition belongs to the first argument that it speaks of.
  auto getEquation = [&](Expr condition) -> const Equation & {
    for (Equation *equation : system)
      if (context.mentions(condition, equation->unknown))
        return *equation;
    for (Equation *equation : system)
      for (Expr symbol : context.freeSymbols(condition))
        if (context.mentions(equation->declared, symbol))
          return *equation;
    return *system.front();
  };
  SmallVector<Expr> later;
  for (Expr condition : required) {
    if (!isBound(condition)) {
      later.push_back(condition);
    } else if (!symbolic::Prover(implied).isProven(condition)) {
      const Equation &equation = getEquation(condition);
      loc = equation.loc;
      emitCheck(condition, {}, equation.argument);
      implied.add(condition);
      facts.add(condition);
    }
  }
  required.assign(later.begin(), later.end());
}

/// Solves equations together, if all of their symbols can be found.
LogicalResult SymbolBinder::solveSystemOf(ArrayRef<Equation *> system) {
  llvm::SetVector<Expr> unknowns;
  SmallVector<Expr> conditions;
  symbolic::Facts declared(context);
  for (Equation *equation : system) {
    declareRead(declared, *equation);
    for (Expr symbol : context.freeSymbols(equation->declared)) {
      declareSymbol(declared, symbol);
      if (isUnknown(symbol))
        unknowns.insert(symbol);
    }
    conditions.push_back(context.eq(equation->unknown, equation->declared));
  }
  symbolic::SystemSolution solution =
      solveSystem(declared, unknowns.getArrayRef(), conditions);
  if (solution.isImpossible()) {
    InFlightDiagnostic diagnostic =
        function.emitError("no arguments fit what is declared of them: ");
    listEquations(diagnostic, system);
    return diagnostic;
  }
  if (!solution.isSolved())
    return success(); // reported with the others, by checkAllSolved

  for (Equation *equation : system)
    values[equation->unknown] = equation->value;
  SmallVector<Expr> required(solution.required.begin(),
                             solution.required.end());
  for (auto [symbol, value] : solution.values)
    if (declared.isDefined(value))
      declared.add(context.eq(symbol, value));
  checkRequired(required, system, declared);
  for (const symbolic::SystemSolution::Binding &binding : solution.values) {
    Equation *origin = *llvm::find_if(system, [&](Equation *equation) {
      return context.mentions(equation->declared, binding.symbol);
    });
    loc = origin->loc;
    defineSolved(binding.symbol, binding.value, *origin);
    checkRequired(required, system, declared);
  }
  for (Equation *equation : system) {
    equation->isUsed = true;
    facts.add(context.eq(equation->unknown, equation->declared));
  }
  return success();
}

/// Solves what has one unknown until nothing has, then what is left together.
LogicalResult SymbolBinder::solveEquations() {
  for (bool progress = true; progress;) {
    progress = false;
    for (Equation &equation : equations)
      progress |= solveEquation(equation);
  }
  for (const System &system : findSystems())
    if (failed(solveSystemOf(system)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Equations without a solution
//===----------------------------------------------------------------------===//

void SymbolBinder::listEquations(InFlightDiagnostic &diagnostic,
                                 ArrayRef<Equation *> system) {
  llvm::interleaveComma(system, diagnostic, [&](Equation *equation) {
    diagnostic << equation->source << " = " << equation->declared.str();
  });
}

/// Reports the symbols of equations that determine none of them, and those that
/// are mentioned without any equation.
LogicalResult SymbolBinder::checkAllSolved() {
  bool failed = false;
  llvm::SetVector<Expr> reported;
  for (const System &system : findSystems()) {
    llvm::SetVector<Expr> unknowns;
    for (Equation *equation : system)
      for (Expr symbol : context.freeSymbols(equation->declared))
        if (isUnknown(symbol))
          unknowns.insert(symbol);
    bool isOne = unknowns.size() == 1;
    InFlightDiagnostic diagnostic =
        function.emitError() << "cannot find symbol" << (isOne ? " " : "s ");
    llvm::interleaveComma(unknowns, diagnostic, [&](Expr symbol) {
      diagnostic << "'" << symbol.getName() << "'";
    });
    diagnostic << " from the arguments: ";
    listEquations(diagnostic, system);
    diagnostic << "; let a size, or the 'tally.value' of an argument, be "
               << (isOne ? "it" : "one of them") << " alone";
    reported.insert_range(unknowns);
    failed = true;
  }
  auto isLeft = [&](SymbolDeclAttr decl) {
    Expr symbol = context.lookup(decl.getName());
    return !decl.getUnbacked() && isUnknown(symbol) &&
           !reported.contains(symbol);
  };
  auto left = llvm::filter_to_vector(table.getSymbols(), isLeft);
  llvm::StringSet<> mentioned;
  if (!left.empty())
    mentioned = collectMentionedNames();
  for (SymbolDeclAttr decl : left) {
    if (!mentioned.contains(decl.getName()))
      continue;
    function.emitError()
        << "symbol '" << decl.getName()
        << "' is mentioned, but no argument tells it; let it be a size, or the "
           "'tally.value' of an argument, or declare it as 'unbacked' and bind "
           "it where it is defined";
    failed = true;
  }
  return failure(failed);
}
