//===- CompileOptions.h - Options of tools that compile ---------*- C++ -*-===//
//
// The options that tally-run and tally-compile share: how a program is
// compiled, and what is told of it while and after it is.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_COMPILEOPTIONS_H
#define TALLY_TOOLS_COMPILEOPTIONS_H

#include "CustomCallOptions.h"
#include "tally/Driver/Driver.h"

#include "llvm/Support/CommandLine.h"

namespace tally {

/// The options; a tool has one of these as a static object.
struct SharedCompileOptions {
  explicit SharedCompileOptions(llvm::cl::OptionCategory &category);

  /// Returns what is wrong with the options for this file; empty if nothing is.
  std::string check(llvm::StringRef file) const;

  /// The options for a program in this file.
  CompileOptions get(llvm::StringRef file) const;

  /// Whether one of those is given that decide what code is generated.
  bool decideCode() const {
    return target.getNumOccurrences() || checks.getNumOccurrences() ||
           elide.getNumOccurrences() || optimize.getNumOccurrences();
  }

  llvm::cl::opt<std::string> target;
  llvm::cl::alias device;
  llvm::cl::opt<std::string> checks;
  llvm::cl::opt<bool> elide;
  llvm::cl::opt<unsigned> optimize;
  llvm::cl::alias optimizeAlias;
  llvm::cl::list<std::string> link;
  llvm::cl::opt<bool> sourcePaths, explain, timing, verbose, verifyEach;
  CustomCallOptions customCalls;
};

} // namespace tally

#endif // TALLY_TOOLS_COMPILEOPTIONS_H
