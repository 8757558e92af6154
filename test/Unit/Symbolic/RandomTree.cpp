//===- RandomTree.cpp - Made-up expressions -------------------------------===//
//
// Generation, evaluation and printing of random trees.
//
//===----------------------------------------------------------------------===//

#include "RandomTree.h"

#include "llvm/ADT/APInt.h"
#include "llvm/Support/ErrorHandling.h"

#include <cmath>

using namespace tally::symbolic;
using namespace tally::symbolic::random;

/// Larger numbers are not looked at, nor numbers that a float cannot hold.
static const DynamicAPInt numberLimit(llvm::APInt::getOneBitSet(4098, 4096));
static const DynamicAPInt floatLimit(int64_t(1) << 53);

static const char *const symbolNames[] = {"s0", "s1", "s2"};

//===----------------------------------------------------------------------===//
// Making up
//===----------------------------------------------------------------------===//

Value Point::get(Expr symbol) const {
  unsigned ordinal = symbol.getOrdinal();
  if (ordinal < numSymbols)
    return Value::ofInt(integers[ordinal]);
  if (ordinal < numSymbols + numBools)
    return Value::ofBool(bools[ordinal - numSymbols]);
  return Value::ofFloat(reals[ordinal - numSymbols - numBools]);
}

std::string Point::str() const {
  ExprContext context;
  std::string text;
  for (const DynamicAPInt &value : integers)
    text += " " + context.constant(value).str();
  for (bool value : bools)
    text += value ? " true" : " false";
  for (double value : reals)
    text += " " + std::to_string(value);
  return text;
}

DynamicAPInt Generator::makeCorner() {
  static const unsigned powers[] = {8, 31, 32, 62, 63, 64, 65, 100, 128};
  llvm::APInt power =
      llvm::APInt::getOneBitSet(256, powers[pick(0, std::size(powers) - 1)]);
  DynamicAPInt result = DynamicAPInt(power) + pick(-2, 2);
  return once(3) ? -result : result;
}

Point Generator::makePoint(int64_t low, int64_t high) {
  Point point;
  for (unsigned i = 0; i != numSymbols; ++i)
    point.integers.push_back(style.hasHugeNumbers && once(2)
                                 ? makeCorner()
                                 : DynamicAPInt(pick(low, high)));
  for (unsigned i = 0; i != numBools; ++i)
    point.bools.push_back(once(2));
  for (unsigned i = 0; i != numFloats; ++i)
    point.reals.push_back(pick(4 * low, 4 * high) / 4.0);
  return point;
}

Tree Generator::makeLeaf() {
  if (!once(3))
    return Tree(Tree::Symbol, pick(0, numSymbols - 1));
  Tree tree(Tree::Literal);
  tree.integer = style.hasHugeNumbers && once(5) ? makeCorner()
                                                 : DynamicAPInt(pick(-6, 8));
  return tree;
}

Tree Generator::makeInt(unsigned depth) {
  if (depth == 0 || once(10))
    return makeLeaf();
  static const Tree::Op ops[] = {
      Tree::Add, Tree::Add,   Tree::Sub,      Tree::Sub,      Tree::Mul,
      Tree::Mul, Tree::Power, Tree::FloorDiv, Tree::FloorDiv, Tree::CeilDiv,
      Tree::Mod, Tree::Mod,   Tree::Min,      Tree::Max,      Tree::ExactDiv,
      Tree::Abs, Tree::Select};
  Tree tree(ops[pick(0, std::size(ops) - 1)]);
  if (style.hasFloats && once(12)) {
    tree.op = Tree::ToInt;
    tree.children.push_back(makeFloat(depth - 1));
    return tree;
  }
  if (tree.op == Tree::Select)
    tree.children.push_back(makeBool(depth - 1));
  if (tree.op == Tree::Power)
    tree.number = once(4) ? 3 : 2;
  tree.children.push_back(makeInt(depth - 1));
  if (tree.op == Tree::Power || tree.op == Tree::Abs)
    return tree;
  bool isDivision = tree.op >= Tree::FloorDiv && tree.op <= Tree::ExactDiv;
  // Most divisors of real programs are literals.
  if (isDivision && !once(3)) {
    tree.children.push_back(Tree(Tree::Literal));
    tree.children.back().integer = style.hasHugeNumbers && once(5)
                                       ? makeCorner()
                                       : DynamicAPInt(pick(-4, 8));
  } else {
    tree.children.push_back(makeInt(depth - 1));
  }
  return tree;
}

