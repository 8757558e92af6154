//===- Interpreter.h - The reference interpreter ----------------*- C++ -*-===//
//
// Runs a program in the named, the bound or the checked form, or without any
// annotation of Tally, as it stands: exactly, slowly and with every check on.
// docs/Interpreter.md tells what it runs and what the results mean.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_INTERPRETER_INTERPRETER_H
#define TALLY_INTERPRETER_INTERPRETER_H

#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tally/Interpreter/Value.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tally::interpreter {

//===----------------------------------------------------------------------===//
// Outcomes of a run
//===----------------------------------------------------------------------===//

/// A check of the program that does not hold for these arguments.
struct CheckFailure {
  enum class Kind : uint8_t {
    /// A declaration of an argument: a range, a divisor, a static size.
    Declaration,
    /// A `tally.check`, a `tally.assert` or a `cf.assert`.
    Statement,
    /// A precondition of an operation that no statement has refused before. In
    /// the checked form there is none.
    Precondition,
    /// The custom function of a `tally.custom_call` has failed.
    CustomCall,
  };
  Kind kind = Kind::Statement;
  /// The condition that does not hold, as an expression: `s0 * s1 == s2`.
  std::string expression;
  /// The values in it: `s0` and `3`.
  std::vector<std::pair<std::string, std::string>> values;
  /// Where a value comes from, as a person knows it: `s0` from `x.size(0)`.
  std::map<std::string, std::string> sources;
  /// The message of the author or of the operation.
  std::string message;
  /// The operation that needs it, or the argument that declares it.
  std::string requiredBy;
  std::string declaredBy;
  mlir::Location loc;

  explicit CheckFailure(mlir::Location loc) : loc(loc) {}
  /// One line, which the runtime words as for compiled code.
  std::string describe() const;
};

/// Why there are neither results nor a failed check.
struct RunError {
  enum class Kind : uint8_t {
    /// An operation or a type that the interpreter does not know.
    Unsupported,
    /// Arguments that do not fit the signature: their number, a type, a rank.
    BadArguments,
    /// The program takes more steps, elements or calls than allowed.
    Budget,
    /// Poison was observed, a `tally.assume` or a declared fact does not hold,
    /// an access is outside of its buffer, threads race or part at a barrier.
    Undefined,
  };
  Kind kind = Kind::Unsupported;
  std::string message;
  mlir::Location loc;

  /// One line with the location.
  std::string describe() const;
};

/// The results of a run.
struct Results {
  /// The returned values, without those that are written back to arguments.
  std::vector<RuntimeValue> returned;
  /// Arguments with their new contents (`tally.mutates`), in the order of the
  /// function's results.
  std::vector<std::pair<unsigned, RuntimeValue>> mutated;
  /// What the function keeps for the next call (`tally.state`), in the order of
  /// its arguments.
  std::vector<RuntimeValue> state;
};

using Outcome = std::variant<Results, CheckFailure, RunError>;

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

class Execution;

/// Runs one operation: reads operands, sets results. Returns failure where the
/// run is over, after having said why (`Execution::fail`, `Execution::error`).
using Handler =
    std::function<llvm::LogicalResult(mlir::Operation *, Execution &)>;

/// The operations that the interpreter knows, by name.
class HandlerTable {
public:
  /// All that the interpreter brings.
  static const HandlerTable &getDefault();

  /// Adds a handler, or replaces one.
  void add(llvm::StringRef operation, Handler handler);
  /// Adds a handler for operations that have none by their name, such as those
  /// that implement an interface.
  void addForAll(std::function<bool(mlir::Operation *)> applies,
                 Handler handler);
  /// The handler of an operation, or null.
  const Handler *lookup(mlir::Operation *op) const;

private:
  llvm::StringMap<Handler> handlers;
  std::vector<std::pair<std::function<bool(mlir::Operation *)>, Handler>>
      general;
};

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The outcome of a custom function: a result for each of the call's, or the
/// reason why it failed, or the condition that a size it has written breaks.
struct CustomCallResult {
  std::vector<RuntimeValue> results;
  std::optional<std::string> failure;
  std::optional<std::string> wrongSize;
};

/// Calls the function that a `tally.custom_call` names. `destinations` are
/// tensors of the sizes of the bounds, and scalars; a result that is a tensor
/// has the actual sizes, compact. Returns nothing where there is no such
/// function.
using CustomCaller = std::function<std::optional<CustomCallResult>(
    mlir::Operation *call, llvm::ArrayRef<RuntimeValue> arguments,
    llvm::ArrayRef<RuntimeValue> destinations)>;

struct InterpreterOptions {
  /// How many operations a run may execute, those of every element of a
  /// structured operation counted.
  int64_t maxSteps = 1'000'000'000;
  /// How many bytes of elements a run may make, in sum.
  int64_t maxBytes = int64_t(1) << 34;
  /// How deeply calls may be nested.
  unsigned maxDepth = 200;
  /// Decides in which order the blocks and the threads of a kernel run. If it
  /// is odd, buffers that are arguments start one element behind an address
  /// that is aligned. The second bit is what `tally.any_order` gives.
  uint64_t seed = 0;
  /// Where relative paths of data files start.
  std::string dataDirectory = ".";
  /// If it is null, a `tally.custom_call` is an error that names the function.
  CustomCaller customCaller;
  /// Is called with the name of each kernel that is launched, and its blocks.
  std::function<void(llvm::StringRef kernel, int64_t numBlocks)> onLaunch;
  /// If it is null, the default table is used.
  const HandlerTable *handlers = nullptr;
};

/// Runs a function with a value for each of its arguments but the hidden ones
/// (`tally.hidden`), which are those of compact tensors. The module must be
/// valid; it is not changed. The functions of other modules are not visible.
Outcome interpret(mlir::FunctionOpInterface entry,
                  llvm::ArrayRef<RuntimeValue> args,
                  const InterpreterOptions &options = {});

} // namespace tally::interpreter

#endif // TALLY_INTERPRETER_INTERPRETER_H
