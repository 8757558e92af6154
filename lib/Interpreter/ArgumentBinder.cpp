//===- ArgumentBinder.cpp - The symbols of arguments ----------------------===//
//
// The declarations of arguments are a system of equations: the expression of
// each size and scalar has the value that is given. It is solved for the
// symbols, the first place where one stands alone first, and what is left has
// to hold.
//
//===----------------------------------------------------------------------===//

#include "ArgumentBinder.h"
#include "Names.h"

#include "tally/IR/Signatures.h"
#include "tally/Symbolic/Text/Parser.h"

using namespace llvm;
using namespace tally;
using namespace tally::interpreter;
using mlir::Operation;
using symbolic::EvalResult;
using symbolic::Expr;

namespace {

/// One thing that is declared of an argument: a value that is an expression.
struct Equation {
  std::string source;
  std::string argument;
  /// Where the argument is declared.
  mlir::Location loc;
  ExprAttr declared;
  symbolic::Value actual;
  bool isUsed = false;
};

/// Binds the symbols of one call.
class ArgumentBinder {
public:
  ArgumentBinder(mlir::FunctionOpInterface function,
                 ArrayRef<RuntimeValue> arguments, Operation *site,
                 Execution &execution)
      : function(function), arguments(arguments), execution(execution),
        table(SymbolsAttr::get(function)),
        where(site ? site : function.getOperation()) {
    auto symbol = dyn_cast<mlir::SymbolOpInterface>(function.getOperation());
    isCallersDuty =
        site && symbol && !symbol.isPublic() && tellsItsSymbols(function);
    if (!isCallersDuty)
      where = function;
  }

  LogicalResult run();

private:
  LogicalResult collect();
  LogicalResult bindAlone();
  LogicalResult solve();
  FailureOr<bool> solveOne(Equation &equation);
  LogicalResult solveTogether();
  LogicalResult defineFrom(const Equation &equation, StringRef name,
                           const DynamicAPInt &dividend,
                           const DynamicAPInt &divisor);
  LogicalResult checkRest();
  LogicalResult define(StringRef name, symbolic::Value value,
                       const Equation &equation);
  LogicalResult refuse(const Twine &expression, const Equation &equation,
                       std::vector<std::pair<std::string, std::string>> values);
  LogicalResult checkSolved();
  bool isUnknown(StringRef name) const {
    return !execution.getNames().contains(name);
  }
  /// The expression with what is known put in; an unknown symbol is its
  /// divisor times what the same name stands for.
  Expr substitute(symbolic::ExprContext &context, ExprAttr declared);
  LogicalResult checkDetermined();

  mlir::FunctionOpInterface function;
  ArrayRef<RuntimeValue> arguments;
  Execution &execution;
  SymbolsAttr table;
  Operation *where;
  bool isCallersDuty;
  SmallVector<Equation> equations;
};

} // namespace

LogicalResult ArgumentBinder::refuse(
    const Twine &expression, const Equation &equation,
    std::vector<std::pair<std::string, std::string>> values) {
  CheckFailure failure(isCallersDuty ? where->getLoc() : equation.loc);
  failure.kind = CheckFailure::Kind::Declaration;
  failure.expression = expression.str();
  failure.values = std::move(values);
  if (isCallersDuty)
    failure.requiredBy = where->getName().getStringRef().str();
  else
    failure.declaredBy = equation.argument;
  return execution.fail(std::move(failure));
}

/// Reads everything of which something is declared, in the order of arguments.
LogicalResult ArgumentBinder::collect() {
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    std::string name = getArgumentName(function, index);
    mlir::Location loc = getDeclarationLoc(function.getArgument(index));
    const RuntimeValue &value = arguments[index];
    if (auto declared =
            function.getArgAttrOfType<ExprAttr>(index, attr_names::kValue)) {
      mlir::Type type =
          mlir::getElementTypeOrSelf(function.getArgumentTypes()[index]);
      Scalar scalar =
          value.isTensor() ? value.getTensor().get(0) : value.getScalar();
      if (scalar.isPoison())
        return execution.observedPoison(where, "argument '" + name + "'");
      bool isUnsigned =
          static_cast<bool>(function.getArgAttr(index, attr_names::kUnsigned));
      equations.push_back({value.isTensor() ? name + ".item()" : name, name,
                           loc, declared,
                           toSymbolic(scalar, type, isUnsigned)});
    }
    auto shape =
        function.getArgAttrOfType<ShapeAttr>(index, attr_names::kShape);
    if (!shape)
      continue;
    for (auto [dim, size] : llvm::enumerate(shape.getSizes()))
      equations.push_back(
          {name + ".size(" + std::to_string(dim) + ")", name, loc, size,
           symbolic::Value::ofInt(value.getTensor().getDim(dim))});
  }
  // A boolean may be declared to be the integer 0 or 1.
  for (Equation &equation : equations) {
    if (equation.actual.getType() != symbolic::SymbolType::Bool)
      continue;
    SymbolDeclAttr decl = table.lookup(equation.declared.getText());
    if (decl && decl.getType() == SymbolType::Int)
      equation.actual = symbolic::Value::ofInt(equation.actual.getBool());
  }
  return success();
}

