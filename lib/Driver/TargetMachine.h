//===- TargetMachine.h - The processor to generate code for -----*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_TARGETMACHINE_H
#define TALLY_LIB_DRIVER_TARGETMACHINE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tally {

/// Makes a target machine that generates position-independent code for a
/// processor: `native`, or a name of LLVM's. It is one of this system where the
/// triple is empty.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(llvm::StringRef cpu, llvm::StringRef triple = "");

} // namespace tally

#endif // TALLY_LIB_DRIVER_TARGETMACHINE_H
