//===- ShapeFacts.h - The facts of a SymbolicShapes -------------*- C++ -*-===//
//
// Facts that hold by construction, and those that help to translate: the
// declarations and the statements before the operation that is visited.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_ANALYSIS_SHAPEFACTS_H
#define TALLY_LIB_ANALYSIS_SHAPEFACTS_H

#include "tally/Symbolic/Facts/Facts.h"

#include <optional>

namespace tally {

class ShapeFacts {
public:
  using Expr = symbolic::Expr;

  explicit ShapeFacts(symbolic::ExprContext &context) : proven(context) {}

  /// Facts that hold by construction (and declarations, if the options say so).
  symbolic::Facts &getProven() { return proven; }
  /// The facts that values are translated with.
  symbolic::Facts &getTranslation() { return declared ? *declared : proven; }
  /// These, if they are for translation only; else null.
  symbolic::Facts *getDeclared() { return declared.get(); }
  /// From now on there are facts that are for translation only.
  void separateDeclared() {
    declared = std::make_unique<symbolic::Facts>(proven.getContext());
  }

  /// A fact, or the range of a symbol, that holds by construction.
  void add(Expr fact, llvm::StringRef source);
  void addRange(Expr symbol, const symbolic::Interval &range);
  /// The symbol is a value: what is known of that where translation is now.
  void copyRange(Expr symbol, Expr value);

  /// The place of a statement or condition among the facts used to translate:
  /// it holds as long as this object lives. What holds by construction stays.
  class StatementScope {
  public:
    explicit StatementScope(ShapeFacts &facts);
    ~StatementScope();
    StatementScope(const StatementScope &) = delete;
    StatementScope &operator=(const StatementScope &) = delete;
    void add(Expr condition);

  private:
    ShapeFacts &facts;
    std::optional<symbolic::Facts::Scope> scope;
    size_t firstLasting;
  };

private:
  struct LastingFact {
    Expr expr;
    std::optional<symbolic::Interval> range;
    std::string source;
  };
  void translateWith(const LastingFact &fact);

  symbolic::Facts proven;
  std::unique_ptr<symbolic::Facts> declared;
  /// The facts that were added to `declared` inside of the open scopes.
  llvm::SmallVector<LastingFact, 0> lastingFacts;
  unsigned statementScopes = 0;
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_SHAPEFACTS_H
