//===- LinearSystem.h - Linear facts as a Simplex problem -------*- C++ -*-===//
//
// Collects the linear constraints around an expression, each monomial being a
// variable, and asks MLIR's Simplex whether a further constraint fits.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_LINEARSYSTEM_H
#define TALLY_LIB_SYMBOLIC_PROOF_LINEARSYSTEM_H

#include "ProofCache.h"
#include "Shifts.h"

#include "tally/Symbolic/Proof/Prover.h"

#include "mlir/Analysis/Presburger/Simplex.h"

namespace tally::symbolic {

/// |value| <= 2 ** bits.
bool fitsBits(const DynamicAPInt &value, unsigned bits);

/// The facts that a system takes in.
enum class SystemScope : uint8_t {
  Related, ///< Facts about its monomials, and about what these bring in.
  Linear,  ///< The same, except what products and powers have from factors.
  Core,    ///< Facts that bring in no monomial.
};

/// A system of linear constraints over monomials. Constraints that would
/// exceed the budget are left out, which weakens it but never makes it wrong.
class LinearSystem {
public:
  /// Adds what it does to `work` and stops at budget.maxWork.
  LinearSystem(Facts &facts, const ProverBudget &budget, uint64_t &work,
               SystemScope scope = SystemScope::Related);
  ~LinearSystem();

  /// Collects everything around integer expressions and builds the Simplex.
  /// False if the expressions themselves are too large.
  bool build(llvm::ArrayRef<Expr> exprs);

  /// Whether no assignment (of rationals) fits the collected constraints.
  bool isContradictory();
  /// Whether none fits together with `expr >= 0` (`== 0` for an equality), an
  /// expression over the monomials of the one given to `build`. With
  /// `integers`, case distinctions and branch and bound are tried as well.
  bool isInfeasible(Expr expr, bool isEquality, bool integers);

  /// Returns true if a limit of the budget was reached with facts that are not
  /// in the core: that might say more.
  bool isCrowded() const {
    return isBeyondCore &&
           (variables.size() >= budget.maxVariables ||
            rows.size() >= budget.maxConstraints || work > budget.maxWork);
  }

  /// Returns true if a wider scope has nothing to add.
  bool isWhole() const { return !leavesOut; }

  /// The facts that the constraints rest on.
  const FactSet &getFacts() const { return ids; }

private:
  /// A linear form over the variables, at least zero or equal to zero.
  struct Row {
    llvm::SmallVector<std::pair<unsigned, DynamicAPInt>, 4> coefficients;
    DynamicAPInt constant;
    bool isEquality;
  };
  /// One of the alternatives holds, each a list of rows.
  struct Choice {
    llvm::SmallVector<llvm::SmallVector<Row, 1>, 2> alternatives;
  };

  std::optional<unsigned> getVariable(Expr monomial);
  std::optional<Row> makeRow(llvm::ArrayRef<Term> terms, bool isEquality);
  bool addRow(llvm::ArrayRef<Term> terms, bool isEquality = false);
  bool addExprRow(Expr expr, bool isEquality = false);
  std::optional<llvm::SmallVector<Row, 1>> makeCondition(Expr condition,
                                                         bool holds);

  void define(unsigned variable);
  void defineRange(Expr monomial);
  void defineDivision(Expr atom);
  void defineDivisionByExpr(Expr atom);
  void addQuotientBounds(Expr atom);
  void splitDivisor(Expr quotient);
  void compareQuotients(Expr left, Expr right);
  void relateQuotients();
  /// Adds that none of the gaps is negative, and that one of them is 0.
  void addNearest(llvm::ArrayRef<Expr> gaps);
  void defineExtremum(Expr atom);
  void defineAbs(Expr atom);
  void defineSelect(Expr atom);
  void definePower(Expr power);
  void defineProduct(Expr product);
  void addProductCuts(Expr product, Expr left, Expr right);
  void addFactCuts(Expr product, Expr factor);
  void addSquareCuts(Expr product);
  bool addTangents(llvm::ArrayRef<mlir::presburger::Fraction> sample);
  void addDivisionCuts(Expr division, Expr rest);
  void addFact(unsigned position);
  void addFactsAbout(Expr monomial);
  void addFactsInside(Expr symbol);
  bool isShortOrKnown(Expr fact) const;
  void addLongFacts();
  void addRelaxed(const Facts::LinearFact &fact);
  void addOpenFacts();
  void addOpenFact(const Facts::OpenFact &fact);

  llvm::SmallVector<DynamicAPInt, 8> makeCoefficients(const Row &row) const;
  void addToSimplex(const Row &row);
  bool satisfies(const Row &row,
                 llvm::ArrayRef<mlir::presburger::Fraction> sample) const;
  const Choice *
  findViolated(llvm::ArrayRef<mlir::presburger::Fraction> sample) const;
  std::optional<llvm::SmallVector<mlir::presburger::Fraction, 8>> getSample();
  bool isEmptyWithViolated();
  /// Asks with further rows, and takes back what was added meanwhile.
  bool isInfeasibleWith(llvm::ArrayRef<Row> extra,
                        llvm::function_ref<bool()> isInfeasible);
  bool isInfeasibleByBranching(unsigned &steps, unsigned depth);

  Facts &facts;
  Facts::Impl &impl;
  ExprContext &context;
  const ProverBudget &budget;
  uint64_t &work;
  SystemScope scope;
  /// A fact has brought in a monomial.
  bool isBeyondCore = false;
  /// The scope has left something out.
  bool leavesOut = false;

  llvm::DenseMap<Expr, unsigned> variableOf;
  llvm::SmallVector<Expr, 16> variables;
  llvm::SmallVector<Row, 0> rows;
  llvm::SmallVector<Choice, 0> choices;
  llvm::DenseSet<unsigned> addedFacts;
  /// Facts that were multiplied, with what.
  llvm::DenseSet<std::pair<unsigned, Expr>> addedCuts;
  FactSet ids;
  /// The rows that the Simplex has, also in the order they came in.
  std::vector<bool> isActive;
  llvm::SmallVector<unsigned, 16> activeRows;
  std::unique_ptr<mlir::presburger::Simplex> simplex;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_LINEARSYSTEM_H
