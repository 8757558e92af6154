//===- FunctionState.cpp - What is known while a function is imported -----===//
//
//===----------------------------------------------------------------------===//

#include "FunctionState.h"

#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using tally::symbolic::Interval;

namespace tally::import_pt2 {

/// Bounds this large are PyTorch's word for "no bound".
static constexpr int64_t kNoBound = int64_t(1) << 62;

static tally::SymbolType getDeclType(symbolic::SymbolType type) {
  switch (type) {
  case symbolic::SymbolType::Int:
    return tally::SymbolType::Int;
  case symbolic::SymbolType::Bool:
    return tally::SymbolType::Bool;
  case symbolic::SymbolType::Float:
    return tally::SymbolType::Float;
  }
  llvm_unreachable("unknown type of symbol");
}

Expr FunctionState::declare(StringRef name, symbolic::SymbolType type,
                            bool unbacked, std::optional<int64_t> lower,
                            std::optional<int64_t> upper) {
  // Only integers have a range, whatever is recorded of a damaged size.
  if (type != symbolic::SymbolType::Int)
    lower = upper = std::nullopt;
  // Two branches may each have a symbol of one name.
  std::string unique = name.str();
  if (declaredNames.contains(unique) || !symbolic::isValidSymbolName(name))
    unique = freshName(name);
  declaredNames[unique] = declarations.size();
  declarations.push_back(SymbolDeclAttr::get(
      getContext(), unique, unbacked, getDeclType(type), lower, upper,
      /*divisor=*/1, /*hint=*/std::nullopt, /*source=*/"", /*assumed=*/false));
  Expr expr = exprs.symbol(unique, type);
  known[name] = expr;
  if (type != symbolic::SymbolType::Int)
    return expr;
  // Whatever it counts has 64 bits.
  Interval range = Interval::of(std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max());
  if (lower)
    range = range.intersect(Interval::atLeast(*lower));
  if (upper)
    range = range.intersect(Interval::atMost(*upper));
  facts.setRange(expr, range);
  return expr;
}

static std::optional<int64_t> getFiniteUpper(std::optional<int64_t> upper) {
  return upper && *upper < kNoBound ? upper : std::nullopt;
}

Expr FunctionState::declareBacked(StringRef name, symbolic::SymbolType type,
                                  bool isSize) {
  std::optional<int64_t> lower, upper;
  auto it = ranges.find(name);
  if (it != ranges.end() && type == symbolic::SymbolType::Int) {
    lower = it->second.lower;
    upper = getFiniteUpper(it->second.upper);
    if (lower && *lower < -kNoBound)
      lower = std::nullopt;
  }
  // Tracing takes for granted that no size is 0 or 1, and records it as a range
  // that starts at 2; nobody checks that.
  if (lower && *lower == 2)
    lower = 0;
  // No size meets a range below 0; it stays as it is.
  if (isSize && upper.value_or(0) >= 0)
    lower = std::max<int64_t>(lower.value_or(0), 0);
  return declare(name, type, /*unbacked=*/false, lower, upper);
}

Expr FunctionState::declareUnbacked(StringRef name, symbolic::SymbolType type,
                                    std::optional<int64_t> lower,
                                    std::optional<int64_t> upper) {
  return declare(name, type, /*unbacked=*/true, lower, upper);
}

Expr FunctionState::getLayoutSymbol(StringRef name, symbolic::SymbolType type) {
  Expr &symbol = layout[name];
  if (!symbol)
    symbol = exprs.symbol(freshName(("layout_" + name).str()), type);
  return symbol;
}

SmallVector<StringRef> FunctionState::getLayoutSymbols(Expr expr) const {
  SmallVector<StringRef> names;
  for (Expr symbol : exprs.freeSymbols(expr))
    for (const auto &entry : layout)
      if (entry.second == symbol)
        names.push_back(entry.first());
  return names;
}

bool FunctionState::isDeclaredWithin(size_t count, Expr expr) const {
  return llvm::all_of(exprs.freeSymbols(expr), [&](Expr symbol) {
    auto it = declaredNames.find(symbol.getName());
    return it != declaredNames.end() && it->second < count;
  });
}

std::string FunctionState::freshName(StringRef hint) const {
  std::string base;
  for (char c : hint)
    base.push_back(llvm::isAlnum(c) ? c : '_');
  if (!symbolic::isValidSymbolName(base))
    base = "v_" + base;
  std::string name = base;
  for (unsigned i = 1; known.contains(name) || ranges.contains(name) ||
                       declaredNames.contains(name);
       ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

SymbolsAttr FunctionState::getTable() {
  return SymbolsAttr::get(getContext(), declarations);
}

bool FunctionState::isVisible(Value value) const {
  Block *home = value.getParentBlock();
  for (Block *block = builder.getInsertionBlock(); block;
       block = block->getParentOp() ? block->getParentOp()->getBlock()
                                    : nullptr)
    if (block == home)
      return true;
  return false;
}

FunctionState::RegionScope::RegionScope(FunctionState &state, bool isClosed)
    : state(state), insertPoint(state.builder.saveInsertionPoint()),
      sizes(state.sizeCache), indices(state.indexCache),
      nonzeros(state.nonzeroCache), items(state.itemCache),
      parts(state.partsCache), known(state.known) {
  state.facts.push();
  if (!isClosed)
    return;
  state.sizeCache.clear();
  state.indexCache.clear();
  state.nonzeroCache.clear();
  state.itemCache.clear();
  state.partsCache.clear();
}

FunctionState::RegionScope::~RegionScope() {
  state.facts.pop();
  state.sizeCache = std::move(sizes);
  state.indexCache = std::move(indices);
  state.nonzeroCache = std::move(nonzeros);
  state.itemCache = std::move(items);
  state.partsCache = std::move(parts);
  state.known = std::move(known);
  state.builder.restoreInsertionPoint(insertPoint);
}

} // namespace tally::import_pt2
