//===- Names.cpp - Symbols of the named form ------------------------------===//
//
// The meaning of a text is computed from the text as it is written, not from
// what the engine makes of it.
//
//===----------------------------------------------------------------------===//

#include "Names.h"

#include "tally/Symbolic/Text/Parser.h"

using namespace llvm;
using namespace tally;
using namespace tally::interpreter;
using mlir::Operation;
using symbolic::EvalResult;
using symbolic::Expr;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

symbolic::Value tally::interpreter::toSymbolic(const Scalar &scalar,
                                               mlir::Type type,
                                               bool isUnsigned) {
  if (isa<mlir::FloatType>(type)) {
    APFloat value = scalar.getFloat(type);
    bool losesInfo = false;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return symbolic::Value::ofFloat(value.convertToDouble());
  }
  if (type.isInteger(1))
    return symbolic::Value::ofBool(scalar.getBool());
  APInt bits = scalar.getBits();
  if (isUnsigned)
    bits = bits.zext(bits.getBitWidth() + 1);
  return symbolic::Value::ofInt(DynamicAPInt(bits));
}

std::string
tally::interpreter::getArgumentName(mlir::FunctionOpInterface function,
                                    unsigned index) {
  if (auto name =
          function.getArgAttrOfType<mlir::StringAttr>(index, attr_names::kName))
    return name.getValue().str();
  return "arg" + std::to_string(index);
}

bool tally::interpreter::hasValues(StringRef text, Execution &execution) {
  symbolic::ExprContext context;
  bool hasAll = true;
  (void)symbolic::parseExpr(text, context, [&](StringRef name) -> Expr {
    auto found = execution.getNames().find(name);
    hasAll &= found != execution.getNames().end();
    return hasAll ? context.symbol(name, found->second.getType()) : Expr();
  });
  return hasAll;
}

std::string tally::interpreter::printSymbolic(const symbolic::Value &value) {
  std::string text;
  raw_string_ostream os(text);
  switch (value.getType()) {
  case symbolic::SymbolType::Int:
    os << value.getInt();
    break;
  case symbolic::SymbolType::Bool:
    os << (value.getBool() ? "true" : "false");
    break;
  case symbolic::SymbolType::Float: {
    SmallString<32> digits;
    APFloat(value.getFloat()).toString(digits);
    os << digits;
    break;
  }
  }
  return text;
}

std::optional<EvalResult> tally::interpreter::evaluateText(
    StringRef text, const NameTable &locals, Operation *op,
    Execution &execution,
    std::vector<std::pair<std::string, std::string>> *mentioned) {
  symbolic::ExprContext context;
  DenseMap<Expr, symbolic::Value> assignment;
  std::string unknown;
  symbolic::ParseResult parsed =
      symbolic::parseAsWritten(text, context, [&](StringRef name) -> Expr {
        auto found = locals.find(name);
        bool isKnown = found != locals.end();
        if (!isKnown) {
          found = execution.getNames().find(name);
          isKnown = found != execution.getNames().end();
        }
        if (!isKnown) {
          unknown = name.str();
          return {};
        }
        Expr symbol = context.symbol(name, found->second.getType());
        if (assignment.try_emplace(symbol, found->second).second && mentioned)
          mentioned->emplace_back(name.str(), printSymbolic(found->second));
        return symbol;
      });
  if (!unknown.empty()) {
    (void)execution.error(RunError::Kind::Undefined, op,
                          "symbol '" + unknown + "' has no value here");
    return std::nullopt;
  }
  if (!parsed) {
    (void)execution.unsupported(op,
                                "in '" + text + "': " + parsed.errorMessage);
    return std::nullopt;
  }
  return symbolic::evaluate(*parsed, assignment);
}

//===----------------------------------------------------------------------===//
// Results of operations
//===----------------------------------------------------------------------===//

