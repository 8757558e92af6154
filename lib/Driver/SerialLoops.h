//===- SerialLoops.h - Loops of one thread as functions ---------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_SERIALLOOPS_H
#define TALLY_LIB_DRIVER_SERIALLOOPS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tally {

/// Makes functions of outer loops that call nothing of the runtime and are in
/// none of `bodies`. Returns them; each is called in one place.
llvm::SmallVector<llvm::Function *>
extractSerialLoops(llvm::Module &module,
                   llvm::ArrayRef<llvm::Function *> bodies);

} // namespace tally

#endif // TALLY_LIB_DRIVER_SERIALLOOPS_H
