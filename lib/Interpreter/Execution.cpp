//===- Execution.cpp - A run of the interpreter ---------------------------===//

#include "tally/Interpreter/Execution.h"

#include "ArgumentBinder.h"
#include "Names.h"
#include "tally/IR/Tally.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace tally::interpreter;
using mlir::Block;
using mlir::Operation;
using mlir::OpOperand;
using mlir::Region;

/// What addresses of allocations are multiples of, as on a GPU.
static constexpr int64_t kAllocationAlignment = 256;

Execution::Execution(const InterpreterOptions &options)
    : options(options), handlers(options.handlers ? *options.handlers
                                                  : HandlerTable::getDefault()),
      random(options.seed), nextAddress(kAllocationAlignment),
      stepsLeft(options.maxSteps), bytesLeft(options.maxBytes) {}

Execution::~Execution() = default;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const RuntimeValue &Execution::get(mlir::Value value) const {
  auto found = environment->find(value);
  assert(found != environment->end() && "a use comes after its definition");
  return found->second;
}

/// Whether nothing asks for the value after this use.
bool Execution::isLastUse(OpOperand &operand) {
  mlir::Value value = operand.get();
  Block *block = value.getParentBlock();
  Operation *owner = operand.getOwner();
  if (owner->getBlock() != block ||
      llvm::count(owner->getOperands(), value) > 1)
    return false;
  auto [entry, isNew] = lastUsers.try_emplace(value, nullptr);
  if (!isNew)
    return entry->second == owner;
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *around = block->findAncestorOpInBlock(*user);
    if (!around) {
      last = nullptr;
      break;
    }
    // A use inside of the last user may come at any time.
    if (!last || last->isBeforeInBlock(around))
      last = around;
  }
  if (last && last->getNumRegions() &&
      llvm::any_of(value.getUsers(), [&](Operation *user) {
        return user != last && last->isAncestor(user);
      }))
    last = nullptr;
  entry->second = last;
  return last == owner;
}

RuntimeValue Execution::take(OpOperand &operand) {
  auto found = environment->find(operand.get());
  assert(found != environment->end() && "a use comes after its definition");
  if (found->second.isTensor() && isLastUse(operand))
    return std::move(found->second);
  return found->second;
}

SmallVector<RuntimeValue> Execution::takeAll(MutableArrayRef<OpOperand> from) {
  SmallVector<RuntimeValue> values;
  for (OpOperand &operand : from)
    values.push_back(take(operand));
  return values;
}

void Execution::set(mlir::Value result, RuntimeValue value) {
  (*environment)[result] = std::move(value);
}

FailureOr<bool> Execution::observeBool(Operation *op, mlir::Value value) {
  const Scalar &scalar = getScalar(value);
  if (scalar.isPoison())
    return observedPoison(op, "the condition of '" +
                                  op->getName().getStringRef() + "'");
  return scalar.getBool();
}

FailureOr<int64_t> Execution::observeInt(Operation *op, mlir::Value value) {
  const Scalar &scalar = getScalar(value);
  if (scalar.isPoison())
    return observedPoison(op, "an index or a size of '" +
                                  op->getName().getStringRef() + "'");
  return scalar.getInt();
}

FailureOr<SmallVector<int64_t>>
Execution::observeInts(Operation *op, mlir::ValueRange values) {
  SmallVector<int64_t> result;
  for (mlir::Value value : values) {
    FailureOr<int64_t> number = observeInt(op, value);
    if (failed(number))
      return failure();
    result.push_back(*number);
  }
  return result;
}

FailureOr<SmallVector<int64_t>>
Execution::observeInts(Operation *op, ArrayRef<mlir::OpFoldResult> values) {
  SmallVector<int64_t> result;
  for (mlir::OpFoldResult value : values) {
    if (auto attr = dyn_cast<mlir::Attribute>(value)) {
      result.push_back(cast<mlir::IntegerAttr>(attr).getInt());
      continue;
    }
    FailureOr<int64_t> number = observeInt(op, cast<mlir::Value>(value));
    if (failed(number))
      return failure();
    result.push_back(*number);
  }
  return result;
}

