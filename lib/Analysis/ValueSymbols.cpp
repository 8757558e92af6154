//===- ValueSymbols.cpp - The symbols that stand for values ---------------===//

#include "ValueSymbols.h"

#include "tally/IR/Tally.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tally;
using symbolic::DynamicAPInt;
using symbolic::Expr;
using symbolic::Interval;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The numbers of so many bits, seen as signed; one bit is a boolean.
static Interval getSignedRange(unsigned width) {
  if (width == 0)
    return Interval::point(0);
  if (width == 1)
    return Interval::of(0, 1);
  return {DynamicAPInt(APInt::getSignedMinValue(width)),
          DynamicAPInt(APInt::getSignedMaxValue(width))};
}

Interval tally::getTypeRange(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && integer.getWidth() != 64)
    return getSignedRange(integer.getWidth());
  return Interval::of(INT64_MIN, INT64_MAX);
}

ShapedType tally::getRankedType(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  return type && type.hasRank() ? type : ShapedType();
}

//===----------------------------------------------------------------------===//
// ValueSymbols
//===----------------------------------------------------------------------===//

Expr ValueSymbols::get(ShapeKey key) {
  Expr &symbol = symbols[key];
  if (symbol)
    return symbol;
  auto [value, dim] = key;
  Type type = value.getType();
  symbol = dim >= 0 ? context.anonymous("d")
                    : context.anonymous("v", getSymbolType(type));
  origins[symbol] = key;
  Expr result = symbol; // the map may grow below
  if (dim >= 0)
    facts.addRange(result, Interval::of(0, INT64_MAX));
  else if (result.isInt() && isa<IndexType, IntegerType>(type))
    facts.addRange(result, getTypeRange(type));
  return result;
}

std::optional<ShapeKey> ValueSymbols::getOrigin(Expr symbol) const {
  auto found = origins.find(symbol);
  return found == origins.end() ? std::nullopt
                                : std::optional<ShapeKey>(found->second);
}

void ValueSymbols::name(ShapeKey key, Expr symbol, Value reader) {
  symbols[key] = symbol;
  origins[symbol] = key;
  readers[symbol] = reader;
  if (key.second >= 0)
    facts.addRange(symbol, Interval::of(0, INT64_MAX));
  else if (symbol.isInt())
    facts.addRange(symbol, getTypeRange(key.first.getType()));
}

void ValueSymbols::forget(Value value) {
  auto forgetSymbol = [&](int dim) {
    auto found = symbols.find({value, dim});
    if (found == symbols.end())
      return;
    origins.erase(found->second);
    symbols.erase(found);
  };
  forgetSymbol(-1);
  if (ShapedType type = getRankedType(value))
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      forgetSymbol(dim);
}

//===----------------------------------------------------------------------===//
// Where symbols exist
//===----------------------------------------------------------------------===//

bool ValueSymbols::isDefinedInside(Expr expr, Operation *op) const {
  return llvm::any_of(context.freeSymbols(expr), [&](Expr symbol) {
    if (Operation *binding = getBindingOp(symbol))
      return op->isProperAncestor(binding);
    std::optional<ShapeKey> origin = getOrigin(symbol);
    if (!origin)
      return false;
    Operation *around = origin->first.getParentBlock()->getParentOp();
    return around && op->isAncestor(around);
  });
}

bool ValueSymbols::isDefinedInBlock(Expr expr, Block *block) const {
  return llvm::all_of(context.freeSymbols(expr), [&](Expr symbol) {
    std::optional<ShapeKey> origin = getOrigin(symbol);
    return origin && origin->first.getParentBlock() == block;
  });
}

bool ValueSymbols::isAvailable(Expr expr, Operation *op) {
  return llvm::all_of(context.freeSymbols(expr), [&](Expr symbol) {
    if (Operation *binding = getBindingOp(symbol))
      return getDominance().properlyDominates(binding, op);
    std::optional<ShapeKey> origin = getOrigin(symbol);
    return !origin || isAvailable(origin->first, op);
  });
}

DominanceInfo &ValueSymbols::getDominance() {
  if (!dominance)
    dominance = std::make_unique<DominanceInfo>(root);
  return *dominance;
}
