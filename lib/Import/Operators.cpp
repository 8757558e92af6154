//===- Operators.cpp - Operators that are registered from outside ---------===//

#include "Operators.h"

#include "Dtypes.h"

using namespace mlir;
using namespace tally;
using namespace tally::import_pt2;

void OperatorTable::addCustomCall(StringRef target, StringRef function,
                                  bool isPure) {
  add(target, [function = function.str(), isPure](ImportedCall &call) {
    return call.callCustom(function, isPure);
  });
}

namespace {
class Call : public ImportedCall {
public:
  explicit Call(Lowering &lowering) : lowering(lowering) {}

  StringRef getTarget() const override { return lowering.target; }
  OpBuilder &getBuilder() override { return lowering.b; }
  Location getLoc() const override { return lowering.loc; }

  bool has(StringRef argument) override { return lowering.has(argument); }
  Value getTensor(StringRef argument) override {
    return lowering.tensor(argument).value;
  }
  SmallVector<Value> getTensors(StringRef argument) override {
    return llvm::map_to_vector(
        lowering.tensors(argument),
        [](const Tensor &tensor) { return tensor.value; });
  }
  Value getScalar(StringRef argument) override {
    return toScalar(lowering.number(argument));
  }
  int64_t getInteger(StringRef argument, int64_t absent) override {
    return lowering.integer(argument, absent);
  }
  double getReal(StringRef argument, double absent) override {
    return lowering.real(argument, absent);
  }
  bool getFlag(StringRef argument, bool absent) override {
    return lowering.flag(argument, absent);
  }
  std::string getString(StringRef argument, StringRef absent) override {
    return lowering.string(argument, absent).str();
  }

  unsigned getNumResults() const override { return lowering.numResults(); }
  RankedTensorType getResultType(unsigned result) override {
    return lowering.tensorType(getSizes(result), lowering.resultDtype(result));
  }
  SmallVector<OpFoldResult> getResultSizes(unsigned result) override {
    return lowering.sizesOrLiterals(getSizes(result));
  }
  void setResult(Value value, unsigned result) override;
  LogicalResult callCustom(StringRef function, bool isPure) override;
  LogicalResult emitError(const Twine &message) override {
    return lowering.error(message);
  }

private:
  Value toScalar(Expr number) {
    return lowering.scalar(number, Operand::getScalarDtype(number));
  }
  Sizes getSizes(unsigned result);
  FailureOr<SmallVector<Value>> getAllArguments();

  Lowering &lowering;
};
} // namespace

/// The recorded sizes; stand-ins after an error.
Sizes Call::getSizes(unsigned result) {
  const TensorMeta *meta = lowering.resultMeta(result);
  if (!meta) {
    (void)emitError("result " + Twine(result) + " is not a tensor");
    return {};
  }
  Sizes sizes;
  for (const SymInt &number : meta->sizes) {
    Expr size = lowering.function.findRecorded(number);
    if (!size)
      (void)emitError("the arguments do not determine a size of result " +
                      Twine(result) + ", " + number.srepr);
    sizes.push_back(size ? size : lowering.literal(1));
  }
  return sizes;
}

void Call::setResult(Value value, unsigned result) {
  Sizes sizes = getSizes(result);
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Dtype dtype = lowering.resultDtype(result);
  if (lowering.hasFailed())
    return;
  RankedTensorType expected = lowering.tensorType(sizes, dtype);
  if (!type || type.getRank() != expected.getRank() ||
      type.getElementType() != expected.getElementType()) {
    (void)emitError("result " + Twine(result) + " is of another type than " +
                    "PyTorch has recorded");
    return;
  }
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!type.isDynamicDim(dim)) {
      lowering.checkEqual(lowering.literal(type.getDimSize(dim)), size,
                          "the result of " + getTarget() +
                              " has the sizes that PyTorch has recorded");
      continue;
    }
    OpBuilder &builder = lowering.b;
    Value actual = tensor::DimOp::create(builder, getLoc(), value, dim);
    Value isSame =
        arith::CmpIOp::create(builder, getLoc(), arith::CmpIPredicate::eq,
                              actual, lowering.size(size));
    lowering.checkData(isSame, "the result of " + getTarget() +
                                   " has the sizes that PyTorch has recorded");
  }
  lowering.result(lowering.make(lowering.cast(value, expected), dtype, sizes),
                  result);
}

/// Every argument that is given, in order.
FailureOr<SmallVector<Value>> Call::getAllArguments() {
  SmallVector<Value> values;
  std::function<LogicalResult(StringRef, const Argument &)> add =
      [&](StringRef name, const Argument &argument) -> LogicalResult {
    switch (argument.kind) {
    case Argument::Kind::Name: {
      auto it = lowering.scope.values.find(argument.text);
      bool isScalar = it != lowering.scope.values.end() && it->second.scalar;
      values.push_back(isScalar ? toScalar(lowering.scalarOf(argument))
                                : lowering.tensorOf(argument).value);
      return success();
    }
    case Argument::Kind::Int:
    case Argument::Kind::Float:
    case Argument::Kind::Bool:
      values.push_back(toScalar(lowering.scalarOf(argument)));
      return success();
    case Argument::Kind::List:
      for (const Argument &element : argument.list)
        if (failed(add(name, element)))
          return failure();
      return success();
    default:
      return emitError("the argument '" + name +
                       "' is neither a tensor nor a number, and a custom "
                       "function takes no other; register a lowering for the "
                       "operator");
    }
  };
  for (const NamedArgument &input : lowering.node.inputs) {
    lowering.find(input.name);
    if (failed(add(input.name, input.value)))
      return failure();
  }
  return values;
}

LogicalResult Call::callCustom(StringRef function, bool isPure) {
  FailureOr<SmallVector<Value>> arguments = getAllArguments();
  if (failed(arguments))
    return failure();
  SmallVector<Type> types;
  SmallVector<Value> bounds;
  for (unsigned result = 0; result < getNumResults(); ++result) {
    Sizes sizes = getSizes(result);
    RankedTensorType type =
        lowering.tensorType(sizes, lowering.resultDtype(result));
    if (lowering.hasFailed())
      return failure();
    types.push_back(type);
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(dim))
        bounds.push_back(lowering.size(size));
  }
  auto call = CustomCallOp::create(lowering.b, getLoc(), types, function,
                                   *arguments, bounds, isPure, BindingsAttr());
  for (OpResult result : call->getResults())
    setResult(result, result.getResultNumber());
  return failure(lowering.hasFailed());
}

LogicalResult import_pt2::importCall(Lowering &lowering,
                                     const OperatorTable::LowerFn &lower) {
  Call call(lowering);
  if (failed(lower(call)) && !lowering.hasFailed())
    return lowering.error("was not imported by what is registered for it");
  return failure(lowering.hasFailed());
}