FailureOr<int64_t> Execution::observeElement(Operation *op,
                                             const Tensor &tensor,
                                             int64_t position) {
  Scalar element = tensor.get(position);
  if (element.isPoison())
    return observedPoison(op, "an element that '" +
                                  op->getName().getStringRef() + "' needs");
  return element.getInt();
}

Scalar Execution::makePoison(Operation *op, StringRef reason) {
  if (!firstPoison)
    firstPoison.emplace(op->getLoc(),
                        (op->getName().getStringRef() + ": " + reason).str());
  return Scalar::ofPoison();
}

FailureOr<Tensor> Execution::makeTensor(Operation *op, mlir::Type elementType,
                                        ArrayRef<int64_t> shape) {
  if (!getBitWidth(elementType)) {
    std::string text;
    raw_string_ostream(text) << elementType;
    return unsupported(op, "the interpreter has no elements of type " + text);
  }
  if (failed(requireNonNegative(op, shape)))
    return failure();
  std::optional<int64_t> bytes = Tensor::getNumBytes(elementType, shape);
  if (failed(spendBytes(op, bytes.value_or(options.maxBytes))))
    return failure();
  if (!bytes)
    return error(RunError::Kind::Budget, op,
                 "a tensor has more bytes than the interpreter may make");
  return Tensor(elementType, shape);
}

FailureOr<Tensor> Execution::makeResult(Operation *op, mlir::Value result,
                                        ArrayRef<int64_t> shape) {
  auto type = cast<mlir::ShapedType>(result.getType());
  if (type.hasRank()) {
    if (type.getRank() != static_cast<int64_t>(shape.size()))
      return refuse(op, Twine(type.getRank()) + " == " + Twine(shape.size()),
                    "the rank of the result differs");
    for (auto [known, size] : zip_equal(type.getShape(), shape))
      if (!mlir::ShapedType::isDynamic(known) &&
          failed(requireEqual(op, size, known, "a size of the result")))
        return failure();
  }
  return makeTensor(op, type.getElementType(), shape);
}

Buffer Execution::allocate(Tensor elements, bool unaligned) {
  auto bytes = static_cast<int64_t>(elements.getBytes().size());
  int64_t elementBytes = divideCeil(*getBitWidth(elements.getElementType()), 8);
  SmallVector<int64_t> shape(elements.getShape());
  int64_t address = nextAddress + (unaligned ? elementBytes : 0);
  // Nothing lies right behind it.
  nextAddress += alignTo(bytes + elementBytes, kAllocationAlignment) +
                 kAllocationAlignment;
  int64_t count = elements.getNumElements();
  return {std::make_shared<Memory>(elements.withShape(count), address), shape};
}

FailureOr<Buffer> Execution::allocate(Operation *op, mlir::Type elementType,
                                      ArrayRef<int64_t> shape) {
  FailureOr<Tensor> elements = makeTensor(op, elementType, shape);
  if (failed(elements))
    return failure();
  return allocate(std::move(*elements));
}

//===----------------------------------------------------------------------===//
// Regions and calls
//===----------------------------------------------------------------------===//

LogicalResult Execution::leave(SmallVector<RuntimeValue> values) {
  next = nullptr;
  passed = std::move(values);
  return success();
}

LogicalResult Execution::branch(Block *block,
                                SmallVector<RuntimeValue> arguments) {
  next = block;
  passed = std::move(arguments);
  return success();
}

LogicalResult Execution::runOperation(Operation *op) {
  const Handler *&handler = found[op];
  if (!handler)
    handler = handlers.lookup(op);
  if (!handler)
    return unsupported(op, "the interpreter does not know '" +
                               op->getName().getStringRef() + "'");
  if (failed(spend(op)))
    return failure();
  const Handler *chosen = handler;
  if (failed((*chosen)(op, *this))) {
    if (!failedOperation)
      failedOperation = op;
    return failure();
  }
  if (op->getNumResults() == 0)
    return success();
  if (auto binding = dyn_cast<tally::UnbackedBindingOpInterface>(op))
    return bindResults(binding, *this);
  return success();
}

LogicalResult Execution::runBlock(Block &block) {
  for (Operation &op : block)
    if (failed(runOperation(&op)))
      return failure();
  return success();
}

