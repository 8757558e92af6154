//===- BindSymbols.cpp - Give every symbol one defining value -------------===//
//
// From the named to the bound form, in the steps that `SymbolBinder::run`
// lists: symbols that an argument gives, symbols that have to be solved for,
// symbols that operations make, and everything that mentions a name.
//
//===----------------------------------------------------------------------===//

#include "FunctionPass.h"
#include "ValueSources.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "tally/IR/Tally.h"
#include "tally/Symbolic/Parser.h"
#include "tally/Symbolic/Prover.h"
#include "tally/Transforms/ExprLowering.h"
#include "tally/Transforms/Passes.h"
#include "tally/Transforms/Transforms.h"
#include "llvm/ADT/StringSet.h"

namespace tally {
#define GEN_PASS_DEF_BINDSYMBOLS
#include "tally/Transforms/Passes.h.inc"
} // namespace tally

using namespace mlir;
using namespace tally;
using symbolic::Expr;
using symbolic::Interval;
using symbolic::Provenance;

namespace {

/// An equation that a signature states: what is read from an argument equals
/// the expression declared of it.
struct Equation {
  Value value;          ///< A size (index) or a scalar.
  Expr unknown;         ///< A local symbol that stands for the value.
  Expr declared;        ///< The expression over names.
  std::string source;   ///< `x.size(0)`.
  std::string argument; ///< The argument's name.
  bool isSize;          ///< A size of a tensor: never negative.
  bool isUsed = false;  ///< Defines a symbol.
};

class SymbolBinder {
public:
  explicit SymbolBinder(FunctionOpInterface function)
      : function(function), table(SymbolsAttr::get(function)), facts(context),
        builder(function.getContext()) {}

  LogicalResult run();

private:
  void declareSymbols();
  LogicalResult collectEquations();
  void limitProducts(ShapeAttr shape);
  LogicalResult addEquation(Value value, ExprAttr declared, std::string source,
                            StringRef argument, bool isSize);
  void bindFromArguments();
  void solveEquations();
  void checkEquations();
  LogicalResult bindUnbacked(UnbackedBindingOpInterface op);
  Value readKeyPath(Operation *op, BindingAttr binding);
  LogicalResult checkAllBound();
  LogicalResult rewrite(SizeOp size);
  template <typename OpT>
  LogicalResult rewriteStatement(OpT statement);

  void define(Expr symbol, Value raw, StringRef source, StringRef declaredBy,
              bool isSize);
  void emitCheck(Expr condition, ArrayRef<std::pair<Expr, Value>> locals,
                 StringRef declaredBy = {}, StringRef requiredBy = {});
  Value toSymbolType(Value value, symbolic::SymbolType type);
  Value lookup(Expr symbol) const { return values.lookup(symbol); }
  LogicalResult requireDominance(Operation *user, Expr symbol);

  FunctionOpInterface function;
  SymbolsAttr table;
  symbolic::ExprContext context;
  symbolic::Facts facts;
  OpBuilder builder;
  DominanceInfo dominance;
  Location loc = UnknownLoc::get(builder.getContext());
  SmallVector<Equation> equations;
  /// The value of each symbol that is bound, and the operation that made it.
  llvm::DenseMap<Expr, Value> values;
  llvm::DenseMap<Expr, Operation *> births;
};

} // namespace

/// The entry of a compiled function refuses arguments with more elements, or
/// with a larger size, whatever is declared of them.
static constexpr int64_t kMaxArgumentSize = (int64_t(1) << 48) - 1;

static symbolic::SymbolType toEngine(SymbolType type) {
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

  WalkResult uses = function.walk([&](Operation *op) {
    LogicalResult result = success();
    if (auto size = dyn_cast<SizeOp>(op))
      result = rewrite(size);
    else if (auto check = dyn_cast<CheckOp>(op))
      result = rewriteStatement(check);
    else if (auto assume = dyn_cast<AssumeOp>(op))
      result = rewriteStatement(assume);
    return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
  });
  function->removeAttr("no_inline");
  return failure(uses.wasInterrupted());
}

