//===- Witness.h - An assignment that fits the facts ------------*- C++ -*-===//
//
// Keeps one assignment that fits all facts, repaired as facts are added. A
// question that holds under it, and fails after some symbols are changed so
// that the facts still fit, needs no further rung: nobody can know the answer.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_WITNESS_H
#define TALLY_LIB_SYMBOLIC_FACTS_WITNESS_H

#include "FactTables.h"

namespace tally::symbolic {

class Witness {
public:
  /// `facts` as they were stated, and what is known because of them.
  Witness(const llvm::SmallVectorImpl<Fact> &facts, const FactTables &tables)
      : facts(facts), tables(tables) {}

  /// Returns true if a question holds under one assignment that fits the facts
  /// and fails under another. False says nothing.
  bool isUndecided(Expr question);
  /// The facts from this one on are about to be forgotten.
  void forgetFrom(size_t numFacts);

private:
  /// A change of a symbol that may have to be taken back.
  struct Change {
    Expr symbol;
    DynamicAPInt before;
    bool isUp;
  };

  bool update();
  void indexNext();
  bool isUndecidedLinear(Expr question);
  bool isUndecidedAtEnds(llvm::ArrayRef<Expr> symbols, Expr question,
                         bool truth);
  DynamicAPInt getDistance(Expr symbol) const;
  DynamicAPInt getEnd(Expr symbol, bool isUpper) const;
  const DynamicAPInt &getValue(Expr symbol) const;
  DynamicAPInt getGap(Expr comparison) const;
  bool holds(Expr fact) const;
  std::optional<bool> getTruth(Expr question) const;
  /// Changes symbols until the fact holds and all that have been met do.
  bool settle(Expr fact);
  bool change(Expr comparison, const DynamicAPInt &gap, bool toHold);
  bool moveInside(Expr fact);
  bool moveByOne(Expr fact);
  /// Sets a symbol; false, and no change, if what is known is against it.
  bool trySet(Expr symbol, const DynamicAPInt &value);
  /// Repairs the facts that the changes so far have broken.
  bool repairBroken();
  bool repair(Expr fact);
  void startChanges();
  /// Takes changes back, the last first, but for so many.
  void takeBack(size_t numKept = 0);

  const llvm::SmallVectorImpl<Fact> &facts;
  const FactTables &tables;
  /// The values of symbols by ordinal; 0 for those that are not in it.
  llvm::SmallVector<DynamicAPInt, 0> values;
  llvm::SmallVector<Change, 8> changes;
  /// Facts that may still be looked at for the changes that are being made,
  /// and the changes whose facts have been.
  unsigned numLooksLeft = 0;
  size_t numFollowed = 0;
  FactIndex factsOfSymbol;
  /// Facts that are in the index, and that the assignment fits: one less where
  /// the last one could not be fitted.
  size_t numIndexed = 0, numFitted = 0;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_WITNESS_H
