//===- Expression.h - Explaining a failed expression -------------*- C++
//-*-===//
//
// A small reader of Tally's expression syntax, so that an error can show what
// each side of a comparison came to. It stands apart from lib/Symbolic because
// a compiled library must not depend on LLVM; what it cannot read is shown as a
// list of names and values instead.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_EXPRESSION_H
#define TALLY_LIB_RUNTIME_EXPRESSION_H

#include "Context.h"

#include <string>
#include <vector>

namespace tally::runtime {

/// Returns the value of a name as text.
std::string printValue(const NamedValue &value);

/// Says why `expression` does not hold: `24 * 7 = 168, s2 = 160`.
std::string explain(const std::string &expression,
                    const std::vector<NamedValue> &values);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_EXPRESSION_H
