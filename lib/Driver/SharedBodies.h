//===- SharedBodies.h - Loops that differ in numbers alone ------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_SHAREDBODIES_H
#define TALLY_LIB_DRIVER_SHAREDBODIES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tally {

/// Makes one function of bodies of parallel loops that differ in constants
/// alone: each call passes its own. Layers of a model are often alike but for
/// their sizes, and to compile a body takes longer than to load some numbers.
/// Small integers are never passed: short loops are unrolled, and what they
/// stride over is worth a body of its own. Runs before code is optimized.
void shareBodies(llvm::Module &module);

} // namespace tally

#endif // TALLY_LIB_DRIVER_SHAREDBODIES_H
