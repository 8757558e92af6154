//===- BindSymbols.cpp - Give every symbol one defining value -------------===//
//
// From the named to the bound form, in the steps that `SymbolBinder::run`
// lists: symbols that an argument gives, symbols that have to be solved for,
// symbols that operations make, and everything that mentions a name.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "SymbolBinder.h"
#include "ValueSources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Parser.h"
#include "tally/Symbolic/Solve.h"
#include "tally/Transforms/ExprLowering.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"

namespace tally {
#define GEN_PASS_DEF_BINDSYMBOLS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;
using symbolic::Provenance;

/// The entry of a compiled function refuses arguments with more elements, or
/// with a larger size, whatever is declared of them.
static constexpr int64_t kMaxArgumentSize = (int64_t(1) << 48) - 1;

symbolic::SymbolType tally::getEngineType(SymbolType type) {
  switch (type) {
  case SymbolType::Int:
    return symbolic::SymbolType::Int;
  case SymbolType::Bool:
    return symbolic::SymbolType::Bool;
  case SymbolType::Float:
    return symbolic::SymbolType::Float;
  }
  llvm_unreachable("unknown type of symbol");
}

//===----------------------------------------------------------------------===//
// The steps
//===----------------------------------------------------------------------===//

LogicalResult SymbolBinder::run() {
  if (!table || function.isExternal())
    return success();
  declareSymbols();
  loc = function.getLoc();
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  if (failed(collectEquations()))
    return failure();
  bindFromArguments();
  solveEquations();
  checkEquations();

  WalkResult births = function.walk([&](UnbackedBindingOpInterface op) {
    return failed(bindUnbacked(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  if (births.wasInterrupted() || failed(checkAllBound()))
    return failure();

  function->removeAttr("no_inline");
  return rewriteRegion(function.getFunctionBody());
}

/// Declares the symbols in the order of the table. Every use of a symbol comes
/// after the checks of its declaration, so these are facts here.
void SymbolBinder::declareSymbols() {
  for (SymbolDeclAttr decl : table.getSymbols()) {
    symbolic::SymbolType type = getEngineType(decl.getType());
    Expr symbol = context.symbol(decl.getName(), type);
    if (type != symbolic::SymbolType::Int)
      continue;
    facts.setRange(
        symbol,
        Interval::of(
            decl.getLower().value_or(std::numeric_limits<int64_t>::min()),
            decl.getUpper().value_or(std::numeric_limits<int64_t>::max())));
    if (decl.getDivisor() != 1)
      facts.setDivisor(symbol, decl.getDivisor());
  }
}

LogicalResult SymbolBinder::addEquation(Value value, ExprAttr declared,
                                        std::string source, StringRef argument,
                                        bool isSize) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      declared.getText(), context, symbolic::SymbolPolicy::MustExist);
  if (!parsed)
    return function.emitError()
           << "in the declaration of " << source << ": " << parsed.errorMessage;
  if (Expr part = ExprLowering::findUnsupported(parsed.expr))
    return function.emitError()
           << "in the declaration of " << source << ": cannot compute '"
           << part.str() << "' at run time";
  Expr unknown = context.anonymous("d", parsed.expr.getType());
  if (unknown.isInt())
    facts.setRange(unknown,
                   isSize ? Interval::of(0, kMaxArgumentSize)
                          : Interval::of(std::numeric_limits<int64_t>::min(),
                                         std::numeric_limits<int64_t>::max()));
  equations.push_back({toSymbolType(value, parsed.expr.getType()), unknown,
                       parsed.expr, std::move(source), argument.str(), isSize});
  return success();
}

/// The product of some of the sizes of an argument is limited as well: all of
/// them, and any two.
void SymbolBinder::limitProducts(ShapeAttr shape) {
  SmallVector<Expr> sizes;
  for (ExprAttr size : shape.getSizes())
    if (symbolic::ParseResult parsed = symbolic::parseExpr(
            size.getText(), context, symbolic::SymbolPolicy::MustExist))
      sizes.push_back(parsed.expr);
  Expr limit = context.constant(kMaxArgumentSize);
  facts.add(context.le(context.product(sizes), limit));
  for (size_t i = 0; i < sizes.size(); ++i)
    for (size_t j = i + 1; j < sizes.size(); ++j)
      facts.add(context.le(context.mul(sizes[i], sizes[j]), limit));
}

/// Reads every size and scalar of the arguments of which something is declared.
LogicalResult SymbolBinder::collectEquations() {
  for (BlockArgument argument : function.getArguments()) {
    unsigned index = argument.getArgNumber();
    std::string name = getArgumentName(function, index);
    if (auto value =
            function.getArgAttrOfType<ExprAttr>(index, attr_names::kValue))
      if (failed(addEquation(argument, value, name, name, /*isSize=*/false)))
        return failure();
    auto shape =
        function.getArgAttrOfType<ShapeAttr>(index, attr_names::kShape);
    if (!shape)
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    limitProducts(shape);
    for (auto [dim, size] : llvm::enumerate(shape.getSizes())) {
      int64_t known = 0;
      if (!type.isDynamicDim(dim) && !size.getText().getAsInteger(10, known) &&
          known == type.getDimSize(dim))
        continue;
      Value value =
          tensor::DimOp::create(builder, loc, argument, dim).getResult();
      std::string source = name + ".size(" + std::to_string(dim) + ")";
      if (failed(addEquation(value, size, source, name, /*isSize=*/true)))
        return failure();
    }
  }
  return success();
}

/// The first place where a backed symbol stands alone defines it.
void SymbolBinder::bindFromArguments() {
  for (Equation &equation : equations) {
    Expr symbol = equation.declared;
    if (!symbol.isSymbol() || values.contains(symbol) ||
        table.lookup(symbol.getName()).getUnbacked())
      continue;
    equation.isUsed = true;
    define(symbol, equation.value, equation.source, equation.argument,
           equation.isSize);
  }
}

/// Solves the equations that have one unknown symbol left, until none has.
void SymbolBinder::solveEquations() {
  auto getOnlyUnbound = [&](Expr expr) -> Expr {
    Expr unbound;
    for (Expr symbol : context.freeSymbols(expr)) {
      if (values.contains(symbol))
        continue;
      if (unbound)
        return {};
      unbound = symbol;
    }
    return unbound;
  };
  symbolic::Prover prover(facts);
  for (bool progress = true; progress;) {
    progress = false;
    for (Equation &equation : equations) {
      Expr symbol =
          equation.isUsed ? Expr() : getOnlyUnbound(equation.declared);
      if (!symbol || table.lookup(symbol.getName()).getUnbacked())
        continue;
      std::optional<symbolic::Solution> solution =
          solveFor(prover, symbol, equation.declared, equation.unknown);
      if (!solution)
        continue;
      values[equation.unknown] = equation.value;
      emitCheck(solution->required, {{equation.unknown, equation.value}},
                equation.argument);
      ExprLowering lowering(builder, loc, facts,
                            [&](Expr s) { return lookup(s); });
      Value value = lowering.build(solution->value);
      equation.isUsed = progress = true;
      define(symbol, value, equation.source, equation.argument,
             /*isSize=*/false);
      facts.add(context.eq(equation.unknown, equation.declared));
    }
  }
}

/// What an equation states beyond defining a symbol must be checked.
void SymbolBinder::checkEquations() {
  for (Equation &equation : equations) {
    bool isBound = llvm::all_of(context.freeSymbols(equation.declared),
                                [&](Expr s) { return values.contains(s); });
    if (equation.isUsed || !isBound)
      continue;
    values[equation.unknown] = equation.value;
    emitCheck(context.eq(equation.unknown, equation.declared),
              {{equation.unknown, equation.value}}, equation.argument);
  }
}

//===----------------------------------------------------------------------===//
// Defining a symbol
//===----------------------------------------------------------------------===//

/// A scalar as a value of a symbol: index, i1 or f64.
Value SymbolBinder::toSymbolType(Value value, symbolic::SymbolType type) {
  Type from = value.getType();
  if (type == symbolic::SymbolType::Float) {
    FloatType f64 = builder.getF64Type();
    return from == f64 ? value
                       : arith::ExtFOp::create(builder, loc, f64, value);
  }
  if (type == symbolic::SymbolType::Bool || from.isIndex())
    return value;
  Type index = builder.getIndexType();
  if (from.isInteger(1))
    return arith::IndexCastUIOp::create(builder, loc, index, value);
  return arith::IndexCastOp::create(builder, loc, index, value);
}

/// Checks what is declared of a symbol on the raw value, and names it.
void SymbolBinder::define(Expr symbol, Value raw, StringRef source,
                          StringRef declaredBy, bool isSize) {
  SymbolDeclAttr decl = table.lookup(symbol.getName());
  bool isInt = symbol.isInt();
  std::optional<int64_t> lower = decl.getLower(), upper = decl.getUpper();
  if (isInt && !decl.getAssumed()) {
    SmallVector<std::pair<Expr, Value>> locals = {{symbol, raw}};
    if (lower && !(isSize && *lower <= 0))
      emitCheck(context.ge(symbol, context.constant(*lower)), locals,
                declaredBy);
    if (upper)
      emitCheck(context.le(symbol, context.constant(*upper)), locals,
                declaredBy);
    if (decl.getDivisor() != 1)
      emitCheck(
          context.eq(context.mod(symbol, context.constant(decl.getDivisor())),
                     context.zero()),
          locals, declaredBy);
  }
  if (isSize)
    facts.setRange(symbol, Interval::of(0, kMaxArgumentSize));
  // That a size is not negative goes without saying.
  if (isSize && lower == 0 && !upper)
    lower.reset();
  auto toAttr = [&](std::optional<int64_t> bound) {
    return bound ? builder.getI64IntegerAttr(*bound) : IntegerAttr();
  };
  StringRef origin = decl.getSource().empty() ? source : decl.getSource();
  auto op = SymbolOp::create(
      builder, loc, raw.getType(), builder.getStringAttr(symbol.getName()), raw,
      origin.empty() ? StringAttr() : builder.getStringAttr(origin),
      isInt && (lower || upper) ? toAttr(lower) : IntegerAttr(),
      isInt ? toAttr(upper) : IntegerAttr(),
      builder.getI64IntegerAttr(isInt ? decl.getDivisor() : 1));
  values[symbol] = op.getResult();
  births[symbol] = op;
}

/// Adds a check whose symbols are bound, or given as locals, unless it is true
/// by its form.
void SymbolBinder::emitCheck(Expr condition,
                             ArrayRef<std::pair<Expr, Value>> locals,
                             StringRef declaredBy, StringRef requiredBy) {
  if (condition.isTrue())
    return;
  SmallVector<Value> operands;
  SmallVector<std::string> names;
  symbolic::Substitution printed;
  for (Expr symbol : context.freeSymbols(condition)) {
    Value value = lookup(symbol);
    for (auto [local, localValue] : locals)
      if (local == symbol)
        value = localValue;
    std::string name = symbol.getName().str();
    if (symbol.isAnonymous()) {
      // A name for the value of an argument that is no symbol.
      for (unsigned i = 0; context.lookup(name = "d" + std::to_string(i));)
        ++i;
      printed[symbol] = context.symbol(name);
    }
    operands.push_back(value);
    names.push_back(std::move(name));
  }
  SmallVector<StringRef> nameRefs(names.begin(), names.end());
  auto check = CheckOp::create(
      builder, loc,
      ExprAttr::get(builder.getContext(),
                    context.substitute(condition, printed).str()),
      operands, nameRefs);
  if (!declaredBy.empty())
    check.setDeclaredBy(declaredBy);
  if (!requiredBy.empty())
    check.setRequiredBy(requiredBy);
}

LogicalResult tally::bindSymbols(FunctionOpInterface function) {
  return SymbolBinder(function).run();
}

namespace {
struct BindSymbolsPass : tally::impl::BindSymbolsBase<BindSymbolsPass> {
  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [&](FunctionOpInterface function) {
              return bindSymbols(function);
            })))
      signalPassFailure();
  }
};
} // namespace