/// Declares the symbols in the order of the table. Every use of a symbol comes
/// after the checks of its declaration, so these are facts here.
void SymbolBinder::declareSymbols() {
  for (SymbolDeclAttr decl : table.getSymbols()) {
    symbolic::SymbolType type = toEngine(decl.getType());
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
          prover.solveFor(symbol, equation.declared, equation.unknown);
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

//===----------------------------------------------------------------------===//
// Unbacked symbols
//===----------------------------------------------------------------------===//

/// The value at the end of a key path, divided by its factor, after a check
/// that the factor divides it.
Value SymbolBinder::readKeyPath(Operation *op, BindingAttr binding) {
  Value result = op->getResult(binding.getResult());
  symbolic::SymbolType type =
      toEngine(table.lookup(binding.getSymbol()).getType());
  Value value;
  switch (binding.getKind()) {
  case KeyPathKind::Value:
    value = toSymbolType(result, type);
    break;
  case KeyPathKind::Size:
    value = tensor::DimOp::create(builder, loc, result, binding.getDim());
    break;
  case KeyPathKind::StorageOffset:
    value = arith::ConstantIndexOp::create(builder, loc, 0);
    break;
  case KeyPathKind::Stride: {
    // Results are contiguous.
    auto tensor = cast<RankedTensorType>(result.getType());
    value = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t dim = binding.getDim() + 1; dim < tensor.getRank(); ++dim)
      value = arith::MulIOp::create(
          builder, loc, value,
          tensor::DimOp::create(builder, loc, result, dim).getResult());
    break;
  }
  }
  if (binding.getDivisor() == 1)
    return value;
  Expr raw = context.anonymous("d"),
       factor = context.constant(binding.getDivisor());
  facts.setRange(raw, Interval::of(std::numeric_limits<int64_t>::min(),
                                   std::numeric_limits<int64_t>::max()));
  values[raw] = value;
  emitCheck(context.eq(context.mod(raw, factor), context.zero()),
            {{raw, value}}, /*declaredBy=*/{}, op->getName().getStringRef());
  ExprLowering lowering(builder, loc, facts, [&](Expr s) { return lookup(s); });
  return lowering.build(context.floorDiv(raw, factor));
}

LogicalResult SymbolBinder::bindUnbacked(UnbackedBindingOpInterface op) {
  BindingsAttr bindings = op.getSymbolBindings();
  if (!bindings)
    return success();
  builder.setInsertionPointAfter(op);
  loc = op.getLoc();
  for (BindingAttr binding : bindings.getBindings()) {
    Expr symbol = context.lookup(binding.getSymbol());
    if (Operation *birth = births.lookup(symbol)) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "binds symbol '" << binding.getSymbol()
                                      << "', which is bound already";
      diagnostic.attachNote(birth->getLoc()) << "first bound here";
      return diagnostic;
    }
    Value value = readKeyPath(op, binding);
    define(symbol, value, describeKeyPath(op, binding), /*declaredBy=*/{},
           /*isSize=*/binding.getKind() == KeyPathKind::Size);
  }
  op.setSymbolBindings({});
  return success();
}

/// The names that operations of the function mention.
static llvm::StringSet<> collectMentionedNames(FunctionOpInterface function) {
  llvm::StringSet<> mentioned;
  auto addNames = [&](ExprAttr expr, ArrayAttr locals) {
    symbolic::ExprContext context;
    (void)symbolic::parseExpr(expr.getText(), context,
                              symbolic::SymbolPolicy::DeclareInt);
    for (Expr symbol : context.getSymbols())
      if (!locals || !llvm::is_contained(locals.getAsValueRange<StringAttr>(),
                                         symbol.getName()))
        mentioned.insert(symbol.getName());
  };
  function.walk([&](Operation *op) {
    if (auto size = dyn_cast<SizeOp>(op))
      addNames(size.getExpr(), {});
    else if (auto check = dyn_cast<CheckOp>(op))
      addNames(check.getCondition(), check.getNames());
    else if (auto assume = dyn_cast<AssumeOp>(op))
      addNames(assume.getCondition(), assume.getNames());
  });
  return mentioned;
}

