//===- Interpreted.h - Calls of an interpreted program ----------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYRUN_INTERPRETED_H
#define TALLY_TOOLS_TALLYRUN_INTERPRETED_H

#include "Runner.h"

#include "tally/Import/Operators.h"
#include "tally/Interpreter/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally::run {

/// A program that the reference interpreter runs.
class InterpretedProgram : public Caller {
public:
  /// Reads a program, and brings it to a form: `named`, `bound`, `checked` or
  /// `gpu`; with none, it stays as it is. Reports what is wrong, and then
  /// returns null. `libraries` are handles of those with custom functions,
  /// `operators` are those that an exported program may use beside PyTorch's.
  static std::unique_ptr<InterpretedProgram>
  create(llvm::StringRef path, const tally::OperatorTable &operators,
         llvm::StringRef form, llvm::StringRef entry,
         llvm::ArrayRef<void *> libraries, const CountingAllocator &allocator);

  /// Decides in which order the threads of a kernel run.
  void setSeed(uint64_t seed) { options.seed = seed; }

  Signature getSignature() const override { return run::getSignature(entry); }
  Outcome call(std::vector<Array> &arguments) override;
  void resetState() override { state.clear(); }

private:
  explicit InterpretedProgram(const CountingAllocator &allocator)
      : allocator(allocator) {}

  mlir::LogicalResult findEntry(llvm::StringRef name);
  mlir::LogicalResult schedule();
  std::optional<Outcome>
  readArguments(llvm::ArrayRef<Array> arguments,
                llvm::SmallVectorImpl<interpreter::RuntimeValue> &values);
  Outcome writeResults(const interpreter::Results &results,
                       std::vector<Array> &arguments);

  const CountingAllocator &allocator;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::FunctionOpInterface entry;
  /// The program on its way to a GPU, if that is what is run, and its entry.
  mlir::OwningOpRef<mlir::ModuleOp> scheduled;
  mlir::FunctionOpInterface run;
  interpreter::InterpreterOptions options;
  /// What the program keeps; empty before the first call.
  std::vector<interpreter::RuntimeValue> state;
  /// What the last call has launched.
  std::vector<std::string> launches;
  llvm::SmallVector<void *> libraries;
};

/// Runs a program on its way to code, or compiled, and as the interpreter has
/// it, and compares what comes of them: results bit by bit, floats within a
/// tolerance, failed checks by their position and what needs them, but for
/// declarations of arguments.
class ComparingCaller : public Caller {
public:
  /// `word` says what the first of them is.
  ComparingCaller(Caller &compiled, Caller &interpreted, llvm::StringRef word,
                  const Tolerance &tolerance,
                  const CountingAllocator &allocator)
      : compiled(compiled), interpreted(interpreted), word(word),
        tolerance(tolerance), allocator(allocator) {}

  /// What the compiled program returns; a difference is an outcome of its own.
  Outcome call(std::vector<Array> &arguments) override;
  Signature getSignature() const override { return compiled.getSignature(); }
  bool isOnGpu() const override { return compiled.isOnGpu(); }
  void resetState() override {
    compiled.resetState();
    interpreted.resetState();
  }

private:
  Outcome differ(const llvm::Twine &message) const;

  Caller &compiled;
  Caller &interpreted;
  llvm::StringRef word;
  Tolerance tolerance;
  const CountingAllocator &allocator;
};

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_INTERPRETED_H
