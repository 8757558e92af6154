//===- ToolVersion.h - What --version of a tool prints ----------*- C++ -*-===//

#ifndef TALLY_TOOLS_TOOLVERSION_H
#define TALLY_TOOLS_TOOLVERSION_H

#include "tally/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace tally {

/// Makes `--version` print the versions of Tally and of LLVM. Call it before
/// the command line is parsed.
inline void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "Tally version " TALLY_VERSION_STRING "\n"
       << "LLVM version " LLVM_VERSION_STRING "\n";
  });
}

} // namespace tally

#endif // TALLY_TOOLS_TOOLVERSION_H
