//===- RandomTest.cpp - The engine against direct evaluation --------------===//
//
// Random expressions are evaluated by a few lines that know nothing of
// canonical forms, and compared with what the engine makes of them. The seed is
// printed on failure; TALLY_FUZZ_SEED and TALLY_FUZZ_ROUNDS override the
// defaults.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Parser.h"
#include "tally/Symbolic/Prover.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <random>

using namespace tally::symbolic;

namespace {

/// An expression as it was made up, before the engine sees it.
struct Tree {
  enum Op {
    Literal,
    Symbol,
    Add,
    Sub,
    Mul,
    Square,
    FloorDiv,
    CeilDiv,
    Mod,
    ExactDiv,
    Min,
    Max,
    Abs,
    Select,
    True,
    BoolSymbol,
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
  int64_t number = 0;
  std::vector<Tree> children;
};

constexpr unsigned numSymbols = 3, numBools = 1;

/// Values of the integer symbols, then of the boolean ones.
using Point = std::vector<int64_t>;
using Number = __int128;

class Generator {
public:
  explicit Generator(uint64_t seed) : engine(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  Tree makeInt(unsigned depth) {
    if (depth == 0 || pick(0, 9) == 0)
      return pick(0, 2) == 0 ? Tree{Tree::Literal, pick(-6, 8), {}}
                             : Tree{Tree::Symbol, pick(0, numSymbols - 1), {}};
    static const Tree::Op ops[] = {
        Tree::Add, Tree::Add,    Tree::Sub,      Tree::Sub,      Tree::Mul,
        Tree::Mul, Tree::Square, Tree::FloorDiv, Tree::FloorDiv, Tree::CeilDiv,
        Tree::Mod, Tree::Mod,    Tree::Min,      Tree::Max,      Tree::ExactDiv,
        Tree::Abs, Tree::Select};
    Tree::Op op = ops[pick(0, std::size(ops) - 1)];
    Tree tree{op, 0, {}};
    if (op == Tree::Select) {
      tree.children.push_back(makeBool(depth - 1));
      tree.children.push_back(makeInt(depth - 1));
      tree.children.push_back(makeInt(depth - 1));
      return tree;
    }
    tree.children.push_back(makeInt(depth - 1));
    if (op == Tree::Square || op == Tree::Abs)
      return tree;
    bool isDivision = op == Tree::FloorDiv || op == Tree::CeilDiv ||
                      op == Tree::Mod || op == Tree::ExactDiv;
    // Most divisors of real programs are literals.
    if (isDivision && pick(0, 2) != 0)
      tree.children.push_back({Tree::Literal, pick(-4, 8), {}});
    else
      tree.children.push_back(makeInt(depth - 1));
    return tree;
  }

  Tree makeBool(unsigned depth) {
    if (depth == 0)
      return pick(0, 3) ? Tree{Tree::BoolSymbol, pick(0, numBools - 1), {}}
                        : Tree{Tree::True, pick(0, 1), {}};
    static const Tree::Op ops[] = {Tree::Eq, Tree::Ne,  Tree::Lt,
                                   Tree::Le, Tree::Le,  Tree::And,
                                   Tree::Or, Tree::Not, Tree::BoolSelect};
    Tree tree{ops[pick(0, std::size(ops) - 1)], 0, {}};
    bool isLogic = tree.op >= Tree::And;
    unsigned arity = tree.op == Tree::Not          ? 1
                     : tree.op == Tree::BoolSelect ? 3
                                                   : 2;
    for (unsigned i = 0; i != arity; ++i)
      tree.children.push_back(isLogic ? makeBool(depth - 1)
                                      : makeInt(depth - 1));
    return tree;
  }

  Point makePoint(int64_t low, int64_t high) {
    Point point;
    for (unsigned i = 0; i != numSymbols; ++i)
      point.push_back(pick(low, high));
    for (unsigned i = 0; i != numBools; ++i)
      point.push_back(pick(0, 1));
    return point;
  }

private:
  std::mt19937_64 engine;
};

/// The value of a tree; nothing where it is undefined. Sets `tooLarge` where
/// the arithmetic of the test itself does not suffice.
std::optional<Number> evaluateTree(const Tree &tree, const Point &point,
                                   bool &tooLarge) {
  auto child = [&](unsigned i) {
    return evaluateTree(tree.children[i], point, tooLarge);
  };
  switch (tree.op) {
  case Tree::Literal:
  case Tree::True:
    return Number(tree.number);
  case Tree::Symbol:
    return Number(point[tree.number]);
  case Tree::BoolSymbol:
    return Number(point[numSymbols + tree.number]);
  case Tree::And:
  case Tree::Or: {
    std::optional<Number> first = child(0);
    if (!first || (*first != 0) == (tree.op == Tree::Or))
      return first;
    return child(1);
  }
  case Tree::Select:
  case Tree::BoolSelect: {
    std::optional<Number> condition = child(0);
    return condition ? child(*condition ? 1 : 2) : condition;
  }
  default:
    break;
  }
  std::optional<Number> a = child(0);
  std::optional<Number> b = tree.children.size() > 1 ? child(1) : Number(0);
  if (!a || !b)
    return std::nullopt;
  Number x = *a, y = *b, limit = Number(1) << 60;
  if (x > limit || x < -limit || y > limit || y < -limit) {
    tooLarge = true;
    return std::nullopt;
  }
  bool isDivision = tree.op == Tree::FloorDiv || tree.op == Tree::CeilDiv ||
                    tree.op == Tree::Mod || tree.op == Tree::ExactDiv;
  if (isDivision && y == 0)
    return std::nullopt;
  Number floor = 0;
  if (isDivision) {
    floor = x / y;
    while (floor * y > x ? y > 0 : floor * y < x && y < 0)
      --floor;
  }
  switch (tree.op) {
  case Tree::Add:
    return x + y;
  case Tree::Sub:
    return x - y;
  case Tree::Mul:
    return x * y;
  case Tree::Square:
    return x * x;
  case Tree::FloorDiv:
    return floor;
  case Tree::CeilDiv:
    return floor * y == x ? floor : floor + 1;
  case Tree::Mod:
    return x - floor * y;
  case Tree::ExactDiv:
    return floor * y == x ? std::optional<Number>(floor) : std::nullopt;
  case Tree::Min:
    return x < y ? x : y;
  case Tree::Max:
    return x < y ? y : x;
  case Tree::Abs:
    return x < 0 ? -x : x;
  case Tree::Eq:
    return Number(x == y);
  case Tree::Ne:
    return Number(x != y);
  case Tree::Lt:
    return Number(x < y);
  case Tree::Le:
    return Number(x <= y);
  case Tree::Not:
    return Number(x == 0);
  default:
    ADD_FAILURE() << "unexpected operation";
    return std::nullopt;
  }
}

Expr buildTree(const Tree &tree, ExprContext &context) {
  std::vector<Expr> ops;
  for (const Tree &child : tree.children)
    ops.push_back(buildTree(child, context));
  switch (tree.op) {
  case Tree::Literal:
    return context.constant(tree.number);
  case Tree::Symbol:
    return context.symbol("s" + std::to_string(tree.number));
  case Tree::True:
    return context.boolean(tree.number != 0);
  case Tree::BoolSymbol:
    return context.symbol("b" + std::to_string(tree.number), SymbolType::Bool);
  case Tree::Add:
    return context.add(ops[0], ops[1]);
  case Tree::Sub:
    return context.sub(ops[0], ops[1]);
  case Tree::Mul:
    return context.mul(ops[0], ops[1]);
  case Tree::Square:
    return context.pow(ops[0], 2);
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
  case Tree::Select:
  case Tree::BoolSelect:
    return context.select(ops[0], ops[1], ops[2]);
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
  }
  return Expr();
}

std::string toText(const Tree &tree) {
  static const char *const names[] = {
      "",    "s",     "add", "sub", "mul", "square", "floordiv", "ceildiv",
      "mod", "exact", "min", "max", "abs", "select", "bool",     "b",
      "eq",  "ne",    "lt",  "le",  "and", "or",     "not",      "select"};
  std::string text = names[tree.op];
  if (tree.children.empty())
    return text + std::to_string(tree.number);
  text += "(";
  for (const Tree &child : tree.children)
    text += (&child == &tree.children.front() ? "" : ", ") + toText(child);
  return text + ")";
}

class RandomTest : public ::testing::Test {
protected:
  void SetUp() override {
    if (const char *text = std::getenv("TALLY_FUZZ_SEED"))
      seed = std::strtoull(text, nullptr, 10);
    for (unsigned i = 0; i != numSymbols; ++i)
      context.symbol("s" + std::to_string(i));
    for (unsigned i = 0; i != numBools; ++i)
      context.symbol("b" + std::to_string(i), SymbolType::Bool);
  }

