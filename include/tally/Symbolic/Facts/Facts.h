//===- Facts.h - What is known about symbols --------------------*- C++ -*-===//
//
// A scoped set of facts: ranges and divisors of symbols, equalities,
// inequalities and other boolean expressions that hold, each with where it
// comes from and how far it can be trusted.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_FACTS_FACTS_H
#define TALLY_SYMBOLIC_FACTS_FACTS_H

#include "tally/Symbolic/Expr/Congruence.h"
#include "tally/Symbolic/Expr/Expr.h"
#include "tally/Symbolic/Facts/FactSet.h"

namespace tally::symbolic {

/// How far a fact can be trusted (design D5).
enum class Provenance : uint8_t {
  Proven,  ///< Follows from other facts, or from how the value is made.
  Checked, ///< Verified at run time before anything relies on it.
  Assumed, ///< The user said so; nobody verifies it.
};

llvm::StringRef toString(Provenance provenance);

/// A fact as it was stated.
struct Fact {
  Expr expr;
  Provenance provenance;
  /// The origin in words: `x.size(0)`, `required_by linalg.add`.
  std::string source;
};

/// Facts about the symbols of one ExprContext, in nested scopes. A fact holds
/// from when it is added until its scope is popped.
class Facts {
public:
  explicit Facts(ExprContext &context);
  ~Facts();
  Facts(const Facts &) = delete;
  Facts &operator=(const Facts &) = delete;

  ExprContext &getContext() const { return context; }

  //===--------------------------------------------------------------------===//
  // Scopes
  //===--------------------------------------------------------------------===//

  void push();
  /// Forgets everything since the matching push.
  void pop();
  unsigned getDepth() const;

  /// A scope for a C++ block.
  class Scope {
  public:
    explicit Scope(Facts &facts) : facts(facts) { facts.push(); }
    ~Scope() { facts.pop(); }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Facts &facts;
  };

  //===--------------------------------------------------------------------===//
  // Stating facts
  //===--------------------------------------------------------------------===//

  /// Intersects what is known about a symbol with a range.
  FactId setRange(Expr symbol, const Interval &range,
                  Provenance provenance = Provenance::Checked,
                  llvm::StringRef source = "");
  /// States that a symbol is a multiple of a positive number.
  FactId setDivisor(Expr symbol, const DynamicAPInt &divisor,
                    Provenance provenance = Provenance::Checked,
                    llvm::StringRef source = "");
  FactId setDivisor(Expr symbol, int64_t divisor,
                    Provenance provenance = Provenance::Checked,
                    llvm::StringRef source = "") {
    return setDivisor(symbol, DynamicAPInt(divisor), provenance, source);
  }
  /// States that a boolean expression is true (and defined). Conjunctions are
  /// taken apart; an equality that can be solved for its last-defined symbol
  /// replaces that symbol from now on, never the other way round.
  FactId add(Expr fact, Provenance provenance = Provenance::Checked,
             llvm::StringRef source = "");

  const Fact &getFact(FactId id) const;
  size_t getNumFacts() const;

  /// Returns true if the facts were seen to exclude every assignment. (False
  /// does not mean that some assignment fits.)
  bool isContradictory() const;
  /// The facts that exclude each other.
  FactSet getContradiction() const;

  //===--------------------------------------------------------------------===//
  // Asking. Each may add to `used` the facts that it relied on.
  //===--------------------------------------------------------------------===//

  /// An expression that has the same value under every assignment that fits
  /// the facts, in terms of symbols defined as early as can be: equalities are
  /// put in, and what the ranges decide is folded (`n mod 8` for n divisible
  /// by 8, `max(n, 1)` for n >= 1). Idempotent.
  Expr simplify(Expr expr, FactSet *used = nullptr);

  /// Every value of an integer expression is in the set; a boolean counts as 0
  /// or 1.
  ValueSet valueSet(Expr expr, FactSet *used = nullptr);
  Interval range(Expr expr, FactSet *used = nullptr) {
    return valueSet(expr, used).getInterval();
  }
  Congruence congruence(Expr expr, FactSet *used = nullptr) {
    return valueSet(expr, used).getCongruence();
  }

  /// Returns true if the expression is known to have a value under every
  /// assignment that fits the facts. `and`, `or` and `select` are lazy: an
  /// operand counts only where it is evaluated.
  bool isDefined(Expr expr, FactSet *used = nullptr);

  /// Returns true if a node is known to have a value where its operands have
  /// one.
  bool isNodeDefined(Expr expr, FactSet *used = nullptr);

  /// Known linear facts, each `expr >= 0` or `expr == 0`, with equalities put
  /// in; the Prover's linear rung starts from these.
  struct LinearFact {
    Expr expr;
    bool isEquality;
    FactSet ids;
  };
  llvm::ArrayRef<LinearFact> getLinearFacts() const;
  /// Facts that are known to be true as they stand: disjunctions, disequalities
  /// and boolean symbols, simplified.
  struct OpenFact {
    Expr expr;
    FactSet ids;
  };
  llvm::ArrayRef<OpenFact> getOpenFacts() const;

  struct Impl;

private:
  ExprContext &context;

protected:
  /// Read through getImpl() of lib/Symbolic.
  std::unique_ptr<Impl> impl;
};

/// Adds the ids of `from` to `into`.
inline void mergeFacts(FactSet &into, const FactSet &from) {
  into.insert(from);
}

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_FACTS_FACTS_H
