//===- FactsImpl.h - The tables behind Facts --------------------*- C++ -*-===//
//
// What Facts knows, in the shape that questions need it, and the log that
// takes it back when a scope ends.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_FACTSIMPL_H
#define TALLY_LIB_SYMBOLIC_FACTS_FACTSIMPL_H

#include "Expr/ContextImpl.h"
#include "FactIndex.h"
#include "Witness.h"

#include "tally/Symbolic/Facts/Facts.h"

#include "llvm/ADT/BitVector.h"

#include <functional>

namespace tally::symbolic {

/// An integer expression as factor * shape + offset: the shape has no constant
/// term, lowest terms and a positive first coefficient. A literal has the
/// shape 0.
struct ShapeSplit {
  Expr shape;
  DynamicAPInt factor, offset;
};
ShapeSplit splitShape(Expr expr, ExprContext &context);

class SolvedForm;
struct ProverBudget;

/// When expressions last changed. What changes about an expression can only
/// change answers about expressions with a symbol defined as late or later: a
/// Fenwick tree holds, for prefixes of the order of definition, the last time.
class ChangeTimes {
public:
  void note(Expr expr, uint64_t time);
  uint64_t getLast(Expr expr) const;

private:
  llvm::SmallVector<uint64_t, 0> times;
};

struct Facts::Impl {
  /// How deep one fact may lead to another.
  static constexpr unsigned maxNesting = 24;

  explicit Impl(ExprContext &context) : context(context) {}

  /// What is known about the values of a shape.
  struct Known {
    ValueSet set;
    FactSet ids;
  };
  /// What takes the place of a symbol or another atom.
  struct Replacement {
    Expr value;
    FactSet ids;
  };
  /// A simplified expression and the facts that this took.
  struct Simplified {
    Expr expr;
    FactSet ids;
  };
  struct Mark {
    size_t numFacts, numUndo;
    uint64_t version;
  };

  ExprContext &context;
  llvm::SmallVector<Fact, 0> facts;
  Witness witness{*this};
  llvm::SmallVector<Mark, 4> marks;
  std::vector<std::function<void()>> undo;

  llvm::DenseMap<Expr, Known> known;
  llvm::DenseMap<Expr, Replacement> replacements;
  /// Expressions that are known to have a value because a fact has one.
  llvm::DenseMap<Expr, FactSet> definedNodes;
  /// Boolean expressions that are true.
  llvm::DenseMap<Expr, FactSet> truths;
  llvm::SmallVector<LinearFact, 0> linear;
  llvm::SmallVector<OpenFact, 0> open;
  /// The linear facts with a monomial as a term, and those with a symbol inside
  /// of terms only; the open facts that mention a symbol.
  FactIndex linearOfMonomial, linearAround, openOfSymbol;
  /// The latest linear facts that mention a symbol, or have another monomial as
  /// a term, in ascending order.
  llvm::SmallVector<unsigned, 8>
  getLinearFactsAbout(Expr key, size_t maxFacts = SIZE_MAX) const {
    llvm::ArrayRef<unsigned> terms =
        linearOfMonomial.lookup(key).take_back(maxFacts);
    llvm::ArrayRef<unsigned> around =
        linearAround.lookup(key).take_back(maxFacts);
    llvm::SmallVector<unsigned, 8> result(terms.size() + around.size());
    std::merge(terms.begin(), terms.end(), around.begin(), around.end(),
               result.begin());
    if (result.size() > maxFacts)
      result.erase(result.begin(), result.end() - maxFacts);
    return result;
  }
  /// The linear facts with an atom that a further fact may fold.
  FactIndex foldableOfSymbol;
  size_t numFoldable = 0;
  /// The products with a factor whose value sets are known.
  llvm::DenseMap<Expr, llvm::SmallVector<Expr, 2>> productsOfFactor;
  bool contradictory = false;
  FactSet contradiction;

  /// An answer and when it was found.
  template <typename T>
  struct Stamped {
    T answer;
    uint64_t time;
  };
  llvm::DenseMap<Expr, Stamped<Known>> valueCache;
  llvm::DenseMap<Expr, Stamped<Simplified>> simplifyCache;
  /// Sums of many symbols from the values of the symbols alone.
  llvm::DenseMap<Expr, Stamped<Known>> longSums;
  /// Counts changes.
  uint64_t clock = 1;
  /// When anything changed, and when the value of a symbol did.
  ChangeTimes changes, symbolChanges;
  /// Symbols, by ordinal, that have or had a replacement or a single value.
  llvm::BitVector settled;
  bool isSettled(Expr symbol) const {
    return symbol.getOrdinal() < settled.size() && settled[symbol.getOrdinal()];
  }
  void settle(Expr expr) {
    if (!expr.isSymbol())
      return;
    if (settled.size() <= expr.getOrdinal())
      settled.resize(2 * expr.getOrdinal() + 64);
    settled.set(expr.getOrdinal());
  }
  /// Steps of bound propagation left for the fact that is being added.
  unsigned propagationBudget = 0;
  unsigned nesting = 0;

