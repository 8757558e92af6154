//===- RandomTree.h - Made-up expressions -----------------------*- C++ -*-===//
//
// Random expressions as plain trees, with an evaluation of their own that knows
// nothing of canonical forms.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_TEST_UNIT_SYMBOLIC_RANDOMTREE_H
#define TALLY_TEST_UNIT_SYMBOLIC_RANDOMTREE_H

#include "tally/Symbolic/Expr/Expr.h"

#include <random>
#include <vector>

namespace tally::symbolic::random {

/// An expression as it was made up, before the engine sees it.
struct Tree {
  enum Op {
    // Leaves.
    Literal,
    Symbol,
    FloatLiteral,
    FloatSymbol,
    True,
    BoolSymbol,
    // Integers.
    Add,
    Sub,
    Mul,
    Power,
    FloorDiv,
    CeilDiv,
    Mod,
    ExactDiv,
    Min,
    Max,
    Abs,
    Select,
    ToInt,
    // Floats.
    FloatAdd,
    FloatSub,
    FloatMul,
    TrueDiv,
    Sqrt,
    // Booleans.
    Eq,
    Ne,
    Lt,
    Le,
    And,
    Or,
    Not,
    BoolSelect
  };
  Op op;
  /// The position of a symbol, a truth, an exponent.
  unsigned number = 0;
  DynamicAPInt integer;
  double real = 0;
  std::vector<Tree> children;

  explicit Tree(Op op, unsigned number = 0) : op(op), number(number) {}
};

constexpr unsigned numSymbols = 3, numBools = 1, numFloats = 1;

/// Values of the symbols.
struct Point {
  std::vector<DynamicAPInt> integers;
  std::vector<bool> bools;
  std::vector<double> reals;

  /// The value of a symbol that buildTree made.
  Value get(Expr symbol) const;
  std::string str() const;
};

/// What to make up.
struct Style {
  /// Numbers far beyond 64 bits among literals and values.
  bool hasHugeNumbers = false;
  bool hasFloats = false;
};

class Generator {
public:
  Generator(uint64_t seed, Style style) : engine(seed), style(style) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }
  /// True once in `times`.
  bool once(int64_t times) { return pick(1, times) == 1; }

  Tree makeInt(unsigned depth);
  Tree makeBool(unsigned depth);
  Tree makeFloat(unsigned depth);
  Tree make(unsigned depth) {
    return once(4) ? makeBool(depth) : makeInt(depth);
  }
  /// Values between the two, and at the corners of the numbers where the style
  /// has huge ones.
  Point makePoint(int64_t low, int64_t high);

private:
  DynamicAPInt makeCorner();
  Tree makeLeaf();

  std::mt19937_64 engine;
  Style style;
};

/// The value of a tree; nothing where it is undefined. Sets `isTooLarge` where
/// the arithmetic of the test itself does not suffice.
std::optional<Value> evaluateTree(const Tree &tree, const Point &point,
                                  bool &isTooLarge);

/// Declares the symbols of all trees, in the order of a point.
void declareSymbols(ExprContext &context);
Expr buildTree(const Tree &tree, ExprContext &context);

/// The tree in the grammar of expressions.
std::string toText(const Tree &tree);

} // namespace tally::symbolic::random

#endif // TALLY_TEST_UNIT_SYMBOLIC_RANDOMTREE_H
