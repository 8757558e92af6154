//===- ProcessorLevels.h - Kernels for several processors -------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_PROCESSORLEVELS_H
#define TALLY_LIB_DRIVER_PROCESSORLEVELS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tally {

/// Gives each body of a parallel loop a version for x86-64-v3 and one for
/// x86-64-v4 beside the one for every processor. A constructor of the library
/// asks `tally_rt_processor_level` and chooses. Does nothing for other
/// architectures. Runs before code is optimized: vectors have another length in
/// each version.
void addProcessorLevels(llvm::Module &module);

} // namespace tally

#endif // TALLY_LIB_DRIVER_PROCESSORLEVELS_H
