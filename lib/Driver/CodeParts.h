//===- CodeParts.h - A module in parts that are compiled apart --*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_CODEPARTS_H
#define TALLY_LIB_DRIVER_CODEPARTS_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tally {

/// Takes functions that stand alone, bodies of parallel loops, out of a module.
/// Returns them as modules in bitcode; what is left declares them, with names
/// that start with `prefix`. How many there are follows from the module alone,
/// not from the machine: the code that comes out is the same everywhere. A
/// module with little to compile stays whole.
llvm::SmallVector<llvm::SmallString<0>> splitCode(llvm::Module &module,
                                                  llvm::StringRef prefix);

} // namespace tally

#endif // TALLY_LIB_DRIVER_CODEPARTS_H
