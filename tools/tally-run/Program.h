//===- Program.h - A program that can be called -----------------*- C++ -*-===//
//
// Compiled in this process, or loaded from a library that tally-compile wrote.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYRUN_PROGRAM_H
#define TALLY_TOOLS_TALLYRUN_PROGRAM_H

#include "tally/Driver/Driver.h"

namespace tally::run {

/// The functions of a runtime. A compiled library has its own copy of it, which
/// its contexts have to come from.
struct RuntimeFunctions {
#define TALLY_RUN_FUNCTIONS(X)                                                 \
  X(abi_version)                                                               \
  X(context_create)                                                            \
  X(context_destroy)                                                           \
  X(last_error)                                                                \
  X(invoke)                                                                    \
  X(get_counters)                                                              \
  X(reset_counters)                                                            \
  X(reset_state)                                                               \
  X(set_deterministic)                                                         \
  X(copy_to_device)                                                            \
  X(copy_to_host)                                                              \
  X(synchronize)
#define TALLY_RUN_MEMBER(name) decltype(&tally_rt_##name) name;
  TALLY_RUN_FUNCTIONS(TALLY_RUN_MEMBER)
#undef TALLY_RUN_MEMBER

  /// Those of this process.
  static RuntimeFunctions get();
};

/// A program and the runtime that calls it.
class Program {
public:
  /// Wraps a program that was compiled in this process.
  explicit Program(std::unique_ptr<JitProgram> compiled);
  /// Loads a library.
  static llvm::Expected<Program> load(llvm::StringRef path);

  const tally_rt_library &getLibrary() const { return *library; }
  const RuntimeFunctions &getRuntime() const { return runtime; }
  /// Whether its tensors live on the GPU.
  bool isForGpu() const { return library->device_type == kDLCUDA; }

private:
  Program() = default;

  std::unique_ptr<JitProgram> compiled;
  const tally_rt_library *library = nullptr;
  RuntimeFunctions runtime = {};
};

/// Finds out what to compile for on this machine's first GPU; fails where there
/// is none.
llvm::Expected<std::string> findChip();

} // namespace tally::run

#endif // TALLY_TOOLS_TALLYRUN_PROGRAM_H