/// The number that a key path reads, before it is divided.
static FailureOr<symbolic::Value>
readKeyPath(Operation *op, BindingAttr binding, Execution &execution) {
  mlir::Value result = op->getResult(binding.getResult());
  const RuntimeValue &value = execution.get(result);
  switch (binding.getKind()) {
  case KeyPathKind::Value: {
    Scalar scalar =
        value.isTensor() ? value.getTensor().get(0) : value.getScalar();
    if (scalar.isPoison())
      return execution.observedPoison(op,
                                      "symbol '" + binding.getSymbol() + "'");
    return toSymbolic(scalar, mlir::getElementTypeOrSelf(result.getType()));
  }
  case KeyPathKind::Size:
    return symbolic::Value::ofInt(value.getTensor().getDim(binding.getDim()));
  case KeyPathKind::StorageOffset:
    return symbolic::Value::ofInt(int64_t(0));
  case KeyPathKind::Stride: {
    DynamicAPInt stride(1);
    for (int64_t size :
         value.getTensor().getShape().drop_front(binding.getDim() + 1))
      stride *= size;
    return symbolic::Value::ofInt(stride);
  }
  }
  return failure();
}

static LogicalResult bindResult(Operation *op, BindingAttr binding,
                                SymbolDeclAttr decl, Execution &execution) {
  FailureOr<symbolic::Value> read = readKeyPath(op, binding, execution);
  if (failed(read))
    return failure();
  symbolic::Value value = *read;
  if (value.getType() == symbolic::SymbolType::Bool && decl &&
      decl.getType() == SymbolType::Int)
    value = symbolic::Value::ofInt(value.getBool());
  StringRef name = binding.getSymbol();
  auto check = [&](bool holds, const Twine &expression, bool isAssumed,
                   StringRef requiredBy) -> LogicalResult {
    if (holds)
      return success();
    if (isAssumed)
      return execution.error(RunError::Kind::Undefined, op,
                             "what is assumed does not hold: " + expression);
    CheckFailure failure(op->getLoc());
    failure.kind = CheckFailure::Kind::Declaration;
    failure.expression = expression.str();
    failure.requiredBy = requiredBy.str();
    failure.values.emplace_back(name.str(), printSymbolic(value));
    return execution.fail(std::move(failure));
  };
  if (value.getType() != symbolic::SymbolType::Int) {
    execution.getNames()[name] = value;
    return success();
  }
  if (int64_t divisor = binding.getDivisor(); divisor != 1) {
    if (failed(check(mod(value.getInt(), DynamicAPInt(divisor)) == 0,
                     printSymbolic(value) + " mod " + Twine(divisor) + " == 0",
                     false, op->getName().getStringRef())))
      return failure();
    value = symbolic::Value::ofInt(value.getInt() / DynamicAPInt(divisor));
  }
  execution.getNames()[name] = value;
  if (!decl)
    return success();
  bool isAssumed = decl.getAssumed();
  const DynamicAPInt &number = value.getInt();
  if (auto lower = decl.getLower())
    if (failed(check(number >= *lower, Twine(*lower) + " <= " + name, isAssumed,
                     "")))
      return failure();
  if (auto upper = decl.getUpper())
    if (failed(check(number <= *upper, name + " <= " + Twine(*upper), isAssumed,
                     "")))
      return failure();
  return check(decl.getDivisor() == 1 ||
                   mod(number, DynamicAPInt(decl.getDivisor())) == 0,
               name + " mod " + Twine(decl.getDivisor()) + " == 0", isAssumed,
               "");
}

LogicalResult tally::interpreter::bindResults(UnbackedBindingOpInterface op,
                                              Execution &execution) {
  BindingsAttr bindings = op.getSymbolBindings();
  if (!bindings)
    return success();
  SymbolsAttr table = SymbolsAttr::getEnclosing(op);
  for (BindingAttr binding : bindings.getBindings())
    if (failed(bindResult(op, binding,
                          table ? table.lookup(binding.getSymbol())
                                : SymbolDeclAttr(),
                          execution)))
      return failure();
  return success();
}