Tree Generator::makeFloat(unsigned depth) {
  if (depth == 0 || once(4)) {
    Tree tree(once(2) ? Tree::FloatSymbol : Tree::FloatLiteral);
    tree.real = pick(-8, 8) / 4.0;
    return tree;
  }
  static const Tree::Op ops[] = {Tree::FloatAdd, Tree::FloatSub, Tree::FloatMul,
                                 Tree::TrueDiv, Tree::Sqrt};
  Tree tree(ops[pick(0, std::size(ops) - 1)]);
  bool isInt = tree.op == Tree::TrueDiv && once(2);
  for (unsigned i = 0; i != (tree.op == Tree::Sqrt ? 1 : 2); ++i)
    tree.children.push_back(isInt ? makeInt(depth - 1) : makeFloat(depth - 1));
  return tree;
}

Tree Generator::makeBool(unsigned depth) {
  if (depth == 0)
    return once(4) ? Tree(Tree::True, pick(0, 1))
                   : Tree(Tree::BoolSymbol, pick(0, numBools - 1));
  static const Tree::Op ops[] = {Tree::Eq, Tree::Ne,  Tree::Lt,
                                 Tree::Le, Tree::Le,  Tree::And,
                                 Tree::Or, Tree::Not, Tree::BoolSelect};
  Tree tree(ops[pick(0, std::size(ops) - 1)]);
  bool isLogic = tree.op >= Tree::And;
  bool isFloat = !isLogic && style.hasFloats && once(3);
  unsigned arity = tree.op == Tree::Not          ? 1
                   : tree.op == Tree::BoolSelect ? 3
                                                 : 2;
  for (unsigned i = 0; i != arity; ++i)
    tree.children.push_back(isLogic   ? makeBool(depth - 1)
                            : isFloat ? makeFloat(depth - 1)
                                      : makeInt(depth - 1));
  return tree;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

namespace {

/// Evaluates one tree at one point.
class TreeEvaluator {
public:
  TreeEvaluator(const Point &point, bool &isTooLarge)
      : point(point), isTooLarge(isTooLarge) {}

  std::optional<Value> visit(const Tree &tree);

private:
  std::optional<Value> visitLazy(const Tree &tree);
  std::optional<Value> visitInts(const Tree &tree, const DynamicAPInt &x,
                                 const DynamicAPInt &y);
  std::optional<Value> visitFloats(const Tree &tree, double x, double y);
  std::optional<Value> visitQuotient(const Tree &tree, const DynamicAPInt &x,
                                     const DynamicAPInt &y);
  template <typename T>
  static Value compare(Tree::Op op, const T &x, const T &y) {
    return Value::ofBool(op == Tree::Eq   ? x == y
                         : op == Tree::Ne ? x != y
                         : op == Tree::Lt ? x < y
                                          : x <= y);
  }
  std::optional<Value> tooLarge() {
    isTooLarge = true;
    return std::nullopt;
  }

  const Point &point;
  bool &isTooLarge;
};

} // namespace

std::optional<Value> TreeEvaluator::visitLazy(const Tree &tree) {
  std::optional<Value> first = visit(tree.children[0]);
  if (!first)
    return first;
  bool truth = first->getBool();
  switch (tree.op) {
  case Tree::And:
    return truth ? visit(tree.children[1]) : first;
  case Tree::Or:
    return truth ? first : visit(tree.children[1]);
  case Tree::Not:
    return Value::ofBool(!truth);
  default:
    return visit(tree.children[truth ? 1 : 2]);
  }
}

/// By long division of what is not negative, as at school.
std::optional<Value> TreeEvaluator::visitQuotient(const Tree &tree,
                                                  const DynamicAPInt &x,
                                                  const DynamicAPInt &y) {
  if (y == 0)
    return std::nullopt;
  DynamicAPInt dividend = x < 0 ? -x : x, divisor = y < 0 ? -y : y;
  DynamicAPInt quotient = dividend / divisor;
  bool isExact = quotient * divisor == dividend;
  bool isNegative = (x < 0) != (y < 0);
  DynamicAPInt floor = isNegative ? -quotient - (isExact ? 0 : 1) : quotient;
  switch (tree.op) {
  case Tree::FloorDiv:
    return Value::ofInt(floor);
  case Tree::CeilDiv:
    return Value::ofInt(isExact ? floor : floor + 1);
  case Tree::Mod:
    return Value::ofInt(x - floor * y);
  default:
    return isExact ? std::optional<Value>(Value::ofInt(floor)) : std::nullopt;
  }
}

std::optional<Value> TreeEvaluator::visitInts(const Tree &tree,
                                              const DynamicAPInt &x,
                                              const DynamicAPInt &y) {
  if (x > numberLimit || -x > numberLimit || y > numberLimit ||
      -y > numberLimit)
    return tooLarge();
  switch (tree.op) {
  case Tree::Add:
    return Value::ofInt(x + y);
  case Tree::Sub:
    return Value::ofInt(x - y);
  case Tree::Mul:
    return Value::ofInt(x * y);
  case Tree::Power:
    return Value::ofInt(tree.number == 2 ? x * x : x * x * x);
  case Tree::Min:
    return Value::ofInt(x < y ? x : y);
  case Tree::Max:
    return Value::ofInt(x < y ? y : x);
  case Tree::Abs:
    return Value::ofInt(x < 0 ? -x : x);
  case Tree::FloorDiv:
  case Tree::CeilDiv:
  case Tree::Mod:
  case Tree::ExactDiv:
    return visitQuotient(tree, x, y);
  case Tree::TrueDiv:
    if (x > floatLimit || -x > floatLimit || y > floatLimit || -y > floatLimit)
      return tooLarge();
    return visitFloats(tree, double(int64_t(x)), double(int64_t(y)));
  default:
    return compare(tree.op, x, y);
  }
}

std::optional<Value> TreeEvaluator::visitFloats(const Tree &tree, double x,
                                                double y) {
  double result = 0;
  switch (tree.op) {
  case Tree::FloatAdd:
    result = x + y;
    break;
  case Tree::FloatSub:
    result = x - y;
    break;
  case Tree::FloatMul:
    result = x * y;
    break;
  case Tree::TrueDiv:
    if (y == 0)
      return std::nullopt;
    result = x / y;
    break;
  case Tree::Sqrt:
    if (x < 0)
      return std::nullopt;
    result = std::sqrt(x);
    break;
  case Tree::ToInt:
    if (std::abs(x) > 1e15)
      return tooLarge();
    return Value::ofInt(int64_t(std::trunc(x)));
  default:
    return compare(tree.op, x, y);
  }
  return std::isfinite(result) ? std::optional<Value>(Value::ofFloat(result))
                               : tooLarge();
}

std::optional<Value> TreeEvaluator::visit(const Tree &tree) {
  switch (tree.op) {
  case Tree::Literal:
    return Value::ofInt(tree.integer);
  case Tree::Symbol:
    return Value::ofInt(point.integers[tree.number]);
  case Tree::FloatLiteral:
    return Value::ofFloat(tree.real);
  case Tree::FloatSymbol:
    return Value::ofFloat(point.reals[tree.number]);
  case Tree::True:
    return Value::ofBool(tree.number != 0);
  case Tree::BoolSymbol:
    return Value::ofBool(point.bools[tree.number]);
  case Tree::Select:
  case Tree::And:
  case Tree::Or:
  case Tree::Not:
  case Tree::BoolSelect:
    return visitLazy(tree);
  default:
    break;
  }
  std::optional<Value> left = visit(tree.children[0]);
  std::optional<Value> right =
      tree.children.size() > 1 ? visit(tree.children[1]) : left;
  if (!left || !right)
    return std::nullopt;
  return left->getType() == SymbolType::Float
             ? visitFloats(tree, left->getFloat(), right->getFloat())
             : visitInts(tree, left->getInt(), right->getInt());
}

std::optional<Value> random::evaluateTree(const Tree &tree, const Point &point,
                                          bool &isTooLarge) {
  return TreeEvaluator(point, isTooLarge).visit(tree);
}

//===----------------------------------------------------------------------===//
// In the engine, and as text
//===----------------------------------------------------------------------===//

void random::declareSymbols(ExprContext &context) {
  for (const char *name : symbolNames)
    context.symbol(name);
  context.symbol("b0", SymbolType::Bool);
  context.symbol("f0", SymbolType::Float);
}

static Expr buildLeaf(const Tree &tree, ExprContext &context) {
  switch (tree.op) {
  case Tree::Literal:
    return context.constant(tree.integer);
  case Tree::Symbol:
    return context.symbol(symbolNames[tree.number]);
  case Tree::FloatLiteral:
    return context.floatConstant(tree.real);
  case Tree::FloatSymbol:
    return context.symbol("f0", SymbolType::Float);
  case Tree::True:
    return context.boolean(tree.number != 0);
  default:
    return context.symbol("b0", SymbolType::Bool);
  }
}

static Expr buildBool(const Tree &tree, llvm::ArrayRef<Expr> ops,
                      ExprContext &context) {
  switch (tree.op) {
  case Tree::Eq:
    return context.eq(ops[0], ops[1]);
  case Tree::Ne:
    return context.ne(ops[0], ops[1]);
  case Tree::Lt:
    return context.lt(ops[0], ops[1]);
  case Tree::Le:
    return context.le(ops[0], ops[1]);
  case Tree::And:
    return context.logicalAnd(ops[0], ops[1]);
  case Tree::Or:
    return context.logicalOr(ops[0], ops[1]);
  case Tree::Not:
    return context.logicalNot(ops[0]);
  default:
    return context.select(ops[0], ops[1], ops[2]);
  }
}

Expr random::buildTree(const Tree &tree, ExprContext &context) {
  if (tree.children.empty())
    return buildLeaf(tree, context);
  std::vector<Expr> ops;
  for (const Tree &child : tree.children)
    ops.push_back(buildTree(child, context));
  switch (tree.op) {
  case Tree::Add:
  case Tree::FloatAdd:
    return context.add(ops[0], ops[1]);
  case Tree::Sub:
  case Tree::FloatSub:
    return context.sub(ops[0], ops[1]);
  case Tree::Mul:
  case Tree::FloatMul:
    return context.mul(ops[0], ops[1]);
  case Tree::Power:
    return context.pow(ops[0], tree.number);
  case Tree::FloorDiv:
    return context.floorDiv(ops[0], ops[1]);
  case Tree::CeilDiv:
    return context.ceilDiv(ops[0], ops[1]);
  case Tree::Mod:
    return context.mod(ops[0], ops[1]);
  case Tree::ExactDiv:
    return context.exactDiv(ops[0], ops[1]);
  case Tree::Min:
    return context.min(ops[0], ops[1]);
  case Tree::Max:
    return context.max(ops[0], ops[1]);
  case Tree::Abs:
    return context.abs(ops[0]);
  case Tree::ToInt:
    return context.toInt(ops[0]);
  case Tree::TrueDiv:
    return context.trueDiv(ops[0], ops[1]);
  case Tree::Sqrt:
    return context.sqrt(ops[0]);
  case Tree::Select:
    return context.select(ops[0], ops[1], ops[2]);
  default:
    return buildBool(tree, ops, context);
  }
}

/// What stands before, between and after the operands.
static std::array<const char *, 3> getSyntax(const Tree &tree) {
  switch (tree.op) {
  case Tree::Add:
  case Tree::FloatAdd:
    return {"(", " + ", ")"};
  case Tree::Sub:
  case Tree::FloatSub:
    return {"(", " - ", ")"};
  case Tree::Mul:
  case Tree::FloatMul:
    return {"(", " * ", ")"};
  case Tree::Power:
    return {"(", "", tree.number == 2 ? " ** 2)" : " ** 3)"};
  case Tree::FloorDiv:
    return {"(", " floordiv ", ")"};
  case Tree::CeilDiv:
    return {"(", " ceildiv ", ")"};
  case Tree::Mod:
    return {"(", " mod ", ")"};
  case Tree::TrueDiv:
    return {"(", " / ", ")"};
  case Tree::Eq:
    return {"(", " == ", ")"};
  case Tree::Ne:
    return {"(", " != ", ")"};
  case Tree::Lt:
    return {"(", " < ", ")"};
  case Tree::Le:
    return {"(", " <= ", ")"};
  case Tree::And:
    return {"(", " and ", ")"};
  case Tree::Or:
    return {"(", " or ", ")"};
  case Tree::Not:
    return {"(not ", "", ")"};
  case Tree::ExactDiv:
    return {"exact_div(", ", ", ")"};
  case Tree::Min:
    return {"min(", ", ", ")"};
  case Tree::Max:
    return {"max(", ", ", ")"};
  case Tree::Abs:
    return {"abs(", "", ")"};
  case Tree::ToInt:
    return {"to_int(", "", ")"};
  case Tree::Sqrt:
    return {"sqrt(", "", ")"};
  default:
    return {"select(", ", ", ")"};
  }
}

std::string random::toText(const Tree &tree) {
  if (tree.children.empty()) {
    ExprContext context;
    std::string text = buildLeaf(tree, context).str();
    return text.front() == '-' ? "(" + text + ")" : text;
  }
  auto [before, between, after] = getSyntax(tree);
  std::string text = before;
  for (const Tree &child : tree.children)
    text += (&child == &tree.children.front() ? "" : between) + toText(child);
  return text + after;
}
