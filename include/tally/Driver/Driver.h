//===- Driver.h - From a file to code ---------------------------*- C++ -*-===//
//
// The steps that tally-run, tally-compile and embedders of the compiler share:
// reading a program, lowering it, and making it code, in memory or in a file.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_DRIVER_DRIVER_H
#define TALLY_DRIVER_DRIVER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "tally/Runtime/tally_runtime.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class WritableMemoryBuffer;
} // namespace llvm

namespace mlir {
class ExecutionEngine;
class TimingScope;
} // namespace mlir

namespace tally {

class OperatorTable;
class ProgressLine;
struct CheckSummary;

/// Ends the process with status 1 and a message in the tool's name, instead of
/// a signal or an abort, where LLVM gives up or there is a fault. Call it after
/// InitLLVM.
void exitOnCrash(llvm::StringRef tool);

/// Adds every dialect and translation that a program may need on its way.
void registerDriverDialects(mlir::DialectRegistry &registry);

/// Reads an .mlir file, in any form, or an exported program (.pt2). Reports
/// what is wrong through the context's diagnostics, and then returns null. An
/// exported program may use `operators` beside those of PyTorch.
mlir::OwningOpRef<mlir::ModuleOp>
readProgram(llvm::StringRef path, mlir::MLIRContext *context,
            const OperatorTable *operators = nullptr);

/// How a program is compiled.
struct CompileOptions {
  /// Which asserts stay: all, entry or none.
  std::string checks = "all";
  /// Whether what is proven is left out; off, every check runs.
  bool elide = true;
  /// The prefix of the names of the C functions.
  std::string prefix = "tally";
  /// Where relative paths of data files start.
  std::string dataDirectory;
  /// The file that large constants go to, in the folder of what `emitFile`
  /// writes; they go into that where there is none.
  std::string dataFile;
  /// The operations that make a part of a parallel loop worth another thread.
  int64_t work = 32768;
  /// The processor to generate code for: a name of LLVM's, `native`, which is
  /// that of this machine, or levels of x86-64 with commas between them, the
  /// least first: loops have a version for each.
  std::string cpu = "native";
  /// The machine to generate code for, as LLVM names it: `aarch64-linux-gnu`;
  /// this one where it is empty.
  std::string triple;
  /// How hard LLVM optimizes: as its `-O` of that number, from 0 to 3.
  unsigned optimize = 3;
  /// `thread` has what `emitFile` writes for the CPU report accesses of memory
  /// to ThreadSanitizer; empty, none.
  std::string sanitize;
  /// Where the program runs: `cpu` or `cuda`.
  std::string target = "cpu";
  /// The GPU to compile for.
  std::string chip = "sm_90a";
  /// Stop where functions for the GPU are scheduled, which the interpreter
  /// runs.
  bool stopAtSchedule = false;
  /// Whether code tells where in the sources a check stands.
  bool sourcePaths = true;
  /// Emit a remark at each check that tells what became of it, one at each
  /// kernel that tells what is in it, and one where a producer was not fused.
  bool explain = false;
  /// Verify the module behind each pass, and Tally's forms between the stages.
  bool verifyEach = false;
};

/// The receivers of reports about a compilation. Each may be null.
struct CompileReport {
  /// Where what became of checks is counted.
  CheckSummary *checks = nullptr;
  /// Where the time of stages is added up.
  mlir::TimingScope *timing = nullptr;
  /// Whether that of passes is, too.
  bool timesPasses = false;
  /// Is told of each stage.
  ProgressLine *progress = nullptr;
};

/// Lowers a program in any form to the LLVM dialect.
llvm::LogicalResult lowerProgram(mlir::ModuleOp module,
                                 const CompileOptions &options,
                                 const CompileReport &report = {});

/// The names of the functions from elsewhere that a module of the LLVM dialect
/// calls.
llvm::SmallVector<llvm::StringRef> getCustomFunctions(mlir::ModuleOp module);

/// Loads a library with custom functions for the rest of this process. Returns
/// its handle.
llvm::Expected<void *> loadCustomLibrary(llvm::StringRef path);

/// A program compiled in memory.
class JitProgram {
public:
  /// Compiles a module of the LLVM dialect. Fails where it calls a custom
  /// function that none of these libraries (handles of dlopen) has. LLVM
  /// optimizes as hard as its `-O` of that number.
  static llvm::Expected<std::unique_ptr<JitProgram>>
  create(mlir::ModuleOp module, llvm::ArrayRef<void *> libraries = {},
         unsigned optimize = 3);
  ~JitProgram();

  const tally_rt_library &getLibrary() const { return *library; }

private:
  JitProgram();

  /// The constants to which the code refers.
  std::unique_ptr<llvm::WritableMemoryBuffer> constants;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  const tally_rt_library *library = nullptr;
};

/// The kind of file that holds code.
enum class OutputKind { Object, Archive, Library };

/// The kind that the end of a file's name asks for: `.o`, `.a` or `.so`, also
/// with a version behind it (`libf.so.1`); nothing where it asks for none of
/// them.
std::optional<OutputKind> getOutputKind(llvm::StringRef path);

/// Whether code for a machine, as LLVM names it, runs on this one. Nothing is
/// this machine's name, too.
bool isThisMachine(llvm::StringRef triple);

/// The files that go into a library, or an archive, beside the program.
struct LinkOptions {
  /// The archive of the runtime.
  std::string runtime;
  /// Object files, archives and libraries with custom functions.
  std::vector<std::string> files;
};

/// Writes a module of the LLVM dialect as position-independent code: an object
/// file, which the runtime is to be linked with, an archive that holds it, or a
/// shared library, which holds it and shows the C interface only.
llvm::Error emitFile(mlir::ModuleOp module, const CompileOptions &options,
                     const LinkOptions &link, llvm::StringRef path,
                     const CompileReport &report = {});

} // namespace tally

#endif // TALLY_DRIVER_DRIVER_H
