//===- Program.cpp - A program and what it is called with -----------------===//

#include "Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace tally;
using namespace tally::fuzz;

/// What the line of a call starts with.
static constexpr StringLiteral kCall = "// call:";

static void *allocatePlain(void *, size_t bytes, size_t alignment) {
  void *pointer = nullptr;
  alignment = std::max(alignment, sizeof(void *));
  return posix_memalign(&pointer, alignment, bytes) == 0 ? pointer : nullptr;
}

static void deallocatePlain(void *, void *pointer, size_t, size_t) {
  std::free(pointer);
}

const tally_rt_allocator &tally::fuzz::getPlainAllocator() {
  static const tally_rt_allocator allocator = {nullptr, allocatePlain,
                                               deallocatePlain};
  return allocator;
}

Array tally::fuzz::makeArray(DLDataType type, ArrayRef<int64_t> shape) {
  return cantFail(Array::create(type, shape, getPlainAllocator()));
}

FuzzProgram FuzzProgram::clone() const {
  FuzzProgram copy;
  copy.module = module.get().clone();
  for (const std::vector<Array> &call : calls) {
    std::vector<Array> &arguments = copy.calls.emplace_back();
    for (const Array &array : call)
      arguments.push_back(cantFail(array.clone(getPlainAllocator())));
  }
  return copy;
}

static void printElement(raw_ostream &os, const Array &array, int64_t index) {
  if (!run::isFloat(array.getType())) {
    os << array.getInt(index);
    return;
  }
  double value = array.getFloat(index);
  if (std::isnan(value))
    os << "nan";
  else
    os << format("%.17g", value);
}

std::string tally::fuzz::printSpec(const Array &array) {
  std::string text;
  raw_string_ostream os(text);
  os << run::printType(array.getType());
  if (!array.getShape().empty()) {
    os << '[';
    interleave(array.getShape(), os, ",");
    os << ']';
  }
  os << '=';
  for (int64_t i = 0; i < array.getNumElements(); ++i) {
    if (i)
      os << ',';
    printElement(os, array, i);
  }
  return text;
}

void tally::fuzz::printProgram(raw_ostream &os, const FuzzProgram &program) {
  for (const std::vector<Array> &call : program.calls) {
    os << kCall;
    for (const Array &array : call)
      os << ' ' << printSpec(array);
    os << '\n';
  }
  program.module.get()->print(os);
  os << '\n';
}

/// Whether a value of the type is passed as this array.
static bool fits(const Array &array, mlir::Type type) {
  DLDataType wanted = getDataType(mlir::getElementTypeOrSelf(type));
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  size_t rank = tensor ? tensor.getRank() : 0;
  return run::isSameType(array.getType(), wanted) &&
         array.getShape().size() == rank;
}

/// Checks that there is a function `main` that takes the calls' arguments.
static Error verifyCalls(FuzzProgram &program) {
  auto main = program.module->lookupSymbol<mlir::func::FuncOp>("main");
  if (!main || main.isExternal())
    return createStringError("there is no function 'main' with a body");
  for (mlir::Type type : main.getArgumentTypes())
    if (!mlir::getElementTypeOrSelf(type).isIntOrIndexOrFloat())
      return createStringError("an argument of 'main' is no tensor or scalar");
  for (const std::vector<Array> &call : program.calls) {
    if (call.size() != main.getNumArguments())
      return createStringError("a call has " + std::to_string(call.size()) +
                               " arguments, 'main' takes " +
                               std::to_string(main.getNumArguments()));
    for (auto [array, type] : llvm::zip_equal(call, main.getArgumentTypes()))
      if (!fits(array, type))
        return createStringError("a call has an argument " + array.describe() +
                                 " of another type than that of 'main'");
  }
  return Error::success();
}

Expected<FuzzProgram> tally::fuzz::readFuzzProgram(StringRef path,
                                                   mlir::MLIRContext *context) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return createStringError(buffer.getError(), "cannot read '" + path + "'");
  FuzzProgram program;
  program.module =
      mlir::parseSourceString<mlir::ModuleOp>((*buffer)->getBuffer(), context);
  if (!program.module)
    return createStringError("'" + path + "' does not parse");
  SmallVector<StringRef> lines, specs;
  (*buffer)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    if (!line.consume_front(kCall))
      continue;
    specs.clear();
    line.trim().split(specs, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    std::vector<Array> &arguments = program.calls.emplace_back();
    for (StringRef spec : specs) {
      Expected<Array> array =
          run::readSpec(spec, "", /*seed=*/0, getPlainAllocator());
      if (!array)
        return array.takeError();
      arguments.push_back(std::move(*array));
    }
  }
  if (Error error = verifyCalls(program))
    return std::move(error);
  return program;
}
