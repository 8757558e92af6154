//===- Interpreter.cpp - Running a program as it stands -------------------===//

#include "tally/Interpreter/Interpreter.h"

#include "Buffers.h"
#include "Handlers.h"
#include "Names.h"
#include "tally/IR/Tally.h"
#include "tally/Interpreter/EntrySignature.h"
#include "tally/Interpreter/Execution.h"
#include "tally/Runtime/tally_runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tally::interpreter;

//===----------------------------------------------------------------------===//
// Outcomes of a run
//===----------------------------------------------------------------------===//

/// Prints `file:line:column: `, or nothing where the location is unknown.
static void printLocation(raw_ostream &os, mlir::Location loc) {
  if (auto file = loc->findInstanceOf<mlir::FileLineColLoc>())
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn() << ": ";
}

/// A value as the record of an assert has it: its kind and its bits. Returns
/// nothing for one that does not fit, or that is poison.
static std::optional<std::pair<char, int64_t>> encodeValue(StringRef text) {
  int64_t integer = 0;
  if (!text.getAsInteger(10, integer))
    return std::pair('i', integer);
  if (text == "true" || text == "false")
    return std::pair('b', int64_t(text == "true"));
  double real = 0;
  bool isInteger = text.find_first_not_of("-0123456789") == StringRef::npos;
  if (!isInteger && to_float(text, real))
    return std::pair('f', bit_cast<int64_t>(real));
  return std::nullopt;
}

/// Adds a field to the record of an assert.
static void addField(std::string &record, const Twine &field) {
  std::string text = field.str();
  llvm::erase(text, '\0');
  record += text + '\0';
}

std::string CheckFailure::describe() const {
  // The runtime words the failure, from the record that compiled code has.
  std::string record, named, rest;
  for (const std::string &field : {expression, message, requiredBy, declaredBy})
    addField(record, field);
  auto file = loc->findInstanceOf<mlir::FileLineColLoc>();
  addField(record, file ? file.getFilename().getValue() : "");
  addField(record, Twine(file ? file.getLine() : 0));
  addField(record, Twine(file ? file.getColumn() : 0));
  SmallVector<int64_t> bits;
  for (const auto &[name, value] : values) {
    auto encoded = encodeValue(value);
    if (!encoded) {
      rest += "; " + name + " = " + value;
      continue;
    }
    auto source = sources.find(name);
    addField(named, Twine(encoded->first));
    addField(named, name);
    addField(named, source == sources.end() ? "" : source->second);
    bits.push_back(encoded->second);
  }
  addField(record, Twine(bits.size()));
  record += named;
  int64_t offset = 0;
  tally_rt_assert_table table = {record.c_str(), &offset};
  tally_rt_context *context = tally_rt_context_create(nullptr);
  tally_rt_fail(context, &table, /*index=*/0, static_cast<int32_t>(bits.size()),
                bits.data());
  std::string text = tally_rt_last_error(context)->message + rest;
  tally_rt_context_destroy(context);
  return text;
}

