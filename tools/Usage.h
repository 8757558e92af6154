//===- Usage.h - What a command line has to name ----------------*- C++ -*-===//

#ifndef TALLY_TOOLS_USAGE_H
#define TALLY_TOOLS_USAGE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tally {

/// Says in one line that a command line lacks `what`, with a call of the tool
/// as it is meant: `tally-run: no file is given: tally-run FILE ...`. Returns
/// the exit status of bad use.
inline int reportMissing(llvm::StringRef tool, llvm::StringRef what,
                         llvm::StringRef usage) {
  llvm::errs() << tool << ": no " << what << " is given: " << tool << " "
               << usage << "; --help lists the options\n";
  return 1;
}

} // namespace tally

#endif // TALLY_TOOLS_USAGE_H
