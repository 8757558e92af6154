//===- FactIndex.h - Which facts mention what -------------------*- C++ -*-===//
//
// Positions in a list of facts by symbols and other monomials.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_FACTS_FACTINDEX_H
#define TALLY_LIB_SYMBOLIC_FACTS_FACTINDEX_H

#include "tally/Symbolic/Expr/Expr.h"

namespace tally::symbolic {

/// Positions in a list of facts by what they mention, in ascending order.
class FactIndex {
public:
  using Positions = llvm::SmallVector<unsigned, 4>;

  void push(Expr key, unsigned position) { get(key).push_back(position); }
  void pop(Expr key) { get(key).pop_back(); }
  /// Valid until the next push.
  llvm::ArrayRef<unsigned> lookup(Expr key) const {
    if (!key.isSymbol()) {
      auto it = others.find(key);
      return it == others.end() ? llvm::ArrayRef<unsigned>() : it->second;
    }
    size_t page = key.getOrdinal() / pageSize;
    if (page >= symbols.size() || !symbols[page])
      return {};
    return symbols[page][key.getOrdinal() % pageSize];
  }

private:
  Positions &get(Expr key) {
    if (!key.isSymbol())
      return others[key];
    size_t page = key.getOrdinal() / pageSize;
    if (symbols.size() <= page)
      symbols.resize(page + 1);
    if (!symbols[page])
      symbols[page] = std::make_unique<Positions[]>(pageSize);
    return symbols[page][key.getOrdinal() % pageSize];
  }

  static constexpr size_t pageSize = 32;
  /// Of symbols, by ordinal: few are mentioned out of many.
  llvm::SmallVector<std::unique_ptr<Positions[]>, 0> symbols;
  llvm::DenseMap<Expr, Positions> others;
};

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_FACTS_FACTINDEX_H
