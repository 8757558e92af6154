//===- ProcessorLevels.h - Kernels for several processors -------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_PROCESSORLEVELS_H
#define TALLY_LIB_DRIVER_PROCESSORLEVELS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tally {

/// The processors that code is generated for.
struct Processors {
  /// What each of them can do: one of LLVM's names, or `native`.
  std::string least;
  /// Levels of x86-64 that loops have a version for beside.
  llvm::SmallVector<llvm::StringRef> levels;
};

/// Reads the option --cpu: a processor, `generic` or a list of levels.
llvm::Expected<Processors> getProcessors(llvm::StringRef cpu);

/// Gives each body of a parallel loop, and each loop of one thread, a version
/// for each of the levels, which ascend, beside the one that it has. They are
/// declared by names that start with `prefix`: `defineVersions` makes them
/// where the body is. A constructor of the library asks
/// `tally_rt_processor_level` and chooses. Does nothing for other
/// architectures.
void declareVersions(llvm::Module &module, llvm::StringRef prefix,
                     llvm::ArrayRef<llvm::StringRef> levels);

/// Defines the versions of bodies that the module defines. Runs when code has
/// been simplified, which is done once for all versions, and before loops are
/// vectorized: vectors have another length in each version.
void defineVersions(llvm::Module &module);

/// Lets loops have vectors of 64 bytes where the processor that code is
/// generated for has them, as the versions for AVX-512 do.
void preferWideVectors(llvm::Module &module,
                       const llvm::TargetMachine &machine);

} // namespace tally

#endif // TALLY_LIB_DRIVER_PROCESSORLEVELS_H