/// Every name that something mentions must have got a value.
LogicalResult SymbolBinder::checkAllBound() {
  llvm::StringSet<> mentioned = collectMentionedNames(function);
  for (const Equation &equation : equations)
    for (Expr symbol : context.freeSymbols(equation.declared))
      mentioned.insert(symbol.getName());
  for (SymbolDeclAttr decl : table.getSymbols()) {
    Expr symbol = context.lookup(decl.getName());
    if (values.contains(symbol) || !mentioned.contains(decl.getName()))
      continue;
    InFlightDiagnostic diagnostic = function.emitError()
                                    << "symbol '" << decl.getName() << "' ";
    if (decl.getUnbacked())
      return diagnostic << "is unbacked, but no operation binds it";
    diagnostic << "cannot be found from the arguments";
    for (const Equation &equation : equations)
      if (context.mentions(equation.declared, symbol))
        diagnostic << "; " << equation.source
                   << " == " << equation.declared.str()
                   << " does not determine it";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// What mentions names
//===----------------------------------------------------------------------===//

/// A symbol may be mentioned only after its birth.
LogicalResult SymbolBinder::requireDominance(Operation *user, Expr symbol) {
  Operation *birth = births.lookup(symbol);
  if (!birth || dominance.properlyDominates(birth, user))
    return success();
  InFlightDiagnostic diagnostic = user->emitOpError()
                                  << "mentions symbol '" << symbol.getName()
                                  << "' where it may not have been born";
  diagnostic.attachNote(birth->getLoc()) << "it is born here";
  return diagnostic;
}

LogicalResult SymbolBinder::rewrite(SizeOp size) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      size.getExpr().getText(), context, symbolic::SymbolPolicy::MustExist);
  if (!parsed)
    return size.emitOpError() << parsed.errorMessage;
  Expr expr = parsed.expr;
  for (Expr symbol : context.freeSymbols(expr))
    if (failed(requireDominance(size, symbol)))
      return failure();
  builder.setInsertionPoint(size);
  loc = size.getLoc();
  ExprLowering lowering(builder, loc, facts, [&](Expr s) { return lookup(s); });
  if (expr.isInt() && !lowering.fits(expr)) {
    Expr greatest = context.constant(std::numeric_limits<int64_t>::max());
    emitCheck(context.le(expr, greatest), {}, {}, "tally.size");
  }
  if (!facts.isDefined(expr))
    emitCheck(context.eq(context.residue(expr), context.zero()), {}, {},
              "tally.size");
  Value value = lowering.build(expr);
  Type type = size.getResult().getType();
  if (auto integer = dyn_cast<IntegerType>(type); integer && expr.isInt())
    value = arith::IndexCastOp::create(builder, loc, integer, value);
  else if (isa<FloatType>(type) && !type.isF64())
    value = arith::TruncFOp::create(builder, loc, type, value);
  size.replaceAllUsesWith(value);
  size.erase();
  return success();
}

/// Gives a statement the values of the names that it mentions.
template <typename OpT>
LogicalResult SymbolBinder::rewriteStatement(OpT statement) {
  symbolic::ExprContext local;
  symbolic::ParseResult parsed =
      symbolic::parseExpr(statement.getCondition().getText(), local,
                          symbolic::SymbolPolicy::DeclareInt);
  if (!parsed)
    return statement.emitOpError() << parsed.errorMessage;
  SmallVector<Attribute> names(statement.getNames().begin(),
                               statement.getNames().end());
  SmallVector<Value> operands(statement.getValues());
  for (Expr symbol : local.getSymbols()) {
    auto name = StringAttr::get(statement.getContext(), symbol.getName());
    if (llvm::is_contained(statement.getNames(), name))
      continue;
    Expr bound = context.lookup(symbol.getName());
    if (failed(requireDominance(statement, bound)))
      return failure();
    names.push_back(name);
    operands.push_back(lookup(bound));
  }
  statement->setOperands(operands);
  statement.setNamesAttr(ArrayAttr::get(statement.getContext(), names));
  return success();
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