  /// The same facts in other unknowns, when they were put so, and the unknowns;
  /// true if these facts are such ones themselves.
  std::shared_ptr<SolvedForm> solved;
  uint64_t solvedVersion = 0;
  llvm::SmallVector<Expr, 0> parameters;
  /// Names the facts that are stated now: what was made of a version can be
  /// used again when a scope's end brings it back.
  uint64_t version = 1, lastVersion = 1;
  void startVersion() { version = ++lastVersion; }
  /// The search for a contradiction in a version, and what it found.
  uint64_t searchedVersion = 0;
  std::optional<FactSet> foundContradiction;
  /// The facts that are found to exclude each other, or null
  /// (Contradictions.cpp).
  const FactSet *findContradiction(Facts &facts, const ProverBudget &budget);
  /// Fresh non-negative unknowns for one question after another.
  llvm::SmallVector<Expr, 0> slacks;
  bool isSolved = false;

  void record(std::function<void()> action) {
    if (!marks.empty())
      undo.push_back(std::move(action));
  }
  /// Notes a change of what is known about an expression.
  void touch(Expr expr) {
    ++clock;
    changes.note(expr, clock);
    if (expr.isSymbol())
      symbolChanges.note(expr, clock);
  }

  // Stating (Facts.cpp).
  void contradict(const FactSet &ids);
  void assume(Expr fact, const FactSet &ids);
  void assumeComparison(Expr fact, const FactSet &ids);
  void assumeDefined(Expr expr, const FactSet &ids);
  void assumeZero(Expr expr, const FactSet &ids);
  void assumeNonNegative(Expr expr, const FactSet &ids);
  void assumeNonZero(Expr expr, const FactSet &ids);
  void learn(Expr expr, const ValueSet &set, const FactSet &ids);
  void learnShape(Expr shape, const ValueSet &set, const FactSet &ids);
  void learnInside(Expr atom, const ValueSet &set, const FactSet &ids);
  /// The factors of a product; of a sum whose terms have a common monomial,
  /// what is left and that monomial's factors. None for anything else.
  llvm::SmallVector<Expr, 4> getProductParts(Expr shape);
  void learnFactors(Expr product, const ValueSet &set, const FactSet &ids);
  void splitExtrema(Expr expr, const FactSet &ids);
  void addLinear(Expr expr, bool isEquality, const FactSet &ids);
  void addOpen(Expr expr, const FactSet &ids);
  void restateFactsAbout(Expr fact);
  Expr restateOpen(Expr fact, FactSet &ids);
  void addTruth(Expr expr, const FactSet &ids);
  void propagate(Expr expr, bool isEquality, const FactSet &ids);
  /// Ends of an interval that moved.
  struct Moved {
    bool lower, upper;
  };
  void propagateFrom(Expr monomial, Moved moved);
  void learnCongruences(Expr expr, const FactSet &ids);
  void orient(Expr expr, const FactSet &ids);
  bool solveForLatest(Expr expr, const FactSet &ids);
  void addReplacement(Expr from, Expr to, const FactSet &ids);

  // Values (FactsValues.cpp).
  ValueSet valueSet(Expr expr, FactSet &used);
  /// As valueSet, valid until the next change or question.
  const Known &getKnownValues(Expr expr);
  Known computeValueSet(Expr expr);
  Known computeAtom(Expr expr);
  /// What the operands alone say about an atom, or a sum.
  ValueSet valueOfAtom(Expr expr, FactSet &used);
  Known computeSum(Expr expr);
  std::optional<Known> computeShortNumbers(llvm::ArrayRef<Expr> operands);
  void meetRounded(Expr expr, Known &result);
  ValueSet enumerateRemainders(Expr expr, FactSet &used);
  void meetKnown(Expr expr, Known &result);
  /// A polynomial that a quotient is at most, or at least.
  struct QuotientBound {
    Expr bound;
    bool isUpper;
    FactSet ids;
  };
  /// What facts about the dividend say about `dividend floordiv divisor`, for a
  /// positive divisor (Quotients.cpp).
  llvm::SmallVector<QuotientBound, 4> boundQuotient(Expr dividend,
                                                    Expr divisor);
  /// The truth of a boolean expression as it stands, if known.
  std::optional<bool> truthOf(Expr expr, FactSet &used);
  /// True if a node has a value where its operands have one.
  bool isNodeDefined(Expr expr, FactSet &used);
  /// True if everything in a node that has no lazy parts is known to have a
  /// value; lazy parts count as if they were evaluated.
  bool isDefined(Expr expr, FactSet &used);

  // Simplification (FactsSimplify.cpp).
  Expr simplify(Expr expr, FactSet &used);
  Simplified simplifyOnce(Expr expr);
  Expr foldNode(Expr expr, FactSet &used);
  Expr mirrorExact(Expr expr, FactSet &used);
  Expr foldDivision(Expr expr, FactSet &used);
  Expr foldSymbolicDivision(Expr expr, FactSet &used);
  Expr foldExtremum(Expr expr, FactSet &used);
  Expr foldComparison(Expr expr, FactSet &used);
  Expr replaceMonomials(Expr expr, FactSet &used);
  Expr replaceProduct(Expr monomial, FactSet &used);
};

/// Sets map[key] and logs what was there.
template <typename Map, typename T>
void setLogged(Facts::Impl &impl, Map &map, Expr key, T value) {
  auto it = map.find(key);
  if (it == map.end()) {
    map.insert({key, std::move(value)});
    impl.record([&impl, &map, key] {
      map.erase(key);
      impl.touch(key);
    });
  } else {
    impl.record([&impl, &map, key, old = it->second] {
      map[key] = old;
      impl.touch(key);
    });
    it->second = std::move(value);
  }
  impl.touch(key);
}

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_FACTSIMPL_H
