//===- CustomCallOptions.h - --custom-call of tools -------------*- C++ -*-===//
//
// The option of every tool that reads exported programs: operators that become
// calls of custom functions.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TOOLS_CUSTOMCALLOPTIONS_H
#define TALLY_TOOLS_CUSTOMCALLOPTIONS_H

#include "tally/Import/Operators.h"

#include "llvm/Support/CommandLine.h"

#include <string>

namespace tally {

/// The option; a tool has one of these as a static object.
struct CustomCallOptions {
  explicit CustomCallOptions(llvm::cl::OptionCategory &category)
      : calls("custom-call",
              llvm::cl::desc("In FILE.pt2, make calls of an operator, as "
                             "mylib.scale.default, calls of a custom function "
                             "(default: none)"),
              llvm::cl::value_desc("operator=function"),
              llvm::cl::cat(category)) {}

  /// Returns what is wrong with the option for this file; empty if nothing is.
  std::string check(llvm::StringRef file) const {
    if (!calls.empty() && !file.ends_with(".pt2"))
      return ("--custom-call goes with a program of PyTorch (.pt2), not with "
              "'" +
              file + "'")
          .str();
    for (llvm::StringRef text : calls) {
      auto [target, function] = text.split('=');
      if (target.empty() || function.empty())
        return ("--custom-call wants OPERATOR=FUNCTION, not '" + text + "'")
            .str();
    }
    return "";
  }

  /// The operators that a program may use beside those of PyTorch.
  OperatorTable getOperators() const {
    OperatorTable operators;
    for (llvm::StringRef text : calls) {
      auto [target, function] = text.split('=');
      operators.addCustomCall(target, function);
    }
    return operators;
  }

  llvm::cl::list<std::string> calls;
};

} // namespace tally

#endif // TALLY_TOOLS_CUSTOMCALLOPTIONS_H
