//===- RandomTest.cpp - The engine against direct evaluation --------------===//
//
// Random expressions are evaluated by a few lines that know nothing of
// canonical forms (RandomTree.h), and compared with what the engine makes of
// them: at random points, at the corners of the numbers, and at every point of
// small boxes. TALLY_FUZZ_EXPRESSIONS sets how many expressions all tests
// together make up, TALLY_FUZZ_SEED the seed; both are printed on failure, with
// the expression as text that tally-prove reads.
//
//===----------------------------------------------------------------------===//

#include "RandomTree.h"

#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace tally::symbolic;
using namespace tally::symbolic::random;

namespace {

/// Each test runs this many times, with seeds of its own, so that they can run
/// at the same time.
constexpr unsigned numShards = 4;

uint64_t getSetting(const char *name, uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

EvalResult evaluateAt(Expr expr, const Point &point) {
  return evaluate(expr, [&](Expr symbol) -> std::optional<Value> {
    return point.get(symbol);
  });
}

std::optional<Value> getValue(const EvalResult &result) {
  return result.isDefined() ? std::optional<Value>(result.value) : std::nullopt;
}

/// Returns true if the engine's value is the tree's.
bool agree(Expr expr, const Tree &tree, const Point &point) {
  bool isTooLarge = false;
  std::optional<Value> expected = evaluateTree(tree, point, isTooLarge);
  if (isTooLarge)
    return true;
  EvalResult result = evaluateAt(expr, point);
  return result.error == EvalError::Overflow || getValue(result) == expected;
}

class RandomTest : public ::testing::TestWithParam<unsigned> {
protected:
  /// The share of a test, in percent, of the expressions of this shard.
  static uint64_t getCount(unsigned percent) {
    uint64_t total = getSetting("TALLY_FUZZ_EXPRESSIONS", 1000000);
    return total * percent / 100 / numShards;
  }

  Generator makeGenerator(unsigned test, Style style) {
    seed = getSetting("TALLY_FUZZ_SEED", 20261121);
    return Generator((seed * 1000 + test) * numShards + GetParam(), style);
  }
  /// Shards differ in style as well: plain, huge, floats, both.
  static Style getStyle() {
    Style style;
    style.hasHugeNumbers = GetParam() % 2 == 1;
    style.hasFloats = GetParam() / 2 == 1;
    return style;
  }

  std::string describe(const Tree &tree, Expr expr) {
    return "seed " + std::to_string(seed) + ": " + toText(tree) + "\n  is " +
           expr.str();
  }
  std::string describe(const Tree &tree, Expr expr, const Point &point) {
    return describe(tree, expr) + "\n  at" + point.str();
  }

  void checkForm(const Tree &tree, Generator &generator, ExprContext &context);
  void checkSubstitution(Generator &generator, ExprContext &context);

  uint64_t seed = 0;
};

/// Calls `body` until it made up so many expressions, with a fresh context from
/// time to time.
template <typename Body>
void repeat(uint64_t count, unsigned expressionsPerCall, Body body) {
  std::unique_ptr<ExprContext> context;
  for (uint64_t done = 0; done < count; done += expressionsPerCall) {
    if (done % 1024 < expressionsPerCall) {
      context = std::make_unique<ExprContext>();
      declareSymbols(*context);
    }
    body(*context);
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Expressions alone
//===----------------------------------------------------------------------===//

void RandomTest::checkForm(const Tree &tree, Generator &generator,
                           ExprContext &context) {
  Expr expr = buildTree(tree, context);
  for (unsigned i = 0; i != 6; ++i) {
    Point point =
        i < 2 ? generator.makePoint(-1, 1) : generator.makePoint(-9, 12);
    ASSERT_TRUE(agree(expr, tree, point)) << describe(tree, expr, point);
  }
  ParseResult parsed = parseExpr(expr.str(), context);
  ASSERT_TRUE(static_cast<bool>(parsed))
      << describe(tree, expr) << parsed.errorMessage;
  ASSERT_TRUE(*parsed == expr)
      << describe(tree, expr) << "\n  reads " << parsed.expr.str();
  Expr rebuilt = context.rebuild(expr, expr.getOperands());
  ASSERT_TRUE(rebuilt == expr)
      << describe(tree, expr) << "\n  rebuilds as " << rebuilt.str();
}

TEST_P(RandomTest, CanonicalFormKeepsValueAndText) {
  Generator generator = makeGenerator(0, getStyle());
  repeat(getCount(55), 1, [&](ExprContext &context) {
    checkForm(generator.make(generator.pick(1, 4)), generator, context);
  });
}

TEST_P(RandomTest, TextIsReadAsWritten) {
  Generator generator = makeGenerator(1, getStyle());
  repeat(getCount(5), 1, [&](ExprContext &context) {
    Tree tree = generator.make(generator.pick(1, 4));
    Expr expr = buildTree(tree, context);
    ParseResult parsed = parseExpr(toText(tree), context);
    ASSERT_TRUE(static_cast<bool>(parsed))
        << describe(tree, expr) << parsed.errorMessage;
    ASSERT_TRUE(*parsed == expr)
        << describe(tree, expr) << "\n  reads " << parsed.expr.str();
  });
}

void RandomTest::checkSubstitution(Generator &generator, ExprContext &context) {
  Tree tree = generator.makeInt(3), inner = generator.makeInt(2);
  Expr expr = buildTree(tree, context), value = buildTree(inner, context);
  Substitution map;
  map[context.symbol("s1")] = value;
  Expr result = context.substitute(expr, map);
  Point point = generator.makePoint(-5, 6);
  std::optional<Value> mid = getValue(evaluateAt(value, point));
  if (!mid)
    return;
  Point moved = point;
  moved.integers[1] = mid->getInt();
  bool isTooLarge = false;
  std::optional<Value> expected = evaluateTree(tree, moved, isTooLarge);
  EvalResult found = evaluateAt(result, point);
  if (isTooLarge || found.error == EvalError::Overflow)
    return;
  ASSERT_TRUE(getValue(found) == expected)
      << describe(tree, result, point) << "\n  s1 = " << value.str();
}

TEST_P(RandomTest, SubstitutionIsEvaluationInSteps) {
  Generator generator = makeGenerator(2, getStyle());
  repeat(getCount(15), 2,
         [&](ExprContext &context) { checkSubstitution(generator, context); });
}

//===----------------------------------------------------------------------===//
// Under facts
//===----------------------------------------------------------------------===//

/// Facts that hold in a small box, and every point of it that fits them.
class World {
public:
  World(ExprContext &context, Generator &generator)
      : facts(context), low(generator.pick(-3, 1)),
        high(low + generator.pick(1, 5)) {
    for (Expr symbol : context.getSymbols())
      if (symbol.isInt())
        facts.setRange(symbol, Interval::of(low, high));
    for (unsigned i = 0, e = generator.pick(0, 3); i != e; ++i) {
      stated.push_back(generator.makeBool(generator.pick(1, 2)));
      facts.add(buildTree(stated.back(), context));
    }
    Point point;
    point.reals.assign(numFloats, 0);
    visit(point);
  }

  std::string str() const {
    std::string text =
        "\n  in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
    for (const Tree &fact : stated)
      text += "\n  fact " + toText(fact);
    return text;
  }

  Facts facts;
  int64_t low, high;
  std::vector<Tree> stated;
  std::vector<Point> points;

private:
  /// Fixes one coordinate after the other.
  void visit(Point &point) {
    if (point.integers.size() != numSymbols) {
      for (int64_t value = low; value <= high; ++value) {
        point.integers.push_back(DynamicAPInt(value));
        visit(point);
        point.integers.pop_back();
      }
      return;
    }
    for (bool value : {false, true}) {
      point.bools.assign(numBools, value);
      bool isTooLarge = false;
      if (llvm::all_of(stated, [&](const Tree &fact) {
            return evaluateTree(fact, point, isTooLarge) == Value::ofBool(true);
          }))
        points.push_back(point);
    }
  }
};

TEST_P(RandomTest, FactsKeepValues) {
  Generator generator = makeGenerator(3, Style());
  repeat(getCount(10), 6, [&](ExprContext &context) {
    World world(context, generator);
    if (world.points.empty())
      return;
    ASSERT_FALSE(world.facts.isContradictory())
        << "seed " << seed << world.str();
    for (unsigned i = 0; i != 4; ++i) {
      Tree tree = generator.makeInt(generator.pick(1, 3));
      Expr expr = buildTree(tree, context);
      Expr simple = world.facts.simplify(expr);
      ValueSet set = world.facts.valueSet(expr);
      bool isDefined = world.facts.isDefined(expr);
      ASSERT_TRUE(world.facts.simplify(simple) == simple)
          << describe(tree, simple) << world.str();
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
  });
}

TEST_P(RandomTest, ProverIsNeverWrong) {
  Generator generator = makeGenerator(4, Style());
  unsigned decided = 0, decidable = 0;
  repeat(getCount(8), 6, [&](ExprContext &context) {
    World world(context, generator);
    Prover prover(world.facts);
    for (unsigned i = 0; i != 4; ++i) {
      Tree tree = generator.makeBool(generator.pick(1, 3));
      Expr query = buildTree(tree, context);
      Answer answer = prover.prove(query);
      bool canYes = true, canNo = true, isTooLarge = false;
      bool holds = false, fails = false;
      for (const Point &point : world.points) {
        std::optional<Value> value = evaluateTree(tree, point, isTooLarge);
        canYes &= value == Value::ofBool(true);
        canNo &= value == Value::ofBool(false);
        holds |= value == Value::ofBool(true);
        fails |= value == Value::ofBool(false);
      }
      if (isTooLarge || world.points.empty())
        continue;
      ASSERT_TRUE(answer.doubt != Doubt::Disagreement || (holds && fails))
          << describe(tree, query) << world.str()
          << "\n  no two assignments disagree";
      decidable += canYes || canNo;
      decided += answer.verdict != Verdict::Unknown;
      bool isRight = answer.verdict == Verdict::Unknown ||
                     (answer.isYes() && canYes) || (answer.isNo() && canNo);
      ASSERT_TRUE(isRight) << describe(tree, query) << world.str()
                           << "\n  answer " << toString(answer.verdict).str()
                           << " by " << toString(answer.rung).str();
    }
  });
  // A prover that knows nothing is never wrong either.
  EXPECT_GE(decided * 10, decidable * 5)
      << decided << " decided of " << decidable;
  RecordProperty("decided", decided);
  RecordProperty("decidable", decidable);
}

/// Facts that hold at a point that may be anywhere, so the numbers in them may
/// be of any size.
TEST_P(RandomTest, WhatHoldsAtAPointIsNotDenied) {
  Style style = getStyle();
  style.hasHugeNumbers = true;
  Generator generator = makeGenerator(5, style);
  repeat(getCount(5), 6, [&](ExprContext &context) {
    Point witness = generator.makePoint(-20, 20);
    Facts facts(context);
    std::string stated;
    bool isTooLarge = false;
    for (unsigned i = 0; i != 3; ++i) {
      Tree tree = generator.makeBool(generator.pick(1, 2));
      std::optional<Value> truth = evaluateTree(tree, witness, isTooLarge);
      if (isTooLarge || !truth)
        continue;
      Expr fact = buildTree(tree, context);
      facts.add(truth->getBool() ? fact : context.logicalNot(fact));
      stated += "\n  fact " + std::string(truth->getBool() ? "" : "not ") +
                toText(tree);
    }
    ASSERT_FALSE(facts.isContradictory())
        << "seed " << seed << stated << "\n  at" << witness.str();
    for (unsigned i = 0; i != 3; ++i) {
      Tree tree = generator.make(generator.pick(1, 3));
      Expr expr = buildTree(tree, context), simple = facts.simplify(expr);
      ASSERT_TRUE(agree(simple, tree, witness))
          << describe(tree, simple, witness) << stated;
      std::optional<Value> value = getValue(evaluateAt(expr, witness));
      if (expr.isInt()) {
        ValueSet set = facts.valueSet(expr);
        ASSERT_TRUE(!value || set.contains(value->getInt()))
            << describe(tree, expr, witness) << stated << "\n  values "
            << set.str();
        continue;
      }
      Answer answer = Prover(facts).prove(expr);
      if (answer.verdict == Verdict::Unknown)
        continue;
      ASSERT_TRUE(value && (answer.isYes() || answer.isNo()) &&
                  answer.isYes() == value->getBool())
          << describe(tree, expr, witness) << stated << "\n  answer "
          << toString(answer.verdict).str() << " by "
          << toString(answer.rung).str();
    }
  });
}

TEST_P(RandomTest, PopForgetsAll) {
  Generator generator = makeGenerator(6, Style());
  repeat(getCount(1), 9, [&](ExprContext &context) {
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
  });
}

/// Calls `visit` with points of a larger box that fit the facts named: their
/// ranges, too.
void visitFitting(const Facts &facts, const FactSet &named,
                  Generator &generator,
                  llvm::function_ref<void(const Point &)> visit) {
  for (unsigned i = 0; i != 500; ++i) {
    Point point = generator.makePoint(-8, 9);
    if (llvm::all_of(named, [&](FactId id) {
          return getValue(evaluateAt(facts.getFact(id).expr, point)) ==
                 Value::ofBool(true);
        }))
      visit(point);
  }
}

TEST_P(RandomTest, TheFactsOfAnAnswerSuffice) {
  Generator generator = makeGenerator(7, Style());
  repeat(getCount(1), 3, [&](ExprContext &context) {
    World world(context, generator);
    if (world.points.empty())
      return;
    Tree tree = generator.makeBool(generator.pick(1, 3));
    Expr query = buildTree(tree, context);
    Answer answer = Prover(world.facts).prove(query);
    if (answer.verdict == Verdict::Unknown)
      return;
    visitFitting(world.facts, answer.facts, generator, [&](const Point &point) {
      ASSERT_TRUE(agree(context.boolean(answer.isYes()), tree, point))
          << describe(tree, query, point) << world.str() << "\n  by "
          << toString(answer.rung).str();
    });
  });
}

TEST_P(RandomTest, TheFactsOfASimplerFormAndOfARangeSuffice) {
  Generator generator = makeGenerator(8, Style());
  repeat(getCount(1), 3, [&](ExprContext &context) {
    World world(context, generator);
    if (world.points.empty())
      return;
    Tree tree = generator.makeInt(generator.pick(1, 3));
    Expr expr = buildTree(tree, context);
    FactSet ofForm, ofRange;
    Expr simple = world.facts.simplify(expr, &ofForm);
    ValueSet set = world.facts.valueSet(expr, &ofRange);
    visitFitting(world.facts, ofForm, generator, [&](const Point &point) {
      ASSERT_TRUE(agree(simple, tree, point))
          << describe(tree, simple, point) << world.str();
    });
    visitFitting(world.facts, ofRange, generator, [&](const Point &point) {
      EvalResult value = evaluateAt(expr, point);
      ASSERT_TRUE(!value.isDefined() || set.contains(value.value.getInt()))
          << describe(tree, expr, point) << world.str() << "\n  values "
          << set.str();
    });
  });
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomTest, ::testing::Range(0u, numShards));

} // namespace
