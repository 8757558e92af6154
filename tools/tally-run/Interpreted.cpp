//===- Interpreted.cpp - Calls of an interpreted program ------------------===//

#include "Interpreted.h"

#include "tally/Driver/DiagnosticPrinter.h"
#include "tally/Driver/Driver.h"
#include "tally/IR/Signatures.h"
#include "tally/IR/Tally.h"
#include "tally/Interpreter/EntrySignature.h"
#include "tally/Interpreter/Interpreter.h"
#include "tally/Pipelines/Pipelines.h"
#include "tally/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <dlfcn.h>

using namespace llvm;
using namespace tally::run;
using tally::interpreter::CheckFailure;
using tally::interpreter::CustomCallResult;
using tally::interpreter::EntrySignature;
using tally::interpreter::Results;
using tally::interpreter::RunError;
using tally::interpreter::RuntimeValue;
using tally::interpreter::Tensor;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The data type of a scalar type; nothing for one that arrays do not have.
static std::optional<DLDataType> findDataType(mlir::Type type,
                                              bool isUnsigned) {
  if (!tally::isPassable(type) || (isUnsigned && !type.isInteger(8)))
    return std::nullopt;
  return tally::getDataType(type, isUnsigned);
}

/// An argument as a value of the interpreter.
static RuntimeValue readArray(const Array &array, mlir::Type type) {
  auto tensor = dyn_cast<mlir::ShapedType>(type);
  mlir::Type element = tensor ? tensor.getElementType() : type;
  std::vector<char> bytes(array.getData(),
                          array.getData() + array.getNumBytes());
  if (element.isInteger(1))
    for (char &byte : bytes)
      byte = byte != 0;
  Tensor read = Tensor::fromBytes(element, array.getShape(), bytes.data());
  if (tensor)
    return read;
  return read.get(0);
}

/// A result as an array of the type that the caller sees.
static Expected<Array> makeArray(const RuntimeValue &value, mlir::Type type,
                                 bool isUnsigned,
                                 const tally_rt_allocator &allocator) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  std::optional<DLDataType> dataType = findDataType(element, isUnsigned);
  if (!dataType) {
    std::string text;
    raw_string_ostream(text) << type;
    return createStringError("a result of type " + text + " cannot be shown");
  }
  Tensor tensor = value.isTensor()
                      ? value.getTensor()
                      : Tensor::splat(element, {}, value.getScalar());
  Expected<Array> array =
      Array::create(*dataType, tensor.getShape(), allocator);
  if (array && array->getNumBytes())
    std::memcpy(array->getData(), tensor.getBytes().data(),
                array->getNumBytes());
  return array;
}

//===----------------------------------------------------------------------===//
// Custom functions
//===----------------------------------------------------------------------===//

namespace {

/// A call of a custom function, through the runtime.
class CustomCallDps {
public:
  CustomCallDps(tally::CustomCallOp op, tally_rt_custom_function function,
                const CountingAllocator &allocator)
      : op(op), function(function), allocator(allocator) {}

  CustomCallResult run(ArrayRef<RuntimeValue> arguments,
                       ArrayRef<RuntimeValue> destinations);

private:
  Error addArray(std::vector<Array> &arrays, const RuntimeValue &value,
                 mlir::Type type);
  std::string makeRecord();
  RuntimeValue readResult(Array &array, const DLTensor &tensor,
                          mlir::Type type);

  tally::CustomCallOp op;
  tally_rt_custom_function function;
  const CountingAllocator &allocator;
};

} // namespace

Error CustomCallDps::addArray(std::vector<Array> &arrays,
                              const RuntimeValue &value, mlir::Type type) {
  Expected<Array> array =
      makeArray(value, type, /*isUnsigned=*/false, allocator.get());
  if (!array)
    return array.takeError();
  arrays.push_back(std::move(*array));
  return Error::success();
}

/// What compiled code tells the runtime about the call.
std::string CustomCallDps::makeRecord() {
  std::string record;
  for (mlir::Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<mlir::RankedTensorType>(type))
      for (int64_t size : tensor.getShape())
        record += mlir::ShapedType::isDynamic(size) ? '?' : '=';
  auto loc = op.getLoc()->findInstanceOf<mlir::FileLineColLoc>();
  for (const std::string &part :
       {op.getCallee().str(), loc ? loc.getFilename().str() : std::string(),
        std::to_string(loc ? loc.getLine() : 0),
        std::to_string(loc ? loc.getColumn() : 0)})
    record += '\0' + part;
  return record;
}

