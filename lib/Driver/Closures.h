//===- Closures.h - What parallel loops get from outside --------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_CLOSURES_H
#define TALLY_LIB_DRIVER_CLOSURES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tally {

/// Leaves out of the closures of parallel loops what their bodies do not read,
/// as most numbers of a descriptor of memory, and has the closures of a
/// function lie in one place of its stack: the runtime needs one only while it
/// runs the loop. A model has hundreds of such calls, and to store a number
/// takes as long to compile as to compute it. Runs before code is optimized.
void shrinkClosures(llvm::Module &module);

} // namespace tally

#endif // TALLY_LIB_DRIVER_CLOSURES_H