  static unsigned getRounds(unsigned rounds) {
    const char *text = std::getenv("TALLY_FUZZ_ROUNDS");
    return text ? std::strtoul(text, nullptr, 10) : rounds;
  }

  EvalResult evaluateAt(Expr expr, const Point &point) {
    return evaluate(expr, [&](Expr symbol) -> std::optional<Value> {
      int64_t value = point[symbol.getBirth()];
      return symbol.isBool() ? Value::ofBool(value != 0) : Value::ofInt(value);
    });
  }

  /// The number that the engine's value is, booleans as 0 and 1.
  static std::optional<Number> toNumber(const EvalResult &result) {
    if (!result.isDefined())
      return std::nullopt;
    if (result.value.getType() == SymbolType::Bool)
      return Number(result.value.getBool());
    return Number(static_cast<int64_t>(result.value.getInt() / (1 << 30))) *
               (1 << 30) +
           static_cast<int64_t>(result.value.getInt() % (1 << 30));
  }

  /// True if the engine's value is the tree's.
  bool agree(Expr expr, const Tree &tree, const Point &point) {
    bool tooLarge = false;
    std::optional<Number> expected = evaluateTree(tree, point, tooLarge);
    return tooLarge || toNumber(evaluateAt(expr, point)) == expected;
  }