/// The elements within the actual sizes.
RuntimeValue CustomCallDps::readResult(Array &array, const DLTensor &tensor,
                                       mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  Tensor destination =
      readArray(array, mlir::RankedTensorType::get(array.getShape(), element))
          .getTensor();
  SmallVector<int64_t> shape(tensor.shape, tensor.shape + tensor.ndim);
  Tensor result(element, shape);
  for (int64_t i = 0; i < result.getNumElements(); ++i) {
    SmallVector<int64_t> indices(shape.size());
    int64_t rest = i;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim])
      indices[dim] = rest % shape[dim];
    result.set(i, destination.get(*destination.getPosition(indices)));
  }
  if (isa<mlir::TensorType>(type))
    return result;
  return result.get(0);
}

CustomCallResult CustomCallDps::run(ArrayRef<RuntimeValue> arguments,
                                    ArrayRef<RuntimeValue> destinations) {
  std::vector<Array> inputs, outputs;
  for (auto [value, type] : zip_equal(arguments, op.getInputs().getTypes()))
    if (Error error = addArray(inputs, value, type))
      return {{}, toString(std::move(error)), std::nullopt};
  for (auto [destination, type] :
       zip_equal(destinations, op->getResultTypes())) {
    mlir::Type element = mlir::getElementTypeOrSelf(type);
    RuntimeValue blank = Tensor(
        element, destination.isTensor() ? destination.getTensor().getShape()
                                        : ArrayRef<int64_t>());
    if (Error error = addArray(outputs, blank, element))
      return {{}, toString(std::move(error)), std::nullopt};
  }
  // The function writes the actual sizes over the bounds.
  std::vector<SmallVector<int64_t>> shapes, strides;
  std::vector<DLTensor> tensors;
  for (Array &array : inputs)
    tensors.push_back(array.getTensor());
  for (Array &array : outputs) {
    shapes.emplace_back(array.getShape());
    SmallVector<int64_t> &stride =
        strides.emplace_back(shapes.back().size(), 1);
    for (size_t dim = stride.size(); dim-- > 1;)
      stride[dim - 1] = stride[dim] * shapes.back()[dim];
    tensors.push_back(array.getTensor());
  }
  std::vector<DLTensor *> pointers;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i >= inputs.size()) {
      tensors[i].shape = shapes[i - inputs.size()].data();
      tensors[i].strides = strides[i - inputs.size()].data();
    }
    pointers.push_back(&tensors[i]);
  }
  tally_rt_config config = {sizeof(tally_rt_config), &allocator.get(), nullptr,
                            nullptr};
  tally_rt_context *context = tally_rt_context_create(&config);
  std::string record = makeRecord();
  CustomCallResult result;
  if (tally_rt_custom_call(
          context, record.c_str(), function, pointers.data(),
          static_cast<int32_t>(inputs.size()), pointers.data() + inputs.size(),
          static_cast<int32_t>(outputs.size())) != TALLY_RT_OK) {
    const tally_rt_error *error = tally_rt_last_error(context);
    (*error->expression ? result.wrongSize : result.failure) =
        *error->expression ? error->expression : error->user_message;
  } else {
    for (auto [index, array] : enumerate(outputs))
      result.results.push_back(readResult(array, tensors[inputs.size() + index],
                                          op->getResultTypes()[index]));
  }
  tally_rt_context_destroy(context);
  return result;
}

/// Finds custom functions in the libraries, and in this process.
static tally::interpreter::CustomCaller
makeCustomCaller(ArrayRef<void *> libraries,
                 const CountingAllocator &allocator) {
  return [libraries, &allocator](mlir::Operation *op,
                                 ArrayRef<RuntimeValue> arguments,
                                 ArrayRef<RuntimeValue> destinations)
             -> std::optional<CustomCallResult> {
    auto call = cast<tally::CustomCallOp>(op);
    std::string name = call.getCallee().str();
    for (void *library : libraries)
      if (void *function = dlsym(library, name.c_str()))
        return CustomCallDps(
                   call, reinterpret_cast<tally_rt_custom_function>(function),
                   allocator)
            .run(arguments, destinations);
    return std::nullopt;
  };
}

//===----------------------------------------------------------------------===//
// Reading the program
//===----------------------------------------------------------------------===//

/// Runs the part of the check pipeline that leads to a form.
static LogicalResult bringTo(mlir::ModuleOp module, StringRef form) {
  mlir::PassManager pm(module.getContext());
  if (form == "named") {
    pm.addPass(tally::createPropagateShapes());
  } else if (form == "bound") {
    pm.addPass(tally::createPropagateShapes());
    pm.nestAny().addPass(tally::createBindSymbols());
    pm.nestAny().addPass(tally::createLiftFreeSymbols());
  } else if (form == "checked") {
    tally::buildCheckPipeline(pm);
  }
  return pm.run(module);
}

