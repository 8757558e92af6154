//===- DebugOptions.h - The debug log of a build with assertions *- C++ -*-===//

#ifndef TALLY_TOOLS_DEBUGOPTIONS_H
#define TALLY_TOOLS_DEBUGOPTIONS_H

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Debug.h"

namespace tally {

/// Makes `--debug-only` print what passes of Tally log, where Tally has been
/// built with assertions and LLVM has not: LLVM registers the option only if
/// both have. Call it before the command line is parsed.
inline void registerDebugOptions() {
#ifndef NDEBUG
  if (llvm::cl::getRegisteredOptions().contains("debug-only"))
    return;
  static llvm::cl::list<std::string> debugOnly(
      "debug-only",
      llvm::cl::desc("Print what these passes log while they decide"),
      llvm::cl::value_desc("pass,..."), llvm::cl::CommaSeparated,
      llvm::cl::cb<void, std::string>([](const std::string &) {
        llvm::DebugFlag = true;
        auto types = llvm::map_to_vector(
            debugOnly, [](const std::string &type) { return type.c_str(); });
        llvm::setCurrentDebugTypes(types.data(), types.size());
      }));
#endif
}

} // namespace tally

#endif // TALLY_TOOLS_DEBUGOPTIONS_H