/// Gives a symbol its value, and checks what is declared of it.
LogicalResult ArgumentBinder::define(StringRef name, symbolic::Value value,
                                     const Equation &equation) {
  SymbolDeclAttr decl = table.lookup(name);
  execution.getNames()[name] = value;
  if (!decl || value.getType() != symbolic::SymbolType::Int)
    return success();
  auto check = [&](bool holds, const Twine &expression) -> LogicalResult {
    if (holds)
      return success();
    if (decl.getAssumed())
      return execution.error(RunError::Kind::Undefined, where,
                             "what is assumed does not hold: " + expression);
    return refuse(expression, equation, {{name.str(), printSymbolic(value)}});
  };
  const DynamicAPInt &number = value.getInt();
  if (std::optional<int64_t> lower = decl.getLower())
    if (failed(check(number >= *lower, Twine(*lower) + " <= " + name)))
      return failure();
  if (std::optional<int64_t> upper = decl.getUpper())
    if (failed(check(number <= *upper, name + " <= " + Twine(*upper))))
      return failure();
  int64_t divisor = decl.getDivisor();
  if (divisor == 1)
    return success();
  return check(mod(number, DynamicAPInt(divisor)) == 0,
               name + " mod " + Twine(divisor) + " == 0");
}

/// The first place where a symbol stands alone defines it.
LogicalResult ArgumentBinder::bindAlone() {
  for (Equation &equation : equations) {
    StringRef text = equation.declared.getText();
    if (!table.lookup(text) || !isUnknown(text))
      continue;
    equation.isUsed = true;
    if (failed(define(text, equation.actual, equation)))
      return failure();
  }
  return success();
}

Expr ArgumentBinder::substitute(symbolic::ExprContext &context,
                                ExprAttr declared) {
  symbolic::ParseResult parsed = symbolic::parseExpr(
      declared.getText(), context, [&](StringRef name) -> Expr {
        SymbolDeclAttr decl = table.lookup(name);
        if (!decl)
          return {};
        auto known = execution.getNames().find(name);
        if (known == execution.getNames().end()) {
          Expr symbol = context.symbol(name, getEngineType(decl.getType()));
          return symbol.isInt() && !decl.getAssumed()
                     ? context.mul(context.constant(decl.getDivisor()), symbol)
                     : symbol;
        }
        switch (known->second.getType()) {
        case symbolic::SymbolType::Int:
          return context.constant(known->second.getInt());
        case symbolic::SymbolType::Bool:
          return context.boolean(known->second.getBool());
        case symbolic::SymbolType::Float:
          return context.floatConstant(known->second.getFloat());
        }
        return {};
      });
  return parsed.expr;
}

/// The multiple of each symbol in a sum, and the constant; nothing where the
/// expression is something else.
static std::optional<std::pair<SmallVector<symbolic::Term>, DynamicAPInt>>
getLinear(Expr expr, symbolic::ExprContext &context) {
  if (!expr || !expr.isInt())
    return std::nullopt;
  SmallVector<symbolic::Term> terms;
  for (const symbolic::Term &term : symbolic::getTerms(expr, context)) {
    if (term.monomial.isConstant())
      continue;
    if (!term.monomial.isSymbol())
      return std::nullopt;
    terms.push_back(term);
  }
  return std::make_pair(std::move(terms), symbolic::getConstantTerm(expr));
}

/// Solves an equation with one unknown; false where it has none or several.
FailureOr<bool> ArgumentBinder::solveOne(Equation &equation) {
  symbolic::ExprContext context;
  if (equation.isUsed || equation.actual.getType() != symbolic::SymbolType::Int)
    return false;
  auto linear = getLinear(substitute(context, equation.declared), context);
  if (!linear || linear->first.size() != 1)
    return false;
  equation.isUsed = true;
  const symbolic::Term &term = linear->first.front();
  if (failed(defineFrom(equation, term.monomial.getName(),
                        equation.actual.getInt() - linear->second,
                        term.coefficient)))
    return failure();
  return true;
}

/// Defines a symbol as a quotient, which has to be exact.
LogicalResult ArgumentBinder::defineFrom(const Equation &equation,
                                         StringRef name,
                                         const DynamicAPInt &dividend,
                                         const DynamicAPInt &divisor) {
  if (mod(dividend, abs(divisor)) != 0)
    return refuse(equation.source + " == " + equation.declared.getText(),
                  equation,
                  {{equation.source, printSymbolic(equation.actual)}});
  SymbolDeclAttr decl = table.lookup(name);
  DynamicAPInt factor(decl.getAssumed() ? 1 : decl.getDivisor());
  return define(name, symbolic::Value::ofInt(dividend / divisor * factor),
                equation);
}

/// Every symbol that the arguments mention has got its value.
LogicalResult ArgumentBinder::checkSolved() {
  std::string names;
  for (const Equation &equation : equations) {
    if (equation.isUsed)
      continue;
    symbolic::ExprContext context;
    Expr rest = substitute(context, equation.declared);
    if (rest && !context.freeSymbols(rest).empty())
      names += (names.empty() ? "" : ", ") + equation.source + " = " +
               equation.declared.getText().str();
  }
  if (names.empty())
    return success();
  return execution.unsupported(
      function, "the arguments do not tell every symbol: " + names);
}

