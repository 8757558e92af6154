//===- Explain.cpp - Why an expression does not hold ----------------------===//
//
// Shows what each side of a comparison came to: `24 * 7 = 168, s2 = 160`.
//
//===----------------------------------------------------------------------===//

#include "Expression.h"

#include <algorithm>

using namespace tally::runtime;

namespace {

/// Collects the fragments of an explanation, each once.
class Explainer {
public:
  explicit Explainer(const std::string &text) : text(text) {}

  void visit(const Node &node) {
    if (node.kind == Node::Kind::Binary && node.operators[0] == "and") {
      visitConjunction(node);
      return;
    }
    bool isLogic =
        node.kind == Node::Kind::Comparison ||
        (node.kind == Node::Kind::Binary && node.operators[0] == "or") ||
        (node.kind == Node::Kind::Unary && node.operators[0] == "not");
    if (!isLogic) {
      visitSide(node);
      return;
    }
    for (const NodePtr &operand : node.operands)
      node.kind == Node::Kind::Comparison ? visitSide(*operand)
                                          : visit(*operand);
  }

  const std::vector<std::string> &getFragments() const { return fragments; }

private:
  /// Only what does not hold says something.
  void visitConjunction(const Node &node) {
    for (const NodePtr &operand : node.operands) {
      Result value = evaluate(*operand);
      if (value && !value->integer) {
        visit(*operand);
        return;
      }
    }
    for (const NodePtr &operand : node.operands)
      visit(*operand);
  }

  void visitSide(const Node &node) {
    if (node.kind == Node::Kind::Literal)
      return;
    if (node.kind == Node::Kind::Name) {
      add(node.name->name + " = " + printValue(*node.name));
      return;
    }
    Result value = evaluate(node);
    if (!value) {
      addNames(node);
      return;
    }
    // A negative number is a literal as well.
    std::string shown = substituted(node), number = printScalar(*value);
    if (shown != number)
      add(shown + " = " + number);
  }

  void addNames(const Node &node) {
    if (node.kind == Node::Kind::Name)
      add(node.name->name + " = " + printValue(*node.name));
    for (const NodePtr &operand : node.operands)
      addNames(*operand);
  }

  /// The text of `node` with every name replaced by its value.
  std::string substituted(const Node &node) {
    std::string result = text.substr(node.begin, node.end - node.begin);
    std::vector<const Node *> names;
    collectNames(node, names);
    for (auto it = names.rbegin(); it != names.rend(); ++it) {
      std::string value = printValue(*(*it)->name);
      if (value[0] == '-')
        value = "(" + value + ")";
      result.replace((*it)->nameBegin - node.begin, (*it)->name->name.size(),
                     value);
    }
    return result;
  }

  static void collectNames(const Node &node, std::vector<const Node *> &names) {
    if (node.kind == Node::Kind::Name)
      names.push_back(&node);
    for (const NodePtr &operand : node.operands)
      collectNames(*operand, names);
  }

  void add(std::string fragment) {
    // NOLINTNEXTLINE(llvm-use-ranges): the runtime does without LLVM.
    if (std::find(fragments.begin(), fragments.end(), fragment) ==
        fragments.end())
      fragments.push_back(std::move(fragment));
  }

  const std::string &text;
  std::vector<std::string> fragments;
};

} // namespace

static std::string join(const std::vector<std::string> &fragments) {
  std::string result;
  for (const std::string &fragment : fragments)
    result += (result.empty() ? "" : ", ") + fragment;
  return result;
}

std::string tally::runtime::explain(const std::string &expression,
                                    const std::vector<NamedValue> &values) {
  if (NodePtr node = parseExpression(expression, values)) {
    Explainer explainer(expression);
    explainer.visit(*node);
    return join(explainer.getFragments());
  }
  std::vector<std::string> fragments;
  for (const NamedValue &value : values)
    fragments.push_back(value.name + " = " + printValue(value));
  return join(fragments);
}
