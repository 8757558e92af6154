//===- Sandbox.h - Programs judged in processes of their own ----*- C++ -*-===//
//
// A crash or a program that does not end is a finding, and not the end.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_TALLYFUZZ_SANDBOX_H
#define TALLY_TOOLS_TALLYFUZZ_SANDBOX_H

#include "Judge.h"

#include <functional>
#include <map>

namespace tally::fuzz {

struct SandboxOptions {
  JudgeOptions judge;
  unsigned jobs = 1;
  /// How much time of the processor a program may take.
  unsigned seconds = 20;
};

/// Makes the program of an index, in the process that judges it; fails with
/// what is wrong with it.
using Make = std::function<llvm::Expected<FuzzProgram>(uint64_t index,
                                                       mlir::MLIRContext *)>;
/// Takes a verdict; returns false to stop.
using Take = std::function<bool(uint64_t index, const Verdict &verdict)>;
/// Seconds spent in each phase, in sum over all processes.
using PhaseTimes = std::map<std::string, double>;

/// Judges the programs from `begin` to `end`. What has been loaded and made
/// ready in this process and `context` is so in every child.
/// Adds to `times`, if it is not null.
void judgeAll(uint64_t begin, uint64_t end, const SandboxOptions &options,
              mlir::MLIRContext *context, const Make &make, const Take &take,
              PhaseTimes *times = nullptr);

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_SANDBOX_H
