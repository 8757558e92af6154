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
  /// Reads a program, and brings it to a form: `as-is`, `named`, `bound` or
  /// `checked`. Reports what is wrong, and then returns null. `libraries` are
  /// handles of those with custom functions, `operators` are those that an
  /// exported program may use beside PyTorch's.
  static std::unique_ptr<InterpretedProgram>
  create(llvm::StringRef path, const tally::OperatorTable &operators,
         llvm::StringRef form, llvm::StringRef entry,
         llvm::ArrayRef<void *> libraries, const CountingAllocator &allocator);

  Signature getSignature() const override { return run::getSignature(entry); }
  Outcome call(std::vector<Array> &arguments) override;

private:
  explicit InterpretedProgram(const CountingAllocator &allocator)
      : allocator(allocator) {}

  mlir::LogicalResult findEntry(llvm::StringRef name);
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
  std::string dataDirectory;
  llvm::SmallVector<void *> libraries;
};

/// Runs a compiled program and the interpreter, and compares what comes of
/// them: results bit by bit, floats within a tolerance, failed checks by their
/// position and what needs them.
class ComparingCaller : public Caller {
public:
  ComparingCaller(Caller &compiled, Caller &interpreted,
                  const Tolerance &tolerance,
                  const CountingAllocator &allocator)
      : compiled(compiled), interpreted(interpreted), tolerance(tolerance),
        allocator(allocator) {}

  /// What the compiled program returns; a difference is an outcome of its own.
  Outcome call(std::vector<Array> &arguments) override;
  Signature getSignature() const override { return compiled.getSignature(); }
  bool isOnGpu() const override { return compiled.isOnGpu(); }

private:
  Caller &compiled;
  Caller &interpreted;
  Tolerance tolerance;
  const CountingAllocator &allocator;
};

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_INTERPRETED_H
