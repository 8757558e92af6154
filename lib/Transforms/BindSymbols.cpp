//===- BindSymbols.cpp - Give every symbol one defining value -------------===//
//
// From the named to the bound form, in the steps that `SymbolBinder::run`
// lists: symbols that an argument gives, symbols that have to be solved for,
// symbols that operations make, and everything that mentions a name.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "SymbolBinder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "tally/Analysis/ValueSources.h"
#include "tally/IR/Signatures.h"
#include "tally/IR/Tally.h"
#include "tally/Runtime/tally_runtime.h"
#include "tally/Symbolic/Text/Parser.h"
#include "tally/Transforms/ExprLowering.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/Support/DebugLog.h"

namespace tally {
#define GEN_PASS_DEF_BINDSYMBOLS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

#define DEBUG_TYPE "tally-bind-symbols"

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;
using symbolic::Provenance;

/// The entry of a compiled function refuses arguments with more elements, or
/// with a larger size, whatever is declared of them. Nobody limits what another
/// function passes.
static int64_t getMaxArgumentSize(FunctionOpInterface function) {
  auto visibility = dyn_cast<SymbolOpInterface>(function.getOperation());
  bool isEntry = !visibility || visibility.isPublic();
  return isEntry ? TALLY_RT_MAX_ELEMENTS : std::numeric_limits<int64_t>::max();
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
  if (failed(solveEquations()) || failed(checkAllSolved()))
    return failure();
  checkEquations();
  loc = function.getLoc();
  for (unsigned i = 0, e = function.getNumArguments(); i != e; ++i)
    if (auto shape =
            function.getArgAttrOfType<ShapeAttr>(i, attr_names::kShape))
      limitProducts(shape);

  WalkResult definitions = function.walk([&](UnbackedBindingOpInterface op) {
    return failed(bindUnbacked(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
  });
  if (definitions.wasInterrupted() || failed(checkAllBound()))
    return failure();

  function->removeAttr("no_inline");
  function->removeAttr(attr_names::kCheckedByCallers);
  return rewriteRegion(function.getFunctionBody());
}

/// Declares the symbols in the order of the table. Every use of a symbol comes
/// after the checks of its declaration, so these are facts here.
void SymbolBinder::declareSymbols() {
  for (SymbolDeclAttr decl : table.getSymbols()) {
    declarations[decl.getName()] = decl;
    declareSymbol(
        facts, context.symbol(decl.getName(), getEngineType(decl.getType())));
  }
}

void SymbolBinder::declareSymbol(symbolic::Facts &into, Expr symbol) {
  if (!symbol.isInt())
    return;
  SymbolDeclAttr decl = lookupDeclared(symbol.getName());
  into.setRange(
      symbol,
      Interval::of(
          decl.getLower().value_or(std::numeric_limits<int64_t>::min()),
          decl.getUpper().value_or(std::numeric_limits<int64_t>::max())));
  if (decl.getDivisor() != 1)
    into.setDivisor(symbol, decl.getDivisor());
}

/// Declares a value that is read from an argument.
void SymbolBinder::declareRead(symbolic::Facts &into,
                               const Equation &equation) {
  if (!equation.unknown.isInt())
    return;
  Interval range = equation.isSize
                       ? Interval::of(0, getMaxArgumentSize(function))
                       : Interval::of(std::numeric_limits<int64_t>::min(),
                                      std::numeric_limits<int64_t>::max());
  if (std::optional<int64_t> known = getConstantIntValue(equation.value))
    range = Interval::of(*known, *known);
  into.setRange(equation.unknown, range);
}

/// Reads an expression that can be computed when the function is entered.
FailureOr<Expr> SymbolBinder::readDeclared(ExprAttr declared,
                                           const Twine &source) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      declared.getText(), context, symbolic::SymbolPolicy::MustExist);
  auto emitError = [&] {
    return function.emitError() << "in the declaration of " << source << ": ";
  };
  if (!parsed)
    return emitError() << parsed.errorMessage;
  if (Expr part = ExprLowering::findUnsupported(parsed.expr))
    return emitError() << "cannot compute '" << part.str() << "' at run time";
  for (Expr symbol : context.freeSymbols(parsed.expr))
    if (lookupDeclared(symbol.getName()).getUnbacked())
      return emitError() << "symbol '" << symbol.getName()
                         << "' is unbacked: it does not exist yet when the "
                            "function is entered";
  return parsed.expr;
}

LogicalResult SymbolBinder::addEquation(Value value, Expr declared,
                                        std::string source,
                                        std::string argument, bool isSize) {
  Expr unknown = context.anonymous("d", declared.getType());
  equations.push_back({value, unknown, declared, std::move(source),
                       std::move(argument), loc, isSize});
  declareRead(facts, equations.back());
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
  Expr limit = context.constant(getMaxArgumentSize(function));
  facts.add(context.le(context.product(sizes), limit));
  for (size_t i = 0; i < sizes.size(); ++i)
    for (size_t j = i + 1; j < sizes.size(); ++j)
      facts.add(context.le(context.mul(sizes[i], sizes[j]), limit));
}

/// Reads a scalar, or the element of a tensor, of which something is declared.
LogicalResult SymbolBinder::collectValue(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  auto declared =
      function.getArgAttrOfType<ExprAttr>(index, attr_names::kValue);
  if (!declared)
    return success();
  std::string name = getArgumentName(function, index), source = name;
  Value scalar = argument;
  if (isa<RankedTensorType>(argument.getType())) {
    scalar = tensor::ExtractOp::create(builder, loc, argument, ValueRange());
    source += ".item()";
  }
  FailureOr<Expr> expr = readDeclared(declared, source);
  if (failed(expr))
    return failure();
  bool isUnsigned =
      static_cast<bool>(function.getArgAttr(index, attr_names::kUnsigned));
  return addEquation(toSymbolType(scalar, expr->getType(), isUnsigned), *expr,
                     std::move(source), std::move(name), /*isSize=*/false);
}

/// Reads the sizes of a tensor of which something is declared.
LogicalResult SymbolBinder::collectSizes(BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  auto shape = function.getArgAttrOfType<ShapeAttr>(index, attr_names::kShape);
  if (!shape)
    return success();
  auto type = cast<RankedTensorType>(argument.getType());
  std::string name = getArgumentName(function, index);
  for (auto [dim, size] : llvm::enumerate(shape.getSizes())) {
    int64_t known = 0;
    if (!type.isDynamicDim(dim) && !size.getText().getAsInteger(10, known) &&
        known == type.getDimSize(dim))
      continue;
    std::string source = name + ".size(" + std::to_string(dim) + ")";
    FailureOr<Expr> expr = readDeclared(size, source);
    if (failed(expr))
      return failure();
    Value value = builder.createOrFold<tensor::DimOp>(loc, argument, dim);
    if (failed(addEquation(value, *expr, std::move(source), name,
                           /*isSize=*/true)))
      return failure();
  }
  return success();
}

LogicalResult SymbolBinder::collectEquations() {
  for (BlockArgument argument : function.getArguments()) {
    loc = getDeclarationLoc(argument);
    if (failed(collectValue(argument)) || failed(collectSizes(argument)))
      return failure();
  }
  return success();
}

/// The first place where a symbol stands alone defines it.
void SymbolBinder::bindFromArguments() {
  for (Equation &equation : equations) {
    Expr symbol = equation.declared;
    if (!symbol.isSymbol() || !isUnknown(symbol))
      continue;
    equation.isUsed = true;
    loc = equation.loc;
    define(symbol, equation.value, equation.source, equation.argument,
           equation.isSize);
    if (equation.isSize)
      facts.setRange(symbol, Interval::of(0, getMaxArgumentSize(function)));
  }
}

/// Checks what an equation states beyond defining a symbol.
void SymbolBinder::checkEquations() {
  for (Equation &equation : equations) {
    if (equation.isUsed)
      continue;
    loc = equation.loc;
    values[equation.unknown] = equation.value;
    emitCheck(context.eq(equation.unknown, equation.declared), {},
              equation.argument);
  }
}

//===----------------------------------------------------------------------===//
// Defining a symbol
//===----------------------------------------------------------------------===//

/// A scalar as a value of a symbol: index, i1 or f64.
Value SymbolBinder::toSymbolType(Value value, symbolic::SymbolType type,
                                 bool isUnsigned) {
  Type from = value.getType();
  if (type == symbolic::SymbolType::Float) {
    FloatType f64 = builder.getF64Type();
    return from == f64 ? value
                       : arith::ExtFOp::create(builder, loc, f64, value);
  }
  if (type == symbolic::SymbolType::Bool || from.isIndex())
    return value;
  Type index = builder.getIndexType();
  if (isUnsigned || from.isInteger(1))
    return arith::IndexCastUIOp::create(builder, loc, index, value);
  return arith::IndexCastOp::create(builder, loc, index, value);
}

/// States what is declared of a symbol, about the raw value.
void SymbolBinder::emitDeclaration(Expr symbol, Value raw, StringRef declaredBy,
                                   bool isSize) {
  SymbolDeclAttr decl = lookupDeclared(symbol.getName());
  auto emit = [&](Expr condition) {
    emitCheck(condition, {{symbol, raw}}, declaredBy, /*requiredBy=*/{},
              decl.getAssumed());
  };
  if (auto lower = decl.getLower(); lower && !(isSize && *lower <= 0))
    emit(context.ge(symbol, context.constant(*lower)));
  if (auto upper = decl.getUpper())
    emit(context.le(symbol, context.constant(*upper)));
  if (int64_t divisor = decl.getDivisor(); divisor != 1)
    emit(context.eq(context.mod(symbol, context.constant(divisor)),
                    context.zero()));
}

/// States what is declared of a symbol, and names its value.
void SymbolBinder::define(Expr symbol, Value raw, StringRef source,
                          StringRef declaredBy, bool isSize) {
  SymbolDeclAttr decl = lookupDeclared(symbol.getName());
  bool isInt = symbol.isInt();
  std::optional<int64_t> lower = decl.getLower(), upper = decl.getUpper();
  if (isInt)
    emitDeclaration(symbol, raw, declaredBy, isSize);
  if (isSize)
    facts.setRange(symbol,
                   Interval::of(0, std::numeric_limits<int64_t>::max()));
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
  LDBG() << symbol.getName() << " is read from "
         << (origin.empty() ? "a value" : origin);
  values[symbol] = op.getResult();
  definitions[symbol] = op;
}

/// A name for a value that is no symbol, after where it comes from: none of
/// those that the check has already, but perhaps that of another check.
Expr SymbolBinder::getLocalName(Value value, symbolic::SymbolType type,
                                const llvm::DenseSet<Expr> &taken) {
  std::string chosen = chooseName(value);
  for (unsigned suffix = 0;; ++suffix) {
    std::string name =
        suffix == 0 ? chosen : chosen + "_" + std::to_string(suffix);
    Expr known = context.lookup(name);
    if (!known) {
      known = context.symbol(name, type);
      localNames.insert(known);
    }
    if (known.getType() == type && localNames.contains(known) &&
        !taken.contains(known))
      return known;
  }
}

/// Adds a check whose symbols are bound, or given as locals, unless it is true
/// by its form.
void SymbolBinder::emitCheck(Expr condition,
                             ArrayRef<std::pair<Expr, Value>> locals,
                             StringRef declaredBy, StringRef requiredBy,
                             bool isAssumed, StringRef message) {
  if (condition.isTrue())
    return;
  SmallVector<Value> operands;
  SmallVector<std::string> names;
  symbolic::Substitution printed;
  llvm::DenseSet<Expr> taken;
  for (Expr symbol : context.freeSymbols(condition)) {
    Value value = lookup(symbol);
    for (auto [local, localValue] : locals)
      if (local == symbol)
        value = localValue;
    Expr name = symbol;
    if (symbol.isAnonymous()) {
      name = getLocalName(value, symbol.getType(), taken);
      taken.insert(name);
      printed[symbol] = name;
    }
    operands.push_back(value);
    names.push_back(name.getName().str());
  }
  SmallVector<StringRef> nameRefs(names.begin(), names.end());
  auto text = ExprAttr::get(builder.getContext(),
                            context.substitute(condition, printed).str());
  auto emit = [&](auto statement) {
    if (!declaredBy.empty())
      statement.setDeclaredBy(declaredBy);
    if (!requiredBy.empty())
      statement.setRequiredBy(requiredBy);
    if (!message.empty())
      statement.setMessage(message);
  };
  // Every call of a private function checks what it declares.
  if (isAssumed ||
      (!declaredBy.empty() && function->hasAttr(attr_names::kCheckedByCallers)))
    emit(AssumeOp::create(builder, loc, text, operands, nameRefs));
  else
    emit(CheckOp::create(builder, loc, text, operands, nameRefs));
}

LogicalResult tally::bindSymbols(FunctionOpInterface function) {
  return SymbolBinder(function).run();
}

namespace {
struct BindSymbolsPass : tally::impl::BindSymbolsBase<BindSymbolsPass> {
  void runOnOperation() override {
    if (failed(
            forEachFunction(getOperation(), [&](FunctionOpInterface function) {
              warnWithoutSymbols(function, getArgument());
              return bindSymbols(function);
            })))
      signalPassFailure();
  }
};
} // namespace