std::string RunError::describe() const {
  std::string text;
  raw_string_ostream os(text);
  // Arguments are given outside of the program.
  if (kind != Kind::BadArguments)
    printLocation(os, loc);
  os << message;
  return text;
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

void HandlerTable::add(StringRef operation, Handler handler) {
  handlers[operation] = std::move(handler);
}

void HandlerTable::addForAll(std::function<bool(mlir::Operation *)> applies,
                             Handler handler) {
  general.emplace_back(std::move(applies), std::move(handler));
}

const Handler *HandlerTable::lookup(mlir::Operation *op) const {
  auto found = handlers.find(op->getName().getStringRef());
  if (found != handlers.end())
    return &found->second;
  for (const auto &[applies, handler] : general)
    if (applies(op))
      return &handler;
  return nullptr;
}

const HandlerTable &HandlerTable::getDefault() {
  static const HandlerTable table = [] {
    HandlerTable made;
    registerAffine(made);
    registerArith(made);
    registerAttention(made);
    registerArithFloats(made);
    registerAtomics(made);
    registerControlFlow(made);
    registerGPU(made);
    registerIndex(made);
    registerLinalg(made);
    registerFFT(made);
    registerLinearAlgebra(made);
    registerLoops(made);
    registerMath(made);
    registerMemRef(made);
    registerScans(made);
    registerTallyDataDependent(made);
    registerTallyDevice(made);
    registerTallySymbols(made);
    registerTensor(made);
    registerTensorSlices(made);
    registerVector(made);
    return made;
  }();
  return table;
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

namespace {

/// One run, from the arguments that a caller gives to what he gets back.
class EntryRun {
public:
  EntryRun(mlir::FunctionOpInterface entry, ArrayRef<RuntimeValue> given,
           const InterpreterOptions &options)
      : entry(entry), signature(entry), given(given), execution(options) {}

  Outcome run();

private:
  LogicalResult readArguments();
  LogicalResult checkArgument(unsigned index, mlir::Type type,
                              const RuntimeValue &value);
  void addArgument(mlir::Type type, RuntimeValue value);
  LogicalResult checkLimit(unsigned index, ArrayRef<int64_t> shape);
  LogicalResult readState();
  RuntimeValue readHidden(HiddenArgument hidden) const;
  LogicalResult readBuffers(MutableArrayRef<RuntimeValue> results);
  LogicalResult checkResults(ArrayRef<RuntimeValue> results);
  Results sortResults(SmallVectorImpl<RuntimeValue> &results) const;
  LogicalResult refuseArgument(unsigned index, const Twine &message);

  mlir::FunctionOpInterface entry;
  EntrySignature signature;
  ArrayRef<RuntimeValue> given;
  Execution execution;
  /// What the function keeps, and the number of the first such argument.
  std::vector<RuntimeValue> state;
  unsigned firstState = 0;
  /// What the function gets.
  SmallVector<RuntimeValue> arguments;
  /// The shapes of the arguments that the caller sees.
  SmallVector<SmallVector<int64_t>> shapes;
};

} // namespace

LogicalResult EntryRun::refuseArgument(unsigned index, const Twine &message) {
  return execution.error(RunError::Kind::BadArguments, entry,
                         entry.getName() + ": argument " + Twine(index) +
                             " ('" + signature.getName(index) + "') " +
                             message);
}

LogicalResult EntryRun::checkArgument(unsigned index, mlir::Type type,
                                      const RuntimeValue &value) {
  auto tensor = dyn_cast<mlir::ShapedType>(type);
  bool isBuffer = isa<mlir::MemRefType>(type);
  if (!isKnownType(isBuffer ? tensor.getElementType() : type))
    return execution.unsupported(entry, "argument " + Twine(index) + " of '" +
                                            entry.getName() +
                                            "' has a type that the "
                                            "interpreter does not know");
  if (value.isTensor() != static_cast<bool>(tensor))
    return refuseArgument(index, tensor ? "is no tensor" : "is no scalar");
  if (!tensor) {
    const Scalar &scalar = value.getScalar();
    if (!scalar.isPoison() &&
        scalar.getBits().getBitWidth() != getBitWidth(type))
      return refuseArgument(index, "has another type");
    return success();
  }
  const Tensor &actual = value.getTensor();
  if (actual.getElementType() != tensor.getElementType())
    return refuseArgument(index, "has another element type");
  if (!tensor.hasRank())
    return success();
  if (actual.getRank() != tensor.getRank())
    return refuseArgument(index, "has rank " + Twine(actual.getRank()) +
                                     ", expected " + Twine(tensor.getRank()));
  // A size that is declared as a constant is a check. The entry has no position
  // of its own.
  for (auto [dim, size] : enumerate(tensor.getShape())) {
    if (mlir::ShapedType::isDynamic(size) || size == actual.getDim(dim))
      continue;
    CheckFailure failure(mlir::UnknownLoc::get(entry.getContext()));
    failure.kind = CheckFailure::Kind::Declaration;
    std::string argument = signature.getName(index);
    std::string name = argument + ".size(" + std::to_string(dim) + ")";
    failure.expression = name + " == " + std::to_string(size);
    failure.values.emplace_back(name, std::to_string(actual.getDim(dim)));
    failure.declaredBy = argument;
    return execution.fail(std::move(failure));
  }
  return checkLimit(index, actual.getShape());
}

/// The product of the sizes that are not 0 is limited for every program.
LogicalResult EntryRun::checkLimit(unsigned index, ArrayRef<int64_t> shape) {
  int64_t product = 1;
  bool isTooLarge = false;
  for (int64_t size : shape)
    if (size != 0)
      isTooLarge |= static_cast<bool>(MulOverflow(product, size, product));
  if (!isTooLarge && product <= TALLY_RT_MAX_ELEMENTS)
    return success();
  CheckFailure failure(mlir::UnknownLoc::get(entry.getContext()));
  failure.kind = CheckFailure::Kind::Declaration;
  failure.declaredBy = signature.getName(index);
  failure.expression = "the product of the sizes of " + failure.declaredBy +
                       " <= " + std::to_string(TALLY_RT_MAX_ELEMENTS);
  return execution.fail(std::move(failure));
}

/// A stride or the storage offset of a compact argument. A dimension of size 0
/// counts as one of size 1.
RuntimeValue EntryRun::readHidden(HiddenArgument hidden) const {
  if (!hidden.dim)
    return Scalar::ofIndex(0);
  int64_t stride = 1;
  for (int64_t size :
       ArrayRef(shapes[hidden.argument]).drop_front(*hidden.dim + 1))
    stride *= std::max<int64_t>(size, 1);
  return Scalar::ofIndex(stride);
}

/// A function on buffers gets one, which it may only read.
void EntryRun::addArgument(mlir::Type type, RuntimeValue value) {
  ArrayRef<int64_t> shape;
  if (value.isTensor())
    shape = value.getTensor().getShape();
  shapes.emplace_back(shape);
  if (!isa<mlir::MemRefType>(type)) {
    arguments.push_back(std::move(value));
    return;
  }
  bool unaligned = execution.getOptions().seed % 2 != 0;
  Buffer buffer = execution.allocate(value.getTensor(), unaligned);
  buffer.memory->isConstant = true;
  arguments.emplace_back(std::move(buffer));
}

/// The first values of what the function keeps, if the caller gives none.
LogicalResult EntryRun::readState() {
  unsigned numArguments = signature.getArgumentTypes().size(), numCallers = 0;
  while (numCallers < numArguments && signature.isCallers(numCallers))
    ++numCallers;
  firstState = numCallers;
  mlir::FunctionOpInterface initial = signature.getInitialState();
  if (!initial)
    return success();
  if (given.size() > numCallers) {
    state.assign(given.begin() + numCallers, given.end());
    given = given.take_front(numCallers);
    return success();
  }
  Outcome made = interpret(initial, {}, execution.getOptions());
  if (auto *failure = std::get_if<CheckFailure>(&made))
    return execution.fail(std::move(*failure));
  if (auto *error = std::get_if<RunError>(&made))
    return execution.error(error->kind, initial, error->message);
  state = std::move(std::get<Results>(made).returned);
  return success();
}

LogicalResult EntryRun::readArguments() {
  unsigned next = 0;
  if (failed(readState()))
    return failure();
  if (signature.takesContext())
    arguments.emplace_back();
  for (auto [number, type] : enumerate(signature.getArgumentTypes())) {
    auto index = static_cast<unsigned>(number);
    if (std::optional<HiddenArgument> hidden = signature.getHidden(index)) {
      addArgument(type, readHidden(*hidden));
      continue;
    }
    if (signature.isState(index)) {
      const RuntimeValue &kept = state[index - firstState];
      if (failed(checkArgument(index, type, kept)))
        return failure();
      addArgument(type, kept);
      continue;
    }
    if (next == given.size())
      return refuseArgument(index, "is missing");
    if (failed(checkArgument(index, type, given[next])))
      return failure();
    addArgument(type, given[next++]);
  }
  if (next == given.size())
    return success();
  return execution.error(RunError::Kind::BadArguments, entry,
                         "'" + entry.getName() + "' takes " + Twine(next) +
                             " arguments, not " + Twine(given.size()));
}

/// A caller gets what is in buffers.
LogicalResult EntryRun::readBuffers(MutableArrayRef<RuntimeValue> results) {
  for (RuntimeValue &value : results) {
    if (!value.isBuffer())
      continue;
    FailureOr<Tensor> contents =
        readBuffer(entry, value.getBuffer(), execution);
    if (failed(contents))
      return failure();
    value = std::move(*contents);
  }
  return success();
}

/// A caller observes the results: none may be poison.
LogicalResult EntryRun::checkResults(ArrayRef<RuntimeValue> results) {
  for (auto [index, value] : enumerate(results)) {
    if (!value.isTensor()) {
      if (value.getScalar().isPoison())
        return execution.observedPoison(entry, "result " + Twine(index));
      continue;
    }
    if (std::optional<int64_t> position = value.getTensor().findPoison())
      return execution.observedPoison(entry, "element " + Twine(*position) +
                                                 " of result " + Twine(index));
  }
  return success();
}

Results EntryRun::sortResults(SmallVectorImpl<RuntimeValue> &results) const {
  Results sorted;
  sorted.state = state;
  for (auto [index, value] : enumerate(results)) {
    auto mutated = signature.getMutated(static_cast<unsigned>(index));
    if (mutated && signature.isState(*mutated))
      sorted.state[*mutated - firstState] = value;
    if (mutated)
      sorted.mutated.emplace_back(*mutated, std::move(value));
    else
      sorted.returned.push_back(std::move(value));
  }
  return sorted;
}

Outcome EntryRun::run() {
  SmallVector<RuntimeValue> results;
  if (succeeded(readArguments()) &&
      succeeded(execution.call(entry, arguments, results, /*site=*/nullptr)) &&
      succeeded(readBuffers(results)) && succeeded(checkResults(results)))
    return sortResults(results);
  auto end = execution.takeEnd();
  if (auto *failure = std::get_if<CheckFailure>(&*end))
    return std::move(*failure);
  return std::move(std::get<RunError>(*end));
}

Outcome tally::interpreter::interpret(mlir::FunctionOpInterface entry,
                                      ArrayRef<RuntimeValue> args,
                                      const InterpreterOptions &options) {
  return EntryRun(entry, args, options).run();
}
