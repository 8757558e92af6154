//===- Execution.h - A run of the interpreter -------------------*- C++ -*-===//
//
// The environment of a handler: the values of operands and results, the regions
// of an operation, and the ways in which a run ends.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_INTERPRETER_EXECUTION_H
#define TALLY_INTERPRETER_EXECUTION_H

#include "tally/Interpreter/Buffer.h"
#include "tally/Interpreter/Interpreter.h"
#include "tally/Symbolic/Expr/Expr.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <random>

namespace llvm {
class MemoryBuffer;
} // namespace llvm

namespace tally::interpreter {

/// The values of names of the named form in one call of a function.
using NameTable = llvm::StringMap<symbolic::Value>;

/// Where a thread of a GPU is, in the dimensions x, y and z.
struct ThreadPlace {
  std::array<int64_t, 3> thread = {}, block = {};
  std::array<int64_t, 3> blockSize = {}, gridSize = {};
  /// The same as numbers; x is the innermost dimension.
  int32_t threadNumber = 0, blockNumber = 0;
  /// The launch, and how many barriers the block has passed.
  int32_t launch = 0, phase = 0;
};

/// The values of SSA values.
using Environment = llvm::DenseMap<mlir::Value, RuntimeValue>;

/// One run of a program.
class Execution {
public:
  explicit Execution(const InterpreterOptions &options);
  ~Execution();

  const InterpreterOptions &getOptions() const { return options; }

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  const RuntimeValue &get(mlir::Value value) const;
  const Scalar &getScalar(mlir::Value value) const {
    return get(value).getScalar();
  }
  const Tensor &getTensor(mlir::Value value) const {
    return get(value).getTensor();
  }
  const Buffer &getBuffer(mlir::Value value) const {
    return get(value).getBuffer();
  }
  /// The value of an operand that is not asked for again by this operation. The
  /// last use of a tensor gives it away, so that a write need not copy it.
  RuntimeValue take(mlir::OpOperand &operand);
  llvm::SmallVector<RuntimeValue>
  takeAll(llvm::MutableArrayRef<mlir::OpOperand> from);
  void set(mlir::Value result, RuntimeValue value);

  /// A scalar that decides something: a condition, an index, a size. Fails
  /// where it is poison.
  llvm::FailureOr<bool> observeBool(mlir::Operation *op, mlir::Value value);
  llvm::FailureOr<int64_t> observeInt(mlir::Operation *op, mlir::Value value);
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  observeInts(mlir::Operation *op, mlir::ValueRange values);
  /// The same for lists of constants and values.
  llvm::FailureOr<llvm::SmallVector<int64_t>>
  observeInts(mlir::Operation *op, llvm::ArrayRef<mlir::OpFoldResult> values);
  /// An element of a tensor of integers that decides something.
  llvm::FailureOr<int64_t>
  observeElement(mlir::Operation *op, const Tensor &tensor, int64_t position);

  /// Makes poison, and remembers the first place that did.
  Scalar makePoison(mlir::Operation *op, llvm::StringRef reason);

  /// Makes a tensor of poison, within the budget. Fails where a size is
  /// negative.
  llvm::FailureOr<Tensor> makeTensor(mlir::Operation *op,
                                     mlir::Type elementType,
                                     llvm::ArrayRef<int64_t> shape);
  /// Makes a tensor of the type of `result`; a static size of the type is a
  /// claim that is checked.
  llvm::FailureOr<Tensor> makeResult(mlir::Operation *op, mlir::Value result,
                                     llvm::ArrayRef<int64_t> shape);

  /// Allocates a buffer whose elements are those of a tensor. What is said to
  /// be `unaligned` starts one element behind where it would.
  Buffer allocate(Tensor elements, bool unaligned = false);
  /// Allocates a buffer of poison, within the budget.
  llvm::FailureOr<Buffer> allocate(mlir::Operation *op, mlir::Type elementType,
                                   llvm::ArrayRef<int64_t> shape);
  /// The buffer of a constant, which is made when it is first asked for.
  std::optional<Buffer> &getConstantBuffer(mlir::Operation *global) {
    return constantBuffers[global];
  }

  //===--------------------------------------------------------------------===//
  // Regions and calls
  //===--------------------------------------------------------------------===//

  /// Runs a region from its first block until a terminator leaves it.
  llvm::LogicalResult run(mlir::Region &region,
                          llvm::SmallVector<RuntimeValue> arguments,
                          llvm::SmallVectorImpl<RuntimeValue> &yielded);
  /// The same for the body of an operation at one of its elements.
  llvm::LogicalResult runElement(mlir::Region &body,
                                 llvm::ArrayRef<int64_t> indices,
                                 llvm::SmallVector<RuntimeValue> arguments,
                                 llvm::SmallVectorImpl<RuntimeValue> &yielded);
  /// For terminators: leaves the region with these values.
  llvm::LogicalResult leave(llvm::SmallVector<RuntimeValue> values);
  /// For terminators: goes on at another block.
  llvm::LogicalResult branch(mlir::Block *block,
                             llvm::SmallVector<RuntimeValue> arguments);
  /// Calls a function; `site` is null for the entry.
  llvm::LogicalResult call(mlir::FunctionOpInterface callee,
                           llvm::SmallVector<RuntimeValue> arguments,
                           llvm::SmallVectorImpl<RuntimeValue> &results,
                           mlir::Operation *site);
  /// The function of that name as seen from an operation, or null.
  mlir::FunctionOpInterface lookupFunction(mlir::Operation *from,
                                           mlir::SymbolRefAttr name);

  //===--------------------------------------------------------------------===//
  // Threads of a GPU
  //===--------------------------------------------------------------------===//

