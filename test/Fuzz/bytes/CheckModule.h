//===- CheckModule.h - The check pipeline on any module ---------*- C++ -*-===//

#ifndef TALLY_TEST_FUZZ_CHECKMODULE_H
#define TALLY_TEST_FUZZ_CHECKMODULE_H

#include "llvm/ADT/StringRef.h"

namespace tally::fuzz {

/// Reads a module, as text or as bytecode, and takes it to the checked form, as
/// tally-opt does. Whatever is reported is right; a pass that succeeds and
/// leaves invalid IR ends the process.
void checkModule(llvm::StringRef content);

} // namespace tally::fuzz

#endif // TALLY_TEST_FUZZ_CHECKMODULE_H