LogicalResult Execution::run(Region &region, SmallVector<RuntimeValue> values,
                             SmallVectorImpl<RuntimeValue> &yielded) {
  Block *block = &region.front();
  while (block) {
    for (auto [argument, value] : zip_equal(block->getArguments(), values))
      set(argument, std::move(value));
    if (failed(runBlock(*block)))
      return failure();
    block = next;
    values = std::move(passed);
    passed.clear();
    next = nullptr;
  }
  yielded.assign(std::make_move_iterator(values.begin()),
                 std::make_move_iterator(values.end()));
  return success();
}

LogicalResult Execution::call(mlir::FunctionOpInterface callee,
                              SmallVector<RuntimeValue> arguments,
                              SmallVectorImpl<RuntimeValue> &results,
                              Operation *site) {
  Operation *where = site ? site : callee.getOperation();
  if (callee.isExternal())
    return unsupported(where,
                       "'" + callee.getName() + "' is called and has no body");
  if (depth >= options.maxDepth)
    return error(RunError::Kind::Budget, where,
                 "calls are nested more than " + Twine(options.maxDepth) +
                     " deep");
  Environment inner;
  NameTable innerNames;
  Environment *outer = std::exchange(environment, &inner);
  NameTable *outerNames = std::exchange(names, &innerNames);
  ++depth;
  LogicalResult result = bindArguments(callee, arguments, site, *this);
  if (succeeded(result))
    result = run(callee.getFunctionBody(), std::move(arguments), results);
  --depth;
  environment = outer;
  names = outerNames;
  return result;
}

mlir::FunctionOpInterface Execution::lookupFunction(Operation *from,
                                                    mlir::SymbolRefAttr name) {
  return symbolTables.lookupNearestSymbolFrom<mlir::FunctionOpInterface>(from,
                                                                         name);
}

//===----------------------------------------------------------------------===//
// Threads of a GPU
//===----------------------------------------------------------------------===//

std::pair<Block *, SmallVector<RuntimeValue>> Execution::takeBranch() {
  std::pair<Block *, SmallVector<RuntimeValue>> taken(
      std::exchange(next, nullptr), std::move(passed));
  passed.clear();
  return taken;
}

Environment *Execution::enterThread(Environment *values,
                                    const ThreadPlace *place) {
  thread = place;
  return std::exchange(environment, values);
}

SmallVector<int64_t> Execution::shuffle(int64_t count) {
  SmallVector<int64_t> order;
  for (int64_t number = 0; number < count; ++number) {
    // Each number changes places with one before it, or stays.
    auto place = static_cast<int64_t>(random() % (number + 1));
    order.push_back(number);
    std::swap(order[place], order.back());
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

LogicalResult Execution::runElement(Region &body, ArrayRef<int64_t> indices,
                                    SmallVector<RuntimeValue> arguments,
                                    SmallVectorImpl<RuntimeValue> &yielded) {
  ArrayRef<int64_t> outer = std::exchange(elementIndices, indices);
  LogicalResult result = run(body, std::move(arguments), yielded);
  elementIndices = outer;
  return result;
}

/// Whether `a` comes before `b` in the body that holds both.
static bool isBefore(Operation *a, Operation *b, Region &body) {
  Operation *first = nullptr;
  body.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (op != a && op != b)
      return mlir::WalkResult::advance();
    first = op;
    return mlir::WalkResult::interrupt();
  });
  return first == a && a != b;
}

LogicalResult ElementRuns::run(ArrayRef<int64_t> indices,
                               SmallVector<RuntimeValue> arguments,
                               SmallVectorImpl<RuntimeValue> &yielded) {
  if (succeeded(
          execution.runElement(body, indices, std::move(arguments), yielded)))
    return success();
  yielded.clear();
  return note();
}

LogicalResult ElementRuns::note() {
  Operation *op = execution.takeFailedOperation();
  // Behind a failed check nothing counts but the budget.
  if (const auto *error = std::get_if<RunError>(&*execution.getEnd()))
    if (!failed || error->kind == RunError::Kind::Budget)
      return failure();
  Execution::End end = *execution.takeEnd();
  auto *failure = std::get_if<CheckFailure>(&end);
  if (failure && (!failed || isBefore(op, failedOperation, body))) {
    failed = std::move(*failure);
    failedOperation = op;
  }
  return success();
}