  /// Runs one operation; a terminator says by `takeBranch` where to go on.
  llvm::LogicalResult runOperation(mlir::Operation *op);
  /// The block that a terminator has chosen, or null where it has left its
  /// region, and what it passes on.
  std::pair<mlir::Block *, llvm::SmallVector<RuntimeValue>> takeBranch();
  /// What runs next is a part of this thread; null for the host. Returns the
  /// values of what has run before.
  Environment *enterThread(Environment *values, const ThreadPlace *place);
  /// The thread that is running, or null on the host.
  const ThreadPlace *getThread() const { return thread; }
  /// The number of a launch.
  int32_t countLaunch() { return ++numLaunches; }
  /// The numbers below `count` in an order that the seed decides.
  llvm::SmallVector<int64_t> shuffle(int64_t count);

  /// The indices of the element that is being computed, for `linalg.index`.
  llvm::ArrayRef<int64_t> getElementIndices() const { return elementIndices; }

  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  NameTable &getNames() { return *names; }

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  /// The contents of a data file.
  llvm::FailureOr<llvm::StringRef> readFile(mlir::Operation *op,
                                            llvm::StringRef path);

  //===--------------------------------------------------------------------===//
  // How a run ends
  //===--------------------------------------------------------------------===//

  /// Each ends the run and returns failure.
  llvm::LogicalResult fail(CheckFailure failure);
  llvm::LogicalResult fail(RunError error);
  llvm::LogicalResult error(RunError::Kind kind, mlir::Operation *op,
                            const llvm::Twine &message);
  llvm::LogicalResult unsupported(mlir::Operation *op,
                                  const llvm::Twine &message) {
    return error(RunError::Kind::Unsupported, op, message);
  }
  /// Ends the run because a precondition of an operation does not hold.
  llvm::LogicalResult refuse(mlir::Operation *op, const llvm::Twine &expression,
                             const llvm::Twine &message = "");
  /// Preconditions: success where they hold.
  llvm::LogicalResult requireEqual(mlir::Operation *op, int64_t a, int64_t b,
                                   const llvm::Twine &what);
  llvm::LogicalResult requireSameShape(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> a,
                                       llvm::ArrayRef<int64_t> b);
  llvm::LogicalResult requireNonNegative(mlir::Operation *op,
                                         llvm::ArrayRef<int64_t> sizes);
  /// The position of an element; fails where an index is outside.
  llvm::FailureOr<int64_t> locate(mlir::Operation *op, const Tensor &tensor,
                                  llvm::ArrayRef<int64_t> indices);
  /// Counts work; fails where the budget is spent.
  llvm::LogicalResult spend(mlir::Operation *op, int64_t steps = 1);
  llvm::LogicalResult spendBytes(mlir::Operation *op, int64_t bytes);

  /// Ends the run because poison is observed.
  llvm::LogicalResult observedPoison(mlir::Operation *op,
                                     const llvm::Twine &what);

  using End = std::variant<CheckFailure, RunError>;
  /// How the run has ended, if it has.
  const std::optional<End> &getEnd() const { return end; }
  /// The same; the run can go on.
  std::optional<End> takeEnd() { return std::exchange(end, std::nullopt); }
  /// The operation that has ended the run.
  mlir::Operation *takeFailedOperation() {
    return std::exchange(failedOperation, nullptr);
  }

private:
  llvm::LogicalResult runBlock(mlir::Block &block);
  bool isLastUse(mlir::OpOperand &operand);

  const InterpreterOptions &options;
  const HandlerTable &handlers;
  mlir::SymbolTableCollection symbolTables;
  llvm::DenseMap<mlir::Operation *, const Handler *> found;
  /// The operation of a value's block that uses it last, or null where another
  /// block uses it.
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastUsers;
  Environment *environment = nullptr;
  const ThreadPlace *thread = nullptr;
  int32_t numLaunches = 0;
  std::mt19937_64 random;
  NameTable *names = nullptr;
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> files;
  llvm::DenseMap<mlir::Operation *, std::optional<Buffer>> constantBuffers;
  /// Where the next allocation starts.
  int64_t nextAddress;

  /// The block that the terminator has chosen.
  mlir::Block *next = nullptr;
  llvm::SmallVector<RuntimeValue> passed;

  llvm::ArrayRef<int64_t> elementIndices;
  /// The operation that has ended the run.
  mlir::Operation *failedOperation = nullptr;

  int64_t stepsLeft;
  int64_t bytesLeft;
  unsigned depth = 0;
  std::optional<std::pair<mlir::Location, std::string>> firstPoison;
  std::optional<End> end;
};

/// Runs the body of an operation for each of its elements. Where it fails for
/// one, the others are run to find out whether an operation before the one that
/// has failed fails for them: by program order that is the first failure.
class ElementRuns {
public:
  ElementRuns(mlir::Region &body, Execution &execution)
      : body(body), execution(execution) {}

  /// Runs the body for one element. What it yields is empty where it has
  /// failed. Returns failure where the run has ended.
  llvm::LogicalResult run(llvm::ArrayRef<int64_t> indices,
                          llvm::SmallVector<RuntimeValue> arguments,
                          llvm::SmallVectorImpl<RuntimeValue> &yielded);
  /// Notes that the body has failed for an element that was run otherwise.
  /// Returns failure where the run has ended.
  llvm::LogicalResult note();
  bool hasFailed() const { return failed.has_value(); }
  /// After the last element: ends the run if the body has failed for one.
  llvm::LogicalResult finish();

private:
  mlir::Region &body;
  Execution &execution;
  /// The first failure, by program order, so far.
  std::optional<CheckFailure> failed;
  mlir::Operation *failedOperation = nullptr;
};

} // namespace tally::interpreter

#endif // TALLY_INTERPRETER_EXECUTION_H
