//===- SymPyCalls.h - Texts of SymPy as calls -------------------*- C++ -*-===//
//
// The form into which both notations are read: calls of SymPy's functions by
// name.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_TEXT_SYMPYCALLS_H
#define TALLY_LIB_SYMBOLIC_TEXT_SYMPYCALLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <utility>
#include <vector>

namespace tally::symbolic {

/// `name(arguments, key=value)`, a bare name, a quoted string or a number. The
/// names point into the text, or are literals.
struct SymPyCall {
  llvm::StringRef head;
  bool isString = false;
  std::vector<SymPyCall> args;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>, 2> keywords;

  SymPyCall() = default;
  explicit SymPyCall(llvm::StringRef head) : head(head) {}

  /// A call of arguments that are not copied.
  template <typename... ArgTs>
  static SymPyCall of(llvm::StringRef head, ArgTs &&...args) {
    SymPyCall call(head);
    call.args.reserve(sizeof...(args));
    (call.args.push_back(std::forward<ArgTs>(args)), ...);
    return call;
  }

  bool is(llvm::StringRef name, size_t numArgs) const {
    return head == name && args.size() == numArgs;
  }
};

/// How deep the texts may nest.
constexpr unsigned kMaxSymPyNesting = 500;

/// Splits `srepr` into calls; false if it is malformed.
bool parseSreprCalls(llvm::StringRef text, SymPyCall &call);
/// Reads infix as the calls that SymPy's `srepr` would show.
bool parseInfixCalls(llvm::StringRef text, SymPyCall &call);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_TEXT_SYMPYCALLS_H
