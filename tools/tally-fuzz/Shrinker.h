//===- Shrinker.h - Smaller programs with the same finding ------*- C++ -*-===//

#ifndef TALLY_TOOLS_TALLYFUZZ_SHRINKER_H
#define TALLY_TOOLS_TALLYFUZZ_SHRINKER_H

#include "Sandbox.h"

namespace tally::fuzz {

/// Makes a program smaller as long as its verdict is like `verdict`, for at
/// most `seconds`. Updates the verdict to that of the result.
FuzzProgram shrink(FuzzProgram program, Verdict &verdict,
                   const SandboxOptions &options, mlir::MLIRContext *context,
                   unsigned seconds);

} // namespace tally::fuzz

#endif // TALLY_TOOLS_TALLYFUZZ_SHRINKER_H