  std::string describe(const Tree &tree, Expr expr, const Point &point) {
    std::string text = "seed " + std::to_string(seed) + ": " + toText(tree) +
                       "\n  is " + expr.str() + "\n  at";
    for (int64_t value : point)
      text += " " + std::to_string(value);
    return text;
  }

  uint64_t seed = 20261121;
  ExprContext context;
};

TEST_F(RandomTest, CanonicalFormKeepsValueAndText) {
  Generator generator(seed);
  for (unsigned round = 0, e = getRounds(20000); round != e; ++round) {
    bool isBool = generator.pick(0, 3) == 0;
    unsigned depth = generator.pick(1, 4);
    Tree tree = isBool ? generator.makeBool(depth) : generator.makeInt(depth);
    Expr expr = buildTree(tree, context);
    for (unsigned i = 0; i != 8; ++i) {
      Point point = generator.makePoint(-9, 12);
      ASSERT_TRUE(agree(expr, tree, point)) << describe(tree, expr, point);
    }
    ParseResult parsed = parseExpr(expr.str(), context);
    ASSERT_TRUE(static_cast<bool>(parsed))
        << describe(tree, expr, {}) << parsed.errorMessage;
    ASSERT_TRUE(*parsed == expr)
        << describe(tree, expr, {}) << "\n  reads " << parsed.expr.str();
    ASSERT_TRUE(context.rebuild(expr, expr.getOperands()) == expr)
        << describe(tree, expr, {}) << "\n  rebuilds as "
        << context.rebuild(expr, expr.getOperands()).str();
  }
}

TEST_F(RandomTest, SubstitutionIsEvaluationInSteps) {
  Generator generator(seed + 1);
  for (unsigned round = 0, e = getRounds(5000); round != e; ++round) {
    Tree tree = generator.makeInt(3), inner = generator.makeInt(2);
    Expr expr = buildTree(tree, context), value = buildTree(inner, context);
    Substitution map;
    map[context.symbol("s1")] = value;
    Expr result = context.substitute(expr, map);
    Point point = generator.makePoint(-5, 6);
    std::optional<Number> mid = toNumber(evaluateAt(value, point));
    if (!mid || *mid > 1000 || *mid < -1000)
      continue;
    Point moved = point;
    moved[1] = static_cast<int64_t>(*mid);
    bool tooLarge = false;
    std::optional<Number> expected = evaluateTree(tree, moved, tooLarge);
    if (tooLarge)
      continue;
    ASSERT_TRUE(toNumber(evaluateAt(result, point)) == expected)
        << describe(tree, result, point) << "\n  s1 = " << value.str();
  }
}

/// Facts that hold in a small box, and every point of it that fits them.
class World {
public:
  World(ExprContext &context, Generator &generator)
      : facts(context), low(generator.pick(-3, 1)),
        high(low + generator.pick(1, 5)) {
    for (unsigned i = 0; i != numSymbols; ++i)
      facts.setRange(context.symbol("s" + std::to_string(i)),
                     Interval::of(low, high));
    for (unsigned i = 0, e = generator.pick(0, 3); i != e; ++i) {
      stated.push_back(generator.makeBool(generator.pick(1, 2)));
      facts.add(buildTree(stated.back(), context));
    }
    Point point(numSymbols + numBools, low);
    visit(point, 0);
  }