LogicalResult InterpretedProgram::findEntry(StringRef name) {
  SmallVector<mlir::FunctionOpInterface> functions;
  for (auto function : module->getOps<mlir::FunctionOpInterface>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  StringRef wanted = name.empty() ? "main" : name;
  for (mlir::FunctionOpInterface function : functions)
    if (function.getName() == wanted)
      entry = function;
  if (!entry && name.empty() && functions.size() == 1)
    entry = functions.front();
  if (entry)
    return success();
  std::string names;
  for (mlir::FunctionOpInterface function : functions)
    names +=
        (names.empty() ? "; there are: " : ", ") + function.getName().str();
  errs() << "tally-run: there is no public function '" << wanted << "'" << names
         << '\n';
  return failure();
}

/// Brings a copy of the program to where a GPU's functions are scheduled. What
/// callers see of it is as it was.
LogicalResult InterpretedProgram::schedule() {
  scheduled = module->clone();
  tally::CompileOptions compile;
  compile.target = "cuda";
  compile.dataDirectory = options.dataDirectory;
  compile.stopAtSchedule = true;
  if (failed(tally::lowerProgram(*scheduled, compile)))
    return failure();
  run = scheduled->lookupSymbol<mlir::FunctionOpInterface>(entry.getName());
  return success();
}

std::unique_ptr<InterpretedProgram> InterpretedProgram::create(
    StringRef path, const tally::OperatorTable &operators, StringRef form,
    StringRef entry, ArrayRef<void *> libraries,
    const CountingAllocator &allocator) {
  std::unique_ptr<InterpretedProgram> program(
      new InterpretedProgram(allocator));
  tally::registerDriverDialects(program->registry);
  program->context = std::make_unique<mlir::MLIRContext>(program->registry);
  program->libraries.assign(libraries.begin(), libraries.end());
  tally::DiagnosticPrinter printer(program->context.get(), "tally-run", path);
  program->module =
      tally::readProgram(path, program->context.get(), &operators);
  if (!program->module || failed(bringTo(*program->module, form)) ||
      failed(program->findEntry(entry)))
    return nullptr;
  program->run = program->entry;
  StringRef directory = sys::path::parent_path(path);
  program->options.dataDirectory = directory.empty() ? "." : directory.str();
  program->options.customCaller =
      makeCustomCaller(program->libraries, allocator);
  program->options.onLaunch = [program = program.get()](StringRef kernel,
                                                        int64_t numBlocks) {
    program->launches.push_back((kernel + " x " + Twine(numBlocks)).str());
  };
  if (form == "gpu" && failed(program->schedule()))
    return nullptr;
  return program;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Says what is wrong with an argument, as the runtime does.
static Outcome refuseArgument(mlir::FunctionOpInterface entry, size_t index,
                              const Twine &message) {
  std::string name = EntrySignature(entry).getName(index);
  Outcome outcome;
  outcome.status = TALLY_RT_INVALID_ARGUMENT;
  outcome.message = (entry.getName() + ": argument " + Twine(index) + " ('" +
                     name + "') " + message)
                        .str();
  return outcome;
}

/// `file:line:column`, or nothing.
static std::string printPosition(mlir::Location loc) {
  auto file = loc->findInstanceOf<mlir::FileLineColLoc>();
  return file ? (file.getFilename().getValue() + ":" + Twine(file.getLine()) +
                 ":" + Twine(file.getColumn()))
                    .str()
              : "";
}

/// Turns what comes of a run that has no results into an outcome.
static Outcome makeOutcome(const tally::interpreter::Outcome &ended) {
  Outcome outcome;
  if (const auto *failure = std::get_if<CheckFailure>(&ended)) {
    outcome.status = failure->kind == CheckFailure::Kind::CustomCall
                         ? TALLY_RT_CUSTOM_FAILED
                         : TALLY_RT_CHECK_FAILED;
    outcome.message = failure->describe();
    outcome.position = printPosition(failure->loc);
    outcome.isDeclaration = !failure->declaredBy.empty();
    return outcome;
  }
  const auto &error = std::get<RunError>(ended);
  outcome.status = TALLY_RT_INVALID_ARGUMENT;
  outcome.message = error.describe();
  return outcome;
}

/// Reads the arguments as values of the interpreter; what does not fit ends the
/// call.
std::optional<Outcome>
InterpretedProgram::readArguments(ArrayRef<Array> arguments,
                                  SmallVectorImpl<RuntimeValue> &values) {
  EntrySignature signature(entry);
  SmallVector<mlir::Type> types;
  for (auto [index, type] : enumerate(signature.getArgumentTypes()))
    if (signature.isCallers(index))
      types.push_back(type);
  for (auto [index, array] : enumerate(arguments)) {
    if (index >= types.size())
      return refuseArgument(entry, index, "is one too many");
    mlir::Type element = mlir::getElementTypeOrSelf(types[index]);
    std::optional<DLDataType> expected =
        findDataType(element, signature.isUnsigned(index));
    if (!expected || !isSameType(*expected, array.getType()))
      return refuseArgument(entry, index,
                            "has data type " + printType(array.getType()) +
                                (expected ? ", expected " + printType(*expected)
                                          : std::string()));
    if (!isa<mlir::ShapedType>(types[index]) && !array.getShape().empty())
      return refuseArgument(entry, index, "is no scalar");
    values.push_back(readArray(array, types[index]));
  }
  llvm::append_range(values, state);
  return std::nullopt;
}

/// Makes arrays of the results, and of what the call has written to its
/// arguments.
Outcome InterpretedProgram::writeResults(const Results &results,
                                         std::vector<Array> &arguments) {
  Outcome outcome;
  EntrySignature signature(entry);
  size_t nextReturned = 0, nextMutated = 0;
  SmallVector<std::pair<unsigned, Array>> mutated;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    bool isMutated = signature.getMutated(i).has_value();
    const RuntimeValue &value = isMutated ? results.mutated[nextMutated].second
                                          : results.returned[nextReturned];
    Expected<Array> array =
        makeArray(value, entry.getResultTypes()[i],
                  signature.isResultUnsigned(i), allocator.get());
    if (!array) {
      outcome.status = TALLY_RT_INVALID_ARGUMENT;
      outcome.message = toString(array.takeError());
      return outcome;
    }
    if (isMutated) {
      mutated.emplace_back(results.mutated[nextMutated++].first,
                           std::move(*array));
      continue;
    }
    std::string name = signature.getResultName(i);
    outcome.names.push_back(name.empty() ? "out" + std::to_string(nextReturned)
                                         : name);
    outcome.results.push_back(std::move(*array));
    ++nextReturned;
  }
  outcome.numReturned = outcome.results.size();
  state = results.state;
  for (auto &[index, array] : mutated) {
    if (index >= arguments.size())
      continue;
    outcome.names.push_back(signature.getName(index));
    arguments[index] = array;
    outcome.results.push_back(std::move(array));
  }
  return outcome;
}

Outcome InterpretedProgram::call(std::vector<Array> &arguments) {
  SmallVector<RuntimeValue> values;
  if (std::optional<Outcome> refused = readArguments(arguments, values))
    return *std::move(refused);
  launches.clear();
  tally::interpreter::Outcome ended =
      tally::interpreter::interpret(run, values, options);
  auto *results = std::get_if<Results>(&ended);
  Outcome outcome =
      results ? writeResults(*results, arguments) : makeOutcome(ended);
  outcome.launches = launches;
  return outcome;
}

//===----------------------------------------------------------------------===//
// Comparing
//===----------------------------------------------------------------------===//

Outcome ComparingCaller::differ(const Twine &message) const {
  Outcome outcome;
  outcome.status = TALLY_RT_DEVICE_ERROR;
  outcome.message = (word + " and interpreted differ: " + message).str();
  return outcome;
}

Outcome ComparingCaller::call(std::vector<Array> &arguments) {
  std::vector<Array> copies;
  for (const Array &argument : arguments) {
    Expected<Array> copy = argument.clone(allocator.get());
    if (!copy)
      return differ(toString(copy.takeError()));
    copies.push_back(std::move(*copy));
  }
  Outcome actual = compiled.call(arguments);
  Outcome expected = interpreted.call(copies);
  if (actual.status != TALLY_RT_OK || expected.status != TALLY_RT_OK) {
    // Where several declarations together do not hold, any of their arguments
    // is rightly told.
    bool isSamePlace = actual.position == expected.position ||
                       (actual.isDeclaration && expected.isDeclaration);
    if (actual.status == expected.status && isSamePlace)
      return actual;
    // How much memory there is, is no part of the program.
    if (actual.status == TALLY_RT_OUT_OF_MEMORY &&
        expected.status != TALLY_RT_OK)
      return actual;
    auto describe = [](const Outcome &outcome) {
      return outcome.status == TALLY_RT_OK ? "no error" : outcome.message;
    };
    return differ("\n  " + word + ":" + std::string(12 - word.size(), ' ') +
                  describe(actual) + "\n  interpreted: " + describe(expected));
  }
  if (actual.results.size() != expected.results.size())
    return differ("the number of results");
  for (auto [index, result] : enumerate(actual.results))
    if (std::optional<std::string> difference =
            compareArrays(result, expected.results[index], tolerance))
      return differ(actual.names[index] + " " + *difference);
  return actual;
}