LogicalResult ElementRuns::finish() {
  if (!failed)
    return success();
  return execution.fail(std::move(*failed));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

FailureOr<StringRef> Execution::readFile(Operation *op, StringRef path) {
  std::unique_ptr<MemoryBuffer> &buffer = files[path];
  if (!buffer) {
    SmallString<128> full(path);
    if (sys::path::is_relative(path)) {
      full = options.dataDirectory;
      sys::path::append(full, path);
    }
    ErrorOr<std::unique_ptr<MemoryBuffer>> read =
        MemoryBuffer::getFile(full, /*IsText=*/false,
                              /*RequiresNullTerminator=*/false);
    if (!read)
      return unsupported(
          op, "'" + full + "' cannot be read: " + read.getError().message());
    buffer = std::move(*read);
  }
  return buffer->getBuffer();
}

//===----------------------------------------------------------------------===//
// How a run ends
//===----------------------------------------------------------------------===//

LogicalResult Execution::fail(CheckFailure failure) {
  end.emplace(std::move(failure));
  return mlir::failure();
}

LogicalResult Execution::fail(RunError error) {
  end.emplace(std::move(error));
  return failure();
}

LogicalResult Execution::error(RunError::Kind kind, Operation *op,
                               const Twine &message) {
  end.emplace(RunError{kind, message.str(), op->getLoc()});
  return failure();
}

LogicalResult Execution::refuse(Operation *op, const Twine &expression,
                                const Twine &message) {
  CheckFailure failure(op->getLoc());
  failure.kind = CheckFailure::Kind::Precondition;
  failure.expression = expression.str();
  failure.message = message.str();
  failure.requiredBy = op->getName().getStringRef().str();
  return fail(std::move(failure));
}

LogicalResult Execution::requireEqual(Operation *op, int64_t a, int64_t b,
                                      const Twine &what) {
  if (a == b)
    return success();
  return refuse(op, Twine(a) + " == " + Twine(b), what);
}

LogicalResult Execution::requireSameShape(Operation *op, ArrayRef<int64_t> a,
                                          ArrayRef<int64_t> b) {
  if (a.size() != b.size())
    return refuse(op, Twine(a.size()) + " == " + Twine(b.size()), "the rank");
  for (auto [dim, sizes] : enumerate(zip_equal(a, b)))
    if (failed(requireEqual(op, std::get<0>(sizes), std::get<1>(sizes),
                            "size " + Twine(dim))))
      return failure();
  return success();
}

LogicalResult Execution::requireNonNegative(Operation *op,
                                            ArrayRef<int64_t> sizes) {
  for (int64_t size : sizes)
    if (size < 0)
      return refuse(op, "0 <= " + Twine(size), "a size is negative");
  return success();
}

FailureOr<int64_t> Execution::locate(Operation *op, const Tensor &tensor,
                                     ArrayRef<int64_t> indices) {
  if (std::optional<int64_t> position = tensor.getPosition(indices))
    return *position;
  for (auto [index, size] : zip_equal(indices, tensor.getShape()))
    if (index < 0 || index >= size)
      return refuse(op, "0 <= " + Twine(index) + " < " + Twine(size),
                    "an index is out of bounds");
  return failure();
}

LogicalResult Execution::spend(Operation *op, int64_t steps) {
  stepsLeft -= std::min(steps, stepsLeft + 1);
  if (stepsLeft >= 0)
    return success();
  return error(RunError::Kind::Budget, op,
               "the program takes more than " + Twine(options.maxSteps) +
                   " steps");
}

LogicalResult Execution::spendBytes(Operation *op, int64_t bytes) {
  if (bytes > bytesLeft)
    return error(RunError::Kind::Budget, op,
                 "the program makes more than " + Twine(options.maxBytes) +
                     " bytes of elements");
  bytesLeft -= bytes;
  return success();
}

LogicalResult Execution::observedPoison(Operation *op, const Twine &what) {
  std::string origin;
  raw_string_ostream os(origin);
  if (firstPoison) {
    os << "; poison was first made";
    if (auto file = firstPoison->first->findInstanceOf<mlir::FileLineColLoc>())
      os << " at " << file.getFilename().getValue() << ':' << file.getLine()
         << ':' << file.getColumn();
    os << " by " << firstPoison->second;
  }
  return error(RunError::Kind::Undefined, op, what + " is poison" + origin);
}
