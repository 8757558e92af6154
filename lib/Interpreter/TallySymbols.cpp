//===- TallySymbols.cpp - Sizes, checks and constants of tally ------------===//

#include "Handlers.h"
#include "Names.h"

#include "tally/IR/ElementBounds.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <limits>

using namespace llvm;
using namespace mlir;
using namespace tally;
using namespace tally::interpreter;
using symbolic::EvalResult;

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Ends the run because an expression has no value, or one that is too large.
static LogicalResult refuseSize(SizeOp op, StringRef message, NamedTexts values,
                                Execution &execution) {
  CheckFailure failure(op.getLoc());
  failure.kind = CheckFailure::Kind::Precondition;
  failure.message = message.str() + ": " + op.getExpr().getText().str();
  failure.values = std::move(values);
  failure.requiredBy = op->getName().getStringRef().str();
  return execution.fail(std::move(failure));
}

/// The float nearest to a double.
static Scalar roundTo(double value, mlir::Type type) {
  APFloat result(value);
  bool losesInfo = false;
  result.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return Scalar(result);
}

static LogicalResult runSize(SizeOp op, Execution &execution) {
  NamedTexts values;
  std::optional<EvalResult> result =
      evaluateText(op.getExpr().getText(), {}, op, execution, &values);
  if (!result)
    return failure();
  if (result->error == symbolic::EvalError::DivisionByZero)
    return refuseSize(op, "a division by zero", std::move(values), execution);
  if (!result->isDefined())
    return refuseSize(op, "the number is undefined", std::move(values),
                      execution);
  mlir::Type type = op.getType();
  switch (result->value.getType()) {
  case symbolic::SymbolType::Bool:
    execution.set(op, Scalar::ofBool(result->value.getBool()));
    return success();
  case symbolic::SymbolType::Float:
    execution.set(op, roundTo(result->value.getFloat(), type));
    return success();
  case symbolic::SymbolType::Int:
    break;
  }
  const DynamicAPInt &number = result->value.getInt();
  if (number > std::numeric_limits<int64_t>::max() ||
      number < std::numeric_limits<int64_t>::min())
    return refuseSize(op, "the number does not fit 64 bits", std::move(values),
                      execution);
  auto value = static_cast<int64_t>(number);
  if (isa<FloatType>(type)) {
    APFloat real(cast<FloatType>(type).getFloatSemantics());
    real.convertFromAPInt(APInt(64, static_cast<uint64_t>(value)),
                          /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    execution.set(op, Scalar(real));
    return success();
  }
  execution.set(op, Scalar(APInt(64, static_cast<uint64_t>(value))
                               .sextOrTrunc(*getBitWidth(type))));
  return success();
}

/// A fact that is declared has been checked: one that does not hold is a fault
/// of who made the program, or left the check out.
static LogicalResult runSymbol(SymbolOp op, Execution &execution) {
  Scalar scalar = execution.getScalar(op.getSource());
  bool hasFacts = op.getLower() || op.getUpper() || op.getDivisor() != 1;
  if (hasFacts && scalar.isPoison())
    return execution.observedPoison(op, "symbol '" + op.getName() + "'");
  if (hasFacts && op.getType().isIntOrIndex()) {
    int64_t value = scalar.getInt();
    if ((op.getLower() && value < static_cast<int64_t>(*op.getLower())) ||
        (op.getUpper() && value > static_cast<int64_t>(*op.getUpper())) ||
        value % static_cast<int64_t>(op.getDivisor()) != 0)
      return execution.error(
          RunError::Kind::Undefined, op,
          "what is declared of symbol '" + op.getName() +
              "' does not hold, and nothing has checked it: it is " +
              Twine(value));
  }
  execution.set(op, std::move(scalar));
  return success();
}

static LogicalResult runSpeculationBarrier(SpeculationBarrierOp op,
                                           Execution &execution) {
  execution.set(op, execution.get(op.getSource()));
  return success();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// The values that a statement gives to names of its own.
static FailureOr<NameTable> readLocals(Operation *op, ValueRange values,
                                       ArrayAttr names, Execution &execution) {
  NameTable locals;
  for (auto [value, name] : zip_equal(values, names)) {
    const Scalar &scalar = execution.getScalar(value);
    if (scalar.isPoison())
      return execution.observedPoison(
          op, "'" + cast<StringAttr>(name).getValue() + "' of a check");
    locals[cast<StringAttr>(name).getValue()] =
        toSymbolic(scalar, value.getType());
  }
  return locals;
}

/// Whether a `tally.check` or `tally.assume` holds. A condition without a value
/// does not.
template <typename OpT>
static FailureOr<bool> holds(OpT op, Execution &execution, NamedTexts &values) {
  FailureOr<NameTable> locals =
      readLocals(op, op.getValues(), op.getNames(), execution);
  if (failed(locals))
    return failure();
  std::optional<EvalResult> result = evaluateText(
      op.getCondition().getText(), *locals, op, execution, &values);
  if (!result)
    return failure();
  return result->isDefined() && result->value.getBool();
}

/// Where a value comes from: what a symbol says, or the argument whose size it
/// is. Empty for anything else.
static std::string getSource(mlir::Value value, Execution &execution) {
  if (auto symbol = value.getDefiningOp<SymbolOp>())
    return symbol.getOrigin().value_or("").str();
  auto dim = value.getDefiningOp<tensor::DimOp>();
  auto argument =
      dim ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  const Scalar *index =
      function ? &execution.getScalar(dim.getIndex()) : nullptr;
  if (!index || index->isPoison())
    return "";
  return getArgumentName(function, argument.getArgNumber()) + ".size(" +
         std::to_string(index->getInt()) + ")";
}

/// A failure with what a statement says about itself.
template <typename OpT>
static CheckFailure makeFailure(OpT op) {
  CheckFailure failure(op.getLoc());
  if (op.getMessage())
    failure.message = op.getMessage()->str();
  if (op.getRequiredBy())
    failure.requiredBy = op.getRequiredBy()->str();
  if (op.getDeclaredBy())
    failure.declaredBy = op.getDeclaredBy()->str();
  return failure;
}

static LogicalResult runCheck(CheckOp op, Execution &execution) {
  NamedTexts values;
  FailureOr<bool> isRight = holds(op, execution, values);
  if (failed(isRight) || *isRight)
    return success(succeeded(isRight));
  CheckFailure failure = makeFailure(op);
  failure.expression = op.getCondition().getText().str();
  failure.values = std::move(values);
  for (auto [value, name] : zip_equal(op.getValues(), op.getNames()))
    failure.sources[cast<StringAttr>(name).str()] = getSource(value, execution);
  return execution.fail(std::move(failure));
}

static LogicalResult runAssume(AssumeOp op, Execution &execution) {
  NamedTexts values;
  FailureOr<bool> isRight = holds(op, execution, values);
  if (failed(isRight) || *isRight)
    return success(succeeded(isRight));
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? " (" : ", ") + name + " = " + value;
  return execution.error(
      RunError::Kind::Undefined, op,
      "what is assumed does not hold: " + op.getCondition().getText() + text +
          (text.empty() ? "" : ")"));
}

static LogicalResult runAssert(AssertOp op, Execution &execution) {
  FailureOr<bool> condition = execution.observeBool(op, op.getCondition());
  if (failed(condition))
    return failure();
  if (*condition) {
    for (auto [guarded, result] : zip_equal(op.getGuarded(), op.getResults()))
      execution.set(result, execution.get(guarded));
    return success();
  }
  CheckFailure failure = makeFailure(op);
  if (ExprAttr expr = op.getExprAttr())
    failure.expression = expr.getText().str();
  for (auto [value, name] : zip_equal(op.getValues(), op.getNames())) {
    const Scalar &scalar = execution.getScalar(value);
    failure.values.emplace_back(
        cast<StringAttr>(name).getValue().str(),
        scalar.isPoison() ? "poison"
                          : printSymbolic(toSymbolic(scalar, value.getType())));
  }
  if (DictionaryAttr sources = op.getSourcesAttr())
    for (NamedAttribute source : sources)
      failure.sources[source.getName().str()] =
          cast<StringAttr>(source.getValue()).str();
  return execution.fail(std::move(failure));
}

//===----------------------------------------------------------------------===//
// Constants and elements
//===----------------------------------------------------------------------===//

static LogicalResult runConstant(tally::ConstantOp op, Execution &execution) {
  auto type = cast<RankedTensorType>(op.getType());
  std::optional<int64_t> bytes =
      Tensor::getNumBytes(type.getElementType(), type.getShape());
  FailureOr<StringRef> contents = execution.readFile(op, op.getFile());
  if (failed(contents))
    return failure();
  auto offset = static_cast<int64_t>(op.getOffset());
  auto size = static_cast<int64_t>(contents->size());
  if (!bytes || offset < 0 || offset > size || *bytes > size - offset)
    return execution.unsupported(op, "'" + op.getFile() +
                                         "' is too short for the constant");
  if (failed(execution.spendBytes(op, *bytes)))
    return failure();
  std::optional<ArrayRef<int64_t>> range = op.getRange();
  auto bounds =
      getElementBounds(type.getElementType(), contents->substr(offset, *bytes));
  if (range && bounds &&
      (bounds->first < range->front() || bounds->second > range->back()))
    return execution.unsupported(op, "'" + op.getFile() +
                                         "' has an element outside of the "
                                         "range of the constant");
  execution.set(op, Tensor::fromBytes(type.getElementType(), type.getShape(),
                                      contents->data() + offset));
  return success();
}

static LogicalResult runItem(ItemOp op, Execution &execution) {
  const Tensor &source = execution.getTensor(op.getSource());
  for (auto [dim, size] : enumerate(source.getShape()))
    if (failed(execution.requireEqual(op, size, 1, "size " + Twine(dim))))
      return failure();
  execution.set(op, source.get(0));
  return success();
}

void tally::interpreter::registerTallySymbols(HandlerTable &table) {
  addHandler<SizeOp>(table, runSize);
  addHandler<SymbolOp>(table, runSymbol);
  addHandler<SpeculationBarrierOp>(table, runSpeculationBarrier);
  addHandler<CheckOp>(table, runCheck);
  addHandler<AssumeOp>(table, runAssume);
  addHandler<AssertOp>(table, runAssert);
  addHandler<tally::ConstantOp>(table, runConstant);
  addHandler<ItemOp>(table, runItem);
}
