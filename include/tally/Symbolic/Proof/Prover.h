//===- Prover.h - Deciding questions about symbols --------------*- C++ -*-===//
//
// Answers whether a boolean expression holds under every assignment that fits
// the facts. Goes from cheap to strong and stops at the first answer; every
// rung has a budget, so that no question hangs.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_PROOF_PROVER_H
#define TALLY_SYMBOLIC_PROOF_PROVER_H

#include "tally/Symbolic/Facts/Facts.h"

namespace tally::symbolic {

enum class Verdict : uint8_t {
  Yes,           ///< True (and defined) for every assignment that fits.
  No,            ///< False (and defined) for every assignment that fits.
  Unknown,       ///< Neither was found, or it is undefined for some.
  Contradiction, ///< No assignment fits the facts.
};

llvm::StringRef toString(Verdict verdict);

/// The method that decided a question, from cheap to strong.
enum class Rung : uint8_t {
  None,      ///< Nothing did: the verdict is Unknown.
  Canonical, ///< Building the expression.
  Ranges,    ///< Intervals and congruences of the symbols.
  Facts,     ///< Equalities put in, known inequalities matched.
  Linear,    ///< Rational Simplex over the linear facts.
  Integer,   ///< Branch and bound over the integers, case distinctions.
  Z3,        ///< An SMT solver; the Prover itself never asks it.
};

llvm::StringRef toString(Rung rung);

/// Why an answer is unknown.
enum class Doubt : uint8_t {
  None,         ///< No proof was found within the budget.
  Undefined,    ///< It may have no value at an assignment that fits the facts.
  Disagreement, ///< Two assignments that fit disagree: there is no proof.
};

/// Why there is no answer, in words.
llvm::StringRef toString(Doubt doubt);

/// An answer and why.
struct Answer {
  Verdict verdict = Verdict::Unknown;
  Rung rung = Rung::None;
  Doubt doubt = Doubt::None;
  /// The facts the answer relies on (a superset of what is needed).
  FactSet facts;

  bool isYes() const { return verdict == Verdict::Yes; }
  bool isNo() const { return verdict == Verdict::No; }
};

/// Limits of a single question. Exceeding one makes the answer Unknown.
struct ProverBudget {
  /// The strongest rung to try.
  Rung strongest = Rung::Integer;
  /// Variables and constraints of the linear system.
  unsigned maxVariables = 48;
  unsigned maxConstraints = 96;
  /// Nodes of branch and bound, case distinctions included.
  unsigned maxBranches = 64;
  /// Linear systems that one question may build.
  unsigned maxSystems = 48;
  /// Entries of Simplex tableaux that one question may compute, about; longer
  /// numbers count more.
  uint64_t maxWork = 24000;
  /// Bits of a coefficient.
  unsigned maxCoefficientBits = 256;
};

/// Decides questions under the facts as they are at the time of the question.
class Prover {
public:
  explicit Prover(Facts &facts, ProverBudget budget = {})
      : facts(facts), budget(budget) {}

  Facts &getFacts() const { return facts; }

  /// Is the boolean expression true under every assignment that fits?
  Answer prove(Expr query);
  /// Shorthands for prove(...).isYes().
  bool isProven(Expr query) { return prove(query).isYes(); }
  bool isProvenEqual(Expr a, Expr b);
  bool isProvenLe(Expr a, Expr b);

private:
  /// The ladder, for facts that some assignment fits.
  Answer climb(Expr query);

  Facts &facts;
  ProverBudget budget;
};

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_PROOF_PROVER_H
