//===- ReadFirst.h - What ends upstream's readers ---------------*- C++ -*-===//
//
// Upstream's parser and reader of bytecode crash on some inputs by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_FUZZ_READFIRST_H
#define TALLY_TEST_FUZZ_READFIRST_H

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tally::fuzz {

/// Reads an input in a child, a fork of this process. True if the child
/// crashes, fails an assertion, or takes over 10 seconds or 2 GB, and no
/// function of Tally is on its stack then: this is not Tally's. All else is to
/// be seen in this process.
bool endsUpstream(llvm::function_ref<void()> read);

} // namespace tally::fuzz

#endif // TALLY_TEST_FUZZ_READFIRST_H
