//===- Expression.h - Explaining a failed expression ------------*- C++ -*-===//
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

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tally::runtime {

using Wide = __int128;

/// A value of the language.
struct Scalar {
  tally_rt_kind kind = TALLY_RT_INT;
  Wide integer = 0;
  double real = 0;

  static Scalar ofInt(Wide value) {
    return {TALLY_RT_INT, value, static_cast<double>(value)};
  }
  static Scalar ofBool(bool value) {
    return {TALLY_RT_BOOL, value, static_cast<double>(value)};
  }
  static Scalar ofFloat(double value) { return {TALLY_RT_FLOAT, 0, value}; }
};

using Result = std::optional<Scalar>;

/// A piece of the expression, with the text it was read from.
struct Node {
  enum class Kind { Literal, Name, Call, Binary, Unary, Comparison };
  Kind kind;
  size_t begin = 0;
  size_t end = 0;
  /// The operator or function; of a comparison one operator after the other.
  std::vector<std::string> operators;
  std::vector<std::unique_ptr<Node>> operands;
  Scalar literal;
  const NamedValue *name = nullptr;
  /// Where the name itself is; `begin` includes parentheses around it.
  size_t nameBegin = 0;
};

using NodePtr = std::unique_ptr<Node>;

/// Parses an expression; null where it cannot be read.
NodePtr parseExpression(const std::string &text,
                        const std::vector<NamedValue> &values);

/// Evaluates an expression; nothing where it has no value that can be told.
Result evaluate(const Node &node);

/// Returns a value as text.
std::string printScalar(const Scalar &number);

/// Returns the value of a name as text.
std::string printValue(const NamedValue &value);

/// Says why `expression` does not hold: `24 * 7 = 168, s2 = 160`.
std::string explain(const std::string &expression,
                    const std::vector<NamedValue> &values);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_EXPRESSION_H
