//===- FactTables.h - What is known, and how it is forgotten ----*- C++ -*-===//
//
// The contents of facts in the form that questions need, and the log that takes
// them back when a scope ends. Nothing is derived here.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_FACTTABLES_H
#define TALLY_LIB_SYMBOLIC_FACTS_FACTTABLES_H

#include "Expr/ContextImpl.h"
#include "FactIndex.h"

#include "tally/Symbolic/Facts/Facts.h"

#include "llvm/ADT/BitVector.h"

#include <functional>

namespace tally::symbolic {

/// An integer expression as factor * part + offset: the part is primitive (no
/// constant term, lowest terms and a positive first coefficient). A literal has
/// the part 0.
struct PrimitiveSplit {
  Expr part;
  DynamicAPInt factor, offset;
};
PrimitiveSplit splitPrimitivePart(Expr expr, ExprContext &context);

/// The factors of a product; of a sum whose terms have a common monomial, what
/// is left and that monomial's factors. None for anything else.
llvm::SmallVector<Expr, 4> getProductParts(Expr expr, ExprContext &context);

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

/// The known values of an expression, and the facts that say so.
struct KnownValues {
  ValueSet set;
  FactSet ids;
};

/// An expression that takes the place of a symbol or another atom.
struct Replacement {
  Expr value;
  FactSet ids;
};

/// The tables. Each change is logged.
struct FactTables {
  explicit FactTables(ExprContext &context) : context(context) {}

  /// The values of primitive parts.
  llvm::DenseMap<Expr, KnownValues> known;
  llvm::DenseMap<Expr, Replacement> replacements;
  /// Expressions that are known to have a value because a fact has one.
  llvm::DenseMap<Expr, FactSet> definedNodes;
  /// Boolean expressions that are true.
  llvm::DenseMap<Expr, FactSet> truths;
  llvm::SmallVector<Facts::LinearFact, 0> linear;
  llvm::SmallVector<Facts::OpenFact, 0> open;
  /// The linear facts with a monomial as a term, and those with a symbol inside
  /// of terms only; the open facts that mention a symbol.
  FactIndex linearOfMonomial, linearAround, openOfSymbol;
  /// The linear facts with an atom that a further fact may fold.
  FactIndex foldableOfSymbol;
  size_t numFoldable = 0;
  /// The products with a factor whose value sets are known.
  llvm::DenseMap<Expr, llvm::SmallVector<Expr, 2>> productsOfFactor;
  bool contradictory = false;
  FactSet contradiction;

  //===--------------------------------------------------------------------===//
  // Scopes
  //===--------------------------------------------------------------------===//

  /// Starts a scope.
  void push() { marks.push_back(undo.size()); }
  /// Takes back what was written since the matching push.
  void pop();
  unsigned getDepth() const { return marks.size(); }

  //===--------------------------------------------------------------------===//
  // Writing
  //===--------------------------------------------------------------------===//

  void contradict(const FactSet &ids);
  void addTruth(Expr expr, const FactSet &ids);
  void addLinear(Expr expr, bool isEquality, const FactSet &ids);
  void addOpen(Expr expr, const FactSet &ids);
  /// Remembers a product under each of its factors.
  void addProduct(Expr product);
  void setKnown(Expr part, KnownValues values) {
    setLogged(known, part, std::move(values));
  }
  void setReplacement(Expr from, Replacement to) {
    setLogged(replacements, from, std::move(to));
    settle(from);
  }
  void setDefined(Expr expr, const FactSet &ids) {
    setLogged(definedNodes, expr, ids);
  }
  /// Notes that a symbol has a replacement or a single value.
  void settle(Expr expr);

  //===--------------------------------------------------------------------===//
  // Reading
  //===--------------------------------------------------------------------===//

  /// The latest linear facts that mention a symbol, or have another monomial as
  /// a term, in ascending order.
  llvm::SmallVector<unsigned, 8>
  getLinearFactsAbout(Expr key, size_t maxFacts = SIZE_MAX) const;
  /// Returns true if a symbol has or had a replacement or a single value.
  bool isSettled(Expr symbol) const {
    return symbol.getOrdinal() < settled.size() && settled[symbol.getOrdinal()];
  }
  /// Counts changes.
  uint64_t getTime() const { return clock; }
  /// When what is known about an expression, or about the values of its
  /// symbols, last changed.
  uint64_t getLastChange(Expr expr) const { return changes.getLast(expr); }
  uint64_t getLastSymbolChange(Expr expr) const {
    return symbolChanges.getLast(expr);
  }

  ExprContext &context;

private:
  void record(std::function<void()> action) {
    if (!marks.empty())
      undo.push_back(std::move(action));
  }
  /// Notes a change of what is known about an expression.
  void touch(Expr expr);
  /// Sets map[key] and logs what was there.
  template <typename Map, typename T>
  void setLogged(Map &map, Expr key, T value);
  /// Remembers under each key that the list of facts holds `position`.
  void addToIndex(FactIndex &index, llvm::ArrayRef<Expr> keys,
                  unsigned position);

  /// The length of the log at the start of each scope.
  llvm::SmallVector<size_t, 4> marks;
  std::vector<std::function<void()>> undo;
  uint64_t clock = 1;
  /// When anything changed, and when the value of a symbol did.
  ChangeTimes changes, symbolChanges;
  /// By the ordinals of symbols.
  llvm::BitVector settled;
};

template <typename Map, typename T>
void FactTables::setLogged(Map &map, Expr key, T value) {
  auto it = map.find(key);
  if (it == map.end()) {
    map.insert({key, std::move(value)});
    record([this, &map, key] {
      map.erase(key);
      touch(key);
    });
  } else {
    record([this, &map, key, old = it->second] {
      map[key] = old;
      touch(key);
    });
    it->second = std::move(value);
  }
  touch(key);
}

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_FACTTABLES_H