namespace {
/// An equation: the sum of the unknowns, each times its coefficient, is `rest`.
struct Row {
  Equation *equation = nullptr;
  SmallVector<DynamicAPInt> coefficients;
  DynamicAPInt rest;

  /// Removes an unknown with the help of a row that has it.
  void eliminate(unsigned unknown, const Row &pivot) {
    DynamicAPInt factor = coefficients[unknown],
                 scale = pivot.coefficients[unknown];
    for (auto [mine, other] : zip_equal(coefficients, pivot.coefficients))
      mine = mine * scale - other * factor;
    rest = rest * scale - pivot.rest * factor;
  }
};
} // namespace

/// Gaussian elimination, in integers, over the equations that share unknowns.
LogicalResult ArgumentBinder::solveTogether() {
  symbolic::ExprContext context;
  SmallVector<Expr> unknowns;
  SmallVector<Row> rows;
  for (Equation &equation : equations) {
    if (equation.isUsed ||
        equation.actual.getType() != symbolic::SymbolType::Int)
      continue;
    auto linear = getLinear(substitute(context, equation.declared), context);
    if (!linear || linear->first.empty())
      continue;
    Row &row = rows.emplace_back();
    row.equation = &equation;
    row.rest = equation.actual.getInt() - linear->second;
    row.coefficients.resize(unknowns.size());
    for (const symbolic::Term &term : linear->first) {
      auto *found = llvm::find(unknowns, term.monomial);
      if (found == unknowns.end()) {
        unknowns.push_back(term.monomial);
        row.coefficients.push_back(term.coefficient);
      } else {
        row.coefficients[found - unknowns.begin()] = term.coefficient;
      }
    }
  }
  for (Row &row : rows)
    row.coefficients.resize(unknowns.size());
  for (unsigned unknown = 0; unknown < unknowns.size(); ++unknown) {
    auto *pivot = std::find_if(
        rows.begin() + std::min<size_t>(unknown, rows.size()), rows.end(),
        [&](const Row &row) { return row.coefficients[unknown] != 0; });
    if (pivot == rows.end())
      return checkSolved();
    std::swap(rows[unknown], *pivot);
    for (unsigned i = 0; i < rows.size(); ++i)
      if (i != unknown)
        rows[i].eliminate(unknown, rows[unknown]);
  }
  for (auto [index, unknown] : enumerate(unknowns))
    if (failed(defineFrom(*rows[index].equation, unknown.getName(),
                          rows[index].rest, rows[index].coefficients[index])))
      return failure();
  return checkSolved();
}

/// An equation in which the factor of an unknown symbol is 0 does not tell it.
LogicalResult ArgumentBinder::checkDetermined() {
  for (const Equation &equation : equations) {
    symbolic::ExprContext context;
    Expr rest = substitute(context, equation.declared);
    if (equation.isUsed || !rest || !rest.isConstant())
      continue;
    for (Expr symbol : context.getSymbols())
      if (isUnknown(symbol.getName()))
        return refuse("the factor of " + symbol.getName() + " in " +
                          equation.declared.getText() + " != 0",
                      equation,
                      {{equation.source, printSymbolic(equation.actual)}});
  }
  return success();
}

LogicalResult ArgumentBinder::solve() {
  for (bool progress = true; progress;) {
    progress = false;
    for (Equation &equation : equations) {
      FailureOr<bool> solved = solveOne(equation);
      if (failed(solved))
        return failure();
      progress |= *solved;
    }
  }
  if (failed(checkDetermined()))
    return failure();
  return solveTogether();
}

/// Checks what an equation states beyond defining a symbol.
LogicalResult ArgumentBinder::checkRest() {
  for (Equation &equation : equations) {
    if (equation.isUsed)
      continue;
    std::vector<std::pair<std::string, std::string>> values;
    std::optional<EvalResult> declared = evaluateText(
        equation.declared.getText(), {}, where, execution, &values);
    if (!declared)
      return failure();
    values.emplace_back(equation.source, printSymbolic(equation.actual));
    if (!declared->isDefined() || declared->value != equation.actual)
      return refuse(equation.declared.getText() + " == " + equation.source,
                    equation, std::move(values));
  }
  return success();
}

LogicalResult ArgumentBinder::run() {
  if (failed(collect()) || failed(bindAlone()) || failed(solve()))
    return failure();
  return checkRest();
}

/// Whether the names of the function have their values already.
static bool isBound(mlir::FunctionOpInterface function) {
  return function.walk([](SymbolOp) { return mlir::WalkResult::interrupt(); })
      .wasInterrupted();
}

LogicalResult
tally::interpreter::bindArguments(mlir::FunctionOpInterface function,
                                  ArrayRef<RuntimeValue> arguments,
                                  Operation *site, Execution &execution) {
  if (!SymbolsAttr::get(function) || isBound(function))
    return success();
  return ArgumentBinder(function, arguments, site, execution).run();
}
