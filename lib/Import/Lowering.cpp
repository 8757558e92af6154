//===- Lowering.cpp - The import of one node ------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "Symbols.h"

using namespace mlir;

namespace tally::import_pt2 {

static void collectNames(const Argument &argument,
                         SmallVectorImpl<std::string> &names) {
  if (argument.kind == Argument::Kind::List) {
    for (const Argument &element : argument.list)
      collectNames(element, names);
    return;
  }
  names.push_back(argument.isName() ? argument.text : "");
}

Lowering::Lowering(Function &function, GraphScope &scope, const Node &node,
                   Location loc)
    : Emitter(function.state, loc, node.target), function(function),
      scope(scope), node(node) {
  SmallVector<std::string> names;
  for (const Argument &output : node.outputs)
    collectNames(output, names);
  resultNames.assign(names.begin(), names.end());
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

const Argument *Lowering::find(StringRef name) {
  for (const NamedArgument &input : node.inputs)
    if (input.name == name) {
      readArguments.insert(&input);
      return input.value.isNone() ? nullptr : &input.value;
    }
  return nullptr;
}

const TensorMeta *Lowering::argumentMeta(StringRef name) {
  const Argument *argument = find(name);
  if (!argument || !argument->isName())
    return nullptr;
  auto it = scope.graph.tensors.find(argument->text);
  return it == scope.graph.tensors.end() ? nullptr : &it->second;
}

/// Arguments that change nothing about what is computed here, or that the
/// recorded types say as well.
static bool isIrrelevant(StringRef name) {
  return llvm::is_contained({"copy",
                             "count_include_pad",
                             "cudnn_enable",
                             "cudnn_enabled",
                             "device",
                             "dtype",
                             "generator",
                             "implicit",
                             "layout",
                             "memory_format",
                             "momentum",
                             "non_blocking",
                             "p",
                             "padding_idx",
                             "path",
                             "pin_memory",
                             "requires_grad",
                             "scale_grad_by_freq",
                             "sorted",
                             "sparse",
                             "stable",
                             "stride"},
                            name);
}

LogicalResult Lowering::checkAllArgumentsRead() {
  if (ignoresArguments || failed)
    return success();
  for (const NamedArgument &input : node.inputs) {
    const Argument &value = input.value;
    bool saysNothing = value.isNone() || value.kind == Argument::Kind::Other ||
                       (value.kind == Argument::Kind::Bool && !value.boolean);
    if (saysNothing || input.name.empty() || isIrrelevant(input.name) ||
        readArguments.contains(&input))
      continue;
    // A tensor without dimensions has only one to choose from.
    auto self = node.inputs.empty()
                    ? scope.graph.tensors.end()
                    : scope.graph.tensors.find(node.inputs[0].value.text);
    if (self != scope.graph.tensors.end() && self->second.sizes.empty())
      continue;
    return error("the argument '" + input.name + "' is not supported");
  }
  return success();
}

const Argument *Lowering::positional(unsigned index) {
  if (index < node.inputs.size()) {
    readArguments.insert(&node.inputs[index]);
    return &node.inputs[index].value;
  }
  (void)error("argument " + Twine(index) + " is missing");
  return nullptr;
}

/// Keeps a lowering going that has failed; never part of a finished program.
Tensor Lowering::placeholder(int64_t rank) {
  return fill(Sizes(size_t(rank), literal(1)), Dtype::F32, 0.0);
}

Tensor Lowering::tensorOf(const Argument &argument) {
  if (!argument.isName()) {
    (void)error("an argument is not a tensor");
    return placeholder();
  }
  auto it = scope.values.find(argument.text);
  if (it == scope.values.end()) {
    (void)error("the argument '" + argument.text + "' is not defined");
    return placeholder();
  }
  misled |= scope.misrecorded.contains(argument.text);
  if (it->second.isTensor())
    return function.read(it->second.slot, *this);
  if (it->second.scalar) {
    Expr number = it->second.scalar;
    Dtype dtype = getFloatDtype(Operand::getScalarDtype(number));
    if (!number.isFloat())
      dtype = Operand::getScalarDtype(number);
    return fromScalar(scalar(number, dtype), dtype);
  }
  (void)error("the argument '" + argument.text + "' has no value");
  return placeholder();
}

Tensor Lowering::tensor(StringRef name, int64_t minRank) {
  const Argument *argument = find(name);
  if (!argument) {
    (void)error("the argument '" + name + "' is missing");
    return placeholder();
  }
  Tensor tensor = tensorOf(*argument);
  if (tensor.rank() >= minRank)
    return tensor;
  (void)error("the argument '" + name + "' has " + Twine(tensor.rank()) +
              " dimensions, at least " + Twine(minRank) + " are needed");
  return placeholder();
}

std::optional<Tensor> Lowering::optionalTensor(StringRef name) {
  if (const Argument *argument = find(name))
    return tensorOf(*argument);
  return std::nullopt;
}

SmallVector<Tensor> Lowering::tensors(StringRef name) {
  SmallVector<Tensor> result;
  if (const Argument *argument = find(name))
    for (const Argument &element : argument->list)
      result.push_back(tensorOf(element));
  if (result.empty()) {
    (void)error("the argument '" + name + "' is not a list of tensors");
    result.push_back(placeholder());
  }
  return result;
}

SmallVector<std::optional<Tensor>> Lowering::optionalTensors(StringRef name) {
  SmallVector<std::optional<Tensor>> result;
  if (const Argument *argument = find(name))
    for (const Argument &element : argument->list)
      result.push_back(element.isNone()
                           ? std::nullopt
                           : std::optional<Tensor>(tensorOf(element)));
  return result;
}

/// The size of an argument of the graph that is recorded as this number; null
/// if there is none. A subgraph whose caller knows a size as a function of a
/// stride may compute that size from the stride.
static Expr findSizeRecordedAs(Lowering &op, Expr number) {
  for (const Argument &input : op.scope.graph.inputs) {
    auto meta = op.scope.graph.tensors.find(input.text);
    auto value = op.scope.values.find(input.text);
    if (meta == op.scope.graph.tensors.end() ||
        value == op.scope.values.end() || !value->second.isTensor())
      continue;
    ArrayRef<Expr> sizes = op.function.getSlot(value->second.slot).tensor.sizes;
    for (auto [recorded, size] : llvm::zip(meta->second.sizes, sizes))
      if (op.function.findRecorded(recorded, /*isFormal=*/true) == number)
        return size;
  }
  return Expr();
}

Expr Lowering::scalarOf(const Argument &argument) {
  Expr number = scalarOrLayoutOf(argument);
  if (!state.isAboutLayout(number))
    return number;
  if (Expr size = findSizeRecordedAs(*this, number))
    return size;
  (void)error("the argument '" + argument.text +
              "' depends on a stride or an offset in memory that is not known");
  return literal(1);
}

Expr Lowering::scalarOrLayoutOf(const Argument &argument) {
  switch (argument.kind) {
  case Argument::Kind::Int:
    return exprs.constant(argument.integer);
  case Argument::Kind::Bool:
    return exprs.boolean(argument.boolean);
  case Argument::Kind::Float:
    return exprs.floatConstant(argument.real);
  case Argument::Kind::Name: {
    auto it = scope.values.find(argument.text);
    if (it != scope.values.end() && it->second.scalar)
      return it->second.scalar;
    (void)error("the argument '" + argument.text + "' is not a number");
    return literal(1);
  }
  default:
    (void)error("an argument is not a number");
    return literal(1);
  }
}

Expr Lowering::number(StringRef name) {
  if (const Argument *argument = find(name))
    return scalarOf(*argument);
  (void)error("the argument '" + name + "' is missing");
  return literal(1);
}

Expr Lowering::number(StringRef name, Expr absent) {
  const Argument *argument = find(name);
  return argument ? scalarOf(*argument) : absent;
}

/// A boolean as an integer; any other number as it is.
static Expr fromBoolean(Expr number, symbolic::ExprContext &exprs) {
  return number.isBool()
             ? exprs.select(number, exprs.constant(1), exprs.constant(0))
             : number;
}

Expr Lowering::numeric(StringRef name) {
  return fromBoolean(number(name), exprs);
}

Expr Lowering::numeric(StringRef name, int64_t absent) {
  return fromBoolean(number(name, absent), exprs);
}

Expr Lowering::toSymInt(Expr number, StringRef name) {
  number = fromBoolean(number, exprs);
  if (number.isInt())
    return number;
  (void)error("the argument '" + name + "' must be an integer");
  return literal(1);
}

Expr Lowering::symInt(StringRef name) { return toSymInt(number(name), name); }

Expr Lowering::symInt(StringRef name, Expr absent) {
  return has(name) ? symInt(name) : absent;
}

Sizes Lowering::symInts(StringRef name) {
  Sizes result;
  const Argument *argument = find(name);
  if (!argument)
    return result;
  if (argument->kind != Argument::Kind::List)
    return {toSymInt(scalarOf(*argument), name)};
  for (const Argument &element : argument->list)
    result.push_back(toSymInt(scalarOf(element), name));
  return result;
}

int64_t Lowering::integer(StringRef name, int64_t absent) {
  Expr value = number(name, absent);
  if (value.isBool())
    return value.isTrue();
  if (value.isInt() && value.isConstant())
    if (std::optional<int64_t> result = value.getInt64())
      return *result;
  (void)error("the argument '" + name + "' must be a literal integer");
  return absent;
}

SmallVector<int64_t> Lowering::integers(StringRef name) {
  SmallVector<int64_t> result;
  for (Expr value : symInts(name)) {
    std::optional<int64_t> number =
        value.isInt() && value.isConstant() ? value.getInt64() : std::nullopt;
    if (!number)
      (void)error("the argument '" + name + "' must be literal integers");
    result.push_back(number.value_or(0));
  }
  return result;
}

double Lowering::real(StringRef name, double absent) {
  const Argument *argument = find(name);
  if (!argument)
    return absent;
  if (argument->kind == Argument::Kind::Float)
    return argument->real;
  return double(integer(name, 0));
}

bool Lowering::flag(StringRef name, bool absent) {
  const Argument *argument = find(name);
  if (!argument)
    return absent;
  if (argument->kind == Argument::Kind::Bool)
    return argument->boolean;
  return integer(name, absent) != 0;
}

StringRef Lowering::string(StringRef name, StringRef absent) {
  const Argument *argument = find(name);
  return argument && argument->kind == Argument::Kind::String
             ? StringRef(argument->text)
             : absent;
}

int64_t Lowering::wrapDim(int64_t dim, int64_t rank) {
  // PyTorch lets tensors without dimensions have one.
  int64_t range = std::max<int64_t>(rank, 1);
  int64_t wrapped = dim < 0 ? dim + range : dim;
  if (wrapped >= 0 && wrapped < range)
    return wrapped;
  (void)error("dimension " + Twine(dim) + " is out of range");
  return 0;
}

int64_t Lowering::dim(StringRef name, int64_t rank, int64_t absent) {
  return wrapDim(integer(name, absent), rank);
}

SmallVector<int64_t> Lowering::dims(StringRef name, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t dim : integers(name)) {
    int64_t wrapped = wrapDim(dim, rank);
    if (rank > 0 && !llvm::is_contained(result, wrapped))
      result.push_back(wrapped);
  }
  if (result.empty())
    llvm::append_range(result, llvm::seq<int64_t>(0, rank));
  return result;
}

Operand Lowering::operand(StringRef name) {
  const Argument *argument = find(name);
  if (!argument) {
    (void)error("the argument '" + name + "' is missing");
    return placeholder();
  }
  if (argument->isName()) {
    auto it = scope.values.find(argument->text);
    if (it == scope.values.end() || it->second.isTensor())
      return tensorOf(*argument);
  }
  return scalarOf(*argument);
}

int64_t Lowering::slotOf(StringRef name) {
  const Argument *argument = find(name);
  if (argument && argument->isName()) {
    auto it = scope.values.find(argument->text);
    misled |= scope.misrecorded.contains(argument->text);
    if (it != scope.values.end() && it->second.isTensor())
      return it->second.slot;
  }
  (void)error("the argument '" + name + "' is not a tensor");
  return -1;
}

SmallVector<int64_t> Lowering::slotsOf(StringRef name) {
  SmallVector<int64_t> slots;
  if (const Argument *argument = find(name))
    for (const Argument &element : argument->list) {
      auto it = scope.values.find(element.text);
      if (element.isName() && it != scope.values.end() && it->second.isTensor())
        slots.push_back(it->second.slot);
    }
  if (slots.empty())
    (void)error("the argument '" + name + "' is not a list of tensors");
  return slots;
}

} // namespace tally::import_pt2