  /// Fixes one coordinate after the other.
  void visit(Point &point, unsigned index) {
    if (index != point.size()) {
      bool isBool = index >= numSymbols;
      for (int64_t v = isBool ? 0 : low; v <= (isBool ? 1 : high); ++v) {
        point[index] = v;
        visit(point, index + 1);
      }
      return;
    }
    for (const Tree &fact : stated) {
      bool tooLarge = false;
      if (evaluateTree(fact, point, tooLarge) != Number(1))
        return;
    }
    points.push_back(point);
  }

  std::string str() const {
    std::string text = "\n  in [" + std::to_string(low) + ", " +
                       std::to_string(high) + "] with";
    for (const Tree &fact : stated)
      text += " " + toText(fact);
    return text;
  }

  Facts facts;
  int64_t low, high;
  std::vector<Tree> stated;
  std::vector<Point> points;
};

TEST_F(RandomTest, FactsKeepValues) {
  Generator generator(seed + 2);
  for (unsigned round = 0, e = getRounds(3000); round != e; ++round) {
    World world(context, generator);
    if (world.points.empty())
      continue;
    ASSERT_FALSE(world.facts.isContradictory())
        << "seed " << seed << world.str();
    for (unsigned i = 0; i != 4; ++i) {
      Tree tree = generator.makeInt(generator.pick(1, 3));
      Expr expr = buildTree(tree, context);
      Expr simple = world.facts.simplify(expr);
      ValueSet set = world.facts.valueSet(expr);
      bool isDefined = world.facts.isDefined(expr);
      ASSERT_TRUE(world.facts.simplify(simple) == simple)
          << describe(tree, simple, {}) << world.str();
      for (const Point &point : world.points) {
        ASSERT_TRUE(agree(simple, tree, point))
            << describe(tree, simple, point) << world.str();
        EvalResult value = evaluateAt(expr, point);
        ASSERT_TRUE(!isDefined || value.isDefined())
            << describe(tree, expr, point) << world.str();
        ASSERT_TRUE(!value.isDefined() || set.contains(value.value.getInt()))
            << describe(tree, expr, point) << world.str() << "\n  values "
            << set.str();
      }
    }
  }
}

TEST_F(RandomTest, ProverIsNeverWrong) {
  Generator generator(seed + 3);
  unsigned decided = 0, decidable = 0;
  for (unsigned round = 0, e = getRounds(3000); round != e; ++round) {
    World world(context, generator);
    Prover prover(world.facts);
    for (unsigned i = 0; i != 4; ++i) {
      Tree tree = generator.makeBool(generator.pick(1, 3));
      Expr query = buildTree(tree, context);
      Answer answer = prover.prove(query);
      bool canYes = true, canNo = true, large = false;
      for (const Point &point : world.points) {
        std::optional<Number> value = evaluateTree(tree, point, large);
        canYes &= value == Number(1);
        canNo &= value == Number(0);
      }
      if (large || world.points.empty())
        continue;
      decidable += canYes || canNo;
      decided += answer.verdict != Verdict::Unknown;
      bool isRight = answer.verdict == Verdict::Unknown ||
                     (answer.isYes() && canYes) || (answer.isNo() && canNo);
      ASSERT_TRUE(isRight) << describe(tree, query, {}) << world.str()
                           << "\n  answer " << toString(answer.verdict).str()
                           << " by " << toString(answer.rung).str();
    }
  }
  // A prover that knows nothing is never wrong either.
  EXPECT_GT(decided * 10, decidable * 5)
      << decided << " decided of " << decidable;
  RecordProperty("decided", decided);
  RecordProperty("decidable", decidable);
}

TEST_F(RandomTest, PopForgetsAll) {
  Generator generator(seed + 4);
  for (unsigned round = 0, e = getRounds(1000); round != e; ++round) {
    World world(context, generator);
    Expr number = buildTree(generator.makeInt(2), context);
    Expr query = buildTree(generator.makeBool(2), context);
    auto ask = [&] {
      FactSet used;
      std::string text = world.facts.simplify(number, &used).str() + " " +
                         world.facts.valueSet(number, &used).str();
      Answer answer = Prover(world.facts).prove(query);
      text += " " + toString(answer.verdict).str();
      for (FactId id : used)
        text += " " + std::to_string(id);
      for (FactId id : answer.facts)
        text += " " + std::to_string(id);
      return text;
    };
    std::string before = ask();
    for (unsigned depth = 0; depth != 2; ++depth) {
      world.facts.push();
      for (unsigned i = 0; i != 2; ++i)
        world.facts.add(buildTree(generator.makeBool(2), context));
      ask();
    }
    world.facts.pop();
    world.facts.pop();
    ASSERT_EQ(ask(), before) << "seed " << seed << ": " << number.str() << ", "
                             << query.str() << world.str();
  }
}

TEST_F(RandomTest, TheFactsOfAnAnswerSuffice) {
  Generator generator(seed + 5);
  for (unsigned round = 0, e = getRounds(400); round != e; ++round) {
    World world(context, generator);
    if (world.points.empty())
      continue;
    Tree tree = generator.makeBool(generator.pick(1, 3));
    Expr query = buildTree(tree, context);
    Answer answer = Prover(world.facts).prove(query);
    if (answer.verdict == Verdict::Unknown)
      continue;
    // Points of a larger box that fit the facts named: their ranges, too.
    for (unsigned i = 0; i != 2000; ++i) {
      Point point = generator.makePoint(-8, 9);
      bool fits = llvm::all_of(answer.facts, [&](FactId id) {
        return toNumber(evaluateAt(world.facts.getFact(id).expr, point)) ==
               Number(1);
      });
      if (fits) {
        ASSERT_TRUE(agree(context.boolean(answer.isYes()), tree, point))
            << describe(tree, query, point) << world.str() << "\n  by "
            << toString(answer.rung).str();
      }
    }
  }
}

} // namespace
