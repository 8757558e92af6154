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

/// Makes a target machine for this system that generates position-independent
/// code for a processor: `native`, or a name of LLVM's.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(llvm::StringRef cpu);

} // namespace tally

#endif // TALLY_LIB_DRIVER_TARGETMACHINE_H
