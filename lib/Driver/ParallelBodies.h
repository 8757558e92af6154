//===- ParallelBodies.h - The bodies of parallel loops ----------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_PARALLELBODIES_H
#define TALLY_LIB_DRIVER_PARALLELBODIES_H

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
class Use;
} // namespace llvm

namespace tally {

/// The functions that a module gives to the runtime to be called back, as
/// `tally_rt_parallel_for` does, in the order of the program, each with the
/// arguments of calls that it is.
llvm::MapVector<llvm::Function *, llvm::SmallVector<llvm::Use *>>
findParallelBodies(llvm::Module &module);

} // namespace tally

#endif // TALLY_LIB_DRIVER_PARALLELBODIES_H
