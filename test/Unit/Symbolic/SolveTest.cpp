//===- SolveTest.cpp - Systems of equations -------------------------------===//
//
// What is solved and what is required, as text, and random systems against
// trying every value.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Solve.h"
#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace tally::symbolic;

namespace {

class SolveTest : public ::testing::Test {
protected:
  void naturals(std::initializer_list<const char *> names) {
    for (const char *name : names)
      facts.setRange(context.symbol(name), Interval::atLeast(0));
  }
  void integers(std::initializer_list<const char *> names) {
    for (const char *name : names)
      context.symbol(name);
  }
  Expr parse(llvm::StringRef text) {
    ParseResult result = parseExpr(text, context);
    EXPECT_TRUE(static_cast<bool>(result))
        << text.str() << ": " << result.errorMessage;
    return result ? *result : context.trueExpr();
  }
  void fact(const char *text) { facts.add(parse(text)); }
  std::string solve(std::initializer_list<const char *> symbols,
                    std::initializer_list<const char *> equations) {
    llvm::SmallVector<Expr, 4> unknowns, exprs;
    for (const char *symbol : symbols)
      unknowns.push_back(context.lookup(symbol));
    for (const char *equation : equations)
      exprs.push_back(parse(equation));
    return solveSystem(facts, unknowns, exprs).str();
  }

  ExprContext context;
  Facts facts{context};
};

TEST_F(SolveTest, OneSymbolForACaller) {
  naturals({"d0", "d1", "s0", "s1"});
  Prover prover(facts);
  auto solution = solveFor(prover, parse("s0"), parse("d0"), parse("2 * s0"));
  ASSERT_TRUE(solution.has_value());
  EXPECT_EQ(solution->value.str(), "d0 floordiv 2");
  EXPECT_EQ(solution->required.str(), "d0 mod 2 == 0");
  solution = solveFor(prover, parse("s1"), parse("d1"), parse("s0 + s1"));
  ASSERT_TRUE(solution.has_value());
  EXPECT_EQ(solution->value.str(), "d1 - s0");
  EXPECT_TRUE(solution->required.isTrue());
  EXPECT_FALSE(
      solveFor(prover, parse("s1"), parse("d1"), parse("s1 * s1")).has_value());
  EXPECT_FALSE(
      solveFor(prover, parse("s1"), parse("d1"), parse("s0 * s1")).has_value());
  fact("s0 >= 1");
  EXPECT_TRUE(
      solveFor(prover, parse("s1"), parse("d1"), parse("s0 * s1")).has_value());
}

TEST_F(SolveTest, OneSymbol) {
  naturals({"d", "s"});
  integers({"k", "t"});
  EXPECT_EQ(solve({"s"}, {"d == s"}), "s = d");
  EXPECT_EQ(solve({"s"}, {"k == s"}), "s = k requires 0 <= k");
  EXPECT_EQ(solve({"t"}, {"3 - t == k"}), "t = 3 - k");
  EXPECT_EQ(solve({"s"}, {"d == 2 * s"}),
            "s = d floordiv 2 requires d mod 2 == 0");
  EXPECT_EQ(solve({"s"}, {"k == 2 * s + 1"}),
            "s = k ceildiv 2 - 1 requires k mod 2 == 1, 1 <= k");
  EXPECT_EQ(solve({"s"}, {"s == 3"}), "s = 3");
  EXPECT_EQ(solve({"s"}, {"s == -3"}), "s = -3 requires false");
}

TEST_F(SolveTest, Systems) {
  naturals({"d0", "d1", "d2", "s0", "s1", "s2"});
  integers({"k0", "k1", "a", "b"});
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == 2 * s0", "d1 == s0 + s1"}),
            "s0 = d0 floordiv 2, s1 = d1 - s0 requires d0 mod 2 == 0, "
            "s0 <= d1");
  // What was asked for first comes first, whatever is found first.
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == s0 + s1", "d1 == s1"}),
            "s0 = d0 - d1, s1 = d1 requires s1 <= d0");
  EXPECT_EQ(solve({"a", "b"}, {"2 * a + 3 * b == k0", "a + b == k1"}),
            "a = 3 * k1 - k0, b = k1 - a");
  EXPECT_EQ(
      solve({"a", "b"}, {"a + b == k0", "a - b == k1"}),
      "a = (k0 + k1) floordiv 2, b = k0 - a requires (k0 + k1) mod 2 == 0");
  EXPECT_EQ(solve({"s0", "s1", "s2"},
                  {"d0 == s0 + s1", "d1 == s1 + s2", "d2 == s2 + s0"}),
            "s0 = (d0 + d1 + d2) floordiv 2 - d1, s1 = d0 - s0, s2 = d1 - d0 + "
            "s0 requires (d0 + d1 + d2) mod 2 == 0, d1 <= d0 + d2, s0 <= d0, "
            "d0 <= d1 + s0");
  // Products are unknowns of their own.
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == s0 * s1 + s0", "d1 == s0 * s1"}),
            "s0 = d0 - d1, s1 = d0 floordiv s0 - 1 requires d1 <= d0, s0 != 0, "
            "d0 mod s0 == 0");
}

TEST_F(SolveTest, Overdetermined) {
  naturals({"d0", "d1", "d2", "s"});
  EXPECT_EQ(solve({"s"}, {"d0 == s", "d1 == s"}), "s = d0 requires d0 == d1");
  EXPECT_EQ(solve({"s"}, {"d0 == 2 * s", "d1 == s"}),
            "s = d1 requires d0 == 2 * d1");
  EXPECT_EQ(solve({"s"}, {"d0 == 2 * s", "d1 == 3 * s"}),
            "s = d1 - d0 requires d0 <= d1, 3 * d0 == 2 * d1");
  EXPECT_EQ(solve({"s"}, {"d0 == 4 * s", "d1 == 6 * s"}),
            "s = d1 - (d0 + d1) ceildiv 2 requires (d0 + d1) mod 2 == 0, d0 <= "
            "d1, 3 * d0 == 2 * d1");
  EXPECT_EQ(solve({"s"}, {"s == 3", "s == 4"}), "s = 3 requires false");
  fact("d0 == d1");
  EXPECT_EQ(solve({"s"}, {"d0 == s", "d1 == s"}), "s = d0");
}

TEST_F(SolveTest, Underdetermined) {
  naturals({"d0", "d1", "s0", "s1", "s2"});
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == 2 * s0", "d1 == s0 * s0 + s1 * s1"}),
            "cannot solve s1 from s0 ** 2 + s1 ** 2 == d1");
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == s0"}), "cannot solve s1 from d0 == s0");
  EXPECT_EQ(solve({"s0", "s1", "s2"}, {"d0 == s0 + s1", "d1 == s0 + s1 + s2"}),
            "cannot solve s0, s1 from d0 == s0 + s1, d1 == s0 + s1 + s2");
  EXPECT_EQ(solve({"s0"}, {"d0 == s0 mod 3"}),
            "cannot solve s0 from d0 == s0 mod 3");
}

TEST_F(SolveTest, Products) {
  naturals({"d0", "d1", "s0", "s1"});
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == s0", "d1 == s0 * s1"}),
            "s0 = d0, s1 = d1 floordiv s0 requires s0 != 0, d1 mod s0 == 0");
  EXPECT_EQ(solve({"s0", "s1"}, {"d1 == s0 * s1", "d0 == s1"}),
            "s0 = d1 floordiv d0, s1 = d0 requires s1 != 0, d1 mod s1 == 0");
  fact("s0 >= 1");
  EXPECT_EQ(solve({"s0", "s1"}, {"d0 == s0", "d1 == s0 * s1"}),
            "s0 = d0, s1 = d1 floordiv s0 requires 1 <= d0, d1 mod s0 == 0");
  EXPECT_EQ(solve({"s1"}, {"s0 * d0 == s0 * s1"}), "s1 = d0");
  EXPECT_EQ(solve({"s1"}, {"d0 == s0 * s1 + s1"}),
            "s1 = d0 floordiv (s0 + 1) requires d0 mod (s0 + 1) == 0");
  fact("s1 >= 2");
  EXPECT_EQ(solve({"s1"}, {"s0 * s1 == d1"}),
            "s1 = d1 floordiv s0 requires d1 mod s0 == 0, 2 * s0 <= d1");
}

TEST_F(SolveTest, Declarations) {
  naturals({"d", "e", "s", "t"});
  facts.setDivisor(context.symbol("s"), 4);
  facts.setRange(context.symbol("t"), Interval::of(2, 10));
  EXPECT_EQ(solve({"s"}, {"d == s"}), "s = d requires d mod 4 == 0");
  EXPECT_EQ(solve({"s"}, {"d == 3 * s"}),
            "s = d floordiv 3 requires d mod 3 == 0, d mod 12 == 0");
  EXPECT_EQ(solve({"s"}, {"d == s floordiv 4"}), "s = 4 * d");
  EXPECT_EQ(solve({"s"}, {"d == (s + 6) floordiv 2"}),
            "s = 2 * d - 6 requires 3 <= d, d mod 2 == 1");
  EXPECT_EQ(solve({"s"}, {"d == exact_div(s, 8)"}), "s = 8 * d");
  EXPECT_EQ(solve({"s"}, {"d == s ceildiv 4"}), "s = 4 * d");
  EXPECT_EQ(solve({"t"}, {"d == max(t, 1)"}), "t = d requires d <= 10, 2 <= d");
  EXPECT_EQ(solve({"t"}, {"d == select(e < 0, 3, t)"}),
            "t = d requires d <= 10, 2 <= d");
  fact("t <= s");
  EXPECT_EQ(solve({"s", "t"}, {"d == s", "e == t"}),
            "s = d, t = e requires d mod 4 == 0, e <= 10, 2 <= e, e <= s");
}

TEST_F(SolveTest, FactsAreNamed) {
  naturals({"d", "m", "s"});
  fact("m >= 1");
  fact("d <= 100");
  fact("s <= 50");
  SystemSolution solution =
      solveSystem(facts, {parse("s")}, {parse("d == m * s")});
  EXPECT_EQ(solution.str(),
            "s = d floordiv m requires d mod m == 0, d <= 50 * m");
  auto isNamed = [&](FactId id) {
    return llvm::is_contained(solution.facts, id);
  };
  EXPECT_TRUE(isNamed(3)) << "the divisor is not zero";
  EXPECT_TRUE(isNamed(5)) << "becomes a condition";
}

TEST_F(SolveTest, UndefinedEquations) {
  naturals({"d", "n", "k", "s"});
  EXPECT_EQ(solve({"s"}, {"d == s + n floordiv k"}),
            "s = d - n floordiv k requires k != 0, n floordiv k <= d");
  EXPECT_EQ(solve({"s"}, {"d == s + n floordiv s - n floordiv s"}),
            "s = d requires d != 0");
}

TEST_F(SolveTest, OtherTypes) {
  naturals({"n", "s"});
  context.symbol("b", SymbolType::Bool);
  context.symbol("f", SymbolType::Float);
  EXPECT_EQ(solve({"b"}, {"b == (n > 3)"}), "b = 4 <= n");
  EXPECT_EQ(solve({"b"}, {"not b"}), "b = false");
  EXPECT_EQ(solve({"b", "s"}, {"b == (n > 3)", "n == select(b, s, 2 * s)"}),
            "b = 4 <= n, s = n floordiv select(b, 1, 2) requires n mod "
            "select(b, 1, 2) == 0");
  EXPECT_EQ(solve({"f"}, {"f == 2.0"}), "cannot solve f from f == 2.0");
  EXPECT_EQ(solve({"s"}, {"n == s", "s <= 10"}), "s = n requires n <= 10");
}

//===----------------------------------------------------------------------===//
// Random systems
//===----------------------------------------------------------------------===//

constexpr unsigned numKnown = 2, maxUnknown = 3;

/// A random system over two known symbols and up to three unknowns that are
/// declared to be in small ranges.
class RandomSystem {
public:
  RandomSystem(ExprContext &context, uint64_t seed)
      : context(context), engine(seed), facts(context) {
    for (unsigned i = 0; i != numKnown; ++i)
      declare("d" + std::to_string(i), 5);
    unsigned numUnknown = pick(1, maxUnknown);
    for (unsigned i = 0; i != numUnknown; ++i) {
      unknowns.push_back(declare("s" + std::to_string(i), 7));
      if (pick(0, 3) == 0)
        state(context.eq(
            context.mod(unknowns.back(), context.constant(pick(2, 4))),
            context.zero()));
    }
    if (pick(0, 3) == 0)
      state(context.le(atom(), context.add(atom(), atom())));
    for (int64_t i = 0, e = numUnknown - 1 + pick(0, 2); i <= e; ++i)
      equations.push_back(
          context.eq(i < 2 && pick(0, 2) ? symbols[i] : sum(), sum()));
  }

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(engine);
  }

  std::string str() const {
    std::string text;
    for (Expr fact : stated)
      text += "fact " + fact.str() + "\n";
    for (Expr equation : equations)
      text += "solve " + equation.str() + "\n";
    return text;
  }

  ExprContext &context;
  std::mt19937_64 engine;
  Facts facts;
  llvm::SmallVector<Expr, 4> symbols, unknowns, equations, stated;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> ranges;

private:
  Expr declare(const std::string &name, int64_t width) {
    Expr symbol = context.symbol(name);
    int64_t low = pick(0, 1) ? 0 : pick(-4, 2);
    ranges.push_back({low, low + pick(1, width)});
    facts.setRange(symbol, Interval::of(low, ranges.back().second));
    symbols.push_back(symbol);
    return symbol;
  }
  void state(Expr fact) {
    stated.push_back(fact);
    facts.add(fact);
  }
  Expr atom() { return symbols[pick(0, symbols.size() - 1)]; }
  Expr factor() {
    switch (pick(0, 11)) {
    case 0:
      return context.mul(atom(), atom());
    case 1:
      return context.floorDiv(context.add(atom(), context.constant(pick(0, 2))),
                              context.constant(pick(2, 4)));
    case 2:
      return context.max(atom(), context.constant(pick(-1, 2)));
    case 3:
      return context.mod(atom(), atom());
    case 4:
      return context.select(context.lt(atom(), atom()), atom(), atom());
    case 5:
      return context.exactDiv(atom(), context.constant(2));
    case 6:
      return context.constant(pick(-4, 4));
    default:
      return atom();
    }
  }
  Expr sum() {
    Expr result = context.zero();
    for (int64_t i = pick(1, 3); i != 0; --i)
      result = context.add(result,
                           context.scale(DynamicAPInt(pick(-3, 3)), factor()));
    return result;
  }
};

class SolveRandomTest : public ::testing::Test {
protected:
  using Point = llvm::DenseMap<Expr, Value>;

  static bool holds(Expr condition, const Point &point) {
    EvalResult result = evaluate(condition, point);
    return result.isDefined() && result.value.getBool();
  }

  /// Calls `visit` for every assignment of symbols from `first` to `end`.
  static void forEach(const RandomSystem &system, Point &point, size_t first,
                      size_t end, llvm::function_ref<void()> visit) {
    if (first == end)
      return visit();
    auto [low, high] = system.ranges[first];
    for (int64_t value = low; value <= high; ++value) {
      point[system.symbols[first]] = Value::ofInt(value);
      forEach(system, point, first + 1, end, visit);
    }
  }

  /// Every assignment of the unknowns that fits facts and equations.
  static std::vector<Point> findAll(const RandomSystem &system, Point point) {
    std::vector<Point> found;
    forEach(system, point, numKnown, system.symbols.size(), [&] {
      auto fits = [&](Expr expr) { return holds(expr, point); };
      if (llvm::all_of(system.stated, fits) &&
          llvm::all_of(system.equations, fits))
        found.push_back(point);
    });
    return found;
  }

  /// Compares the solution with all solutions at one assignment of the known
  /// symbols. Gives a complaint or nothing.
  static std::string check(const RandomSystem &system,
                           const SystemSolution &solution, Point point) {
    std::vector<Point> all = findAll(system, point);
    for (const SystemSolution::Binding &binding : solution.values) {
      EvalResult result = evaluate(binding.value, point);
      if (result.isDefined())
        point[binding.symbol] = result.value;
    }
    const Expr *broken = llvm::find_if(solution.required, [&](Expr condition) {
      return !holds(condition, point);
    });
    if (broken == solution.required.end()) {
      if (all.size() != 1)
        return std::to_string(all.size()) + " solutions";
      for (Expr symbol : system.unknowns)
        if (!point.count(symbol) ||
            point.lookup(symbol) != all[0].lookup(symbol))
          return "wrong value of " + symbol.str();
      return "";
    }
    // A factor that is zero leaves the unknown open.
    bool isOpen = llvm::any_of(solution.required, [&](Expr condition) {
      return condition.getKind() == ExprKind::Ne && !holds(condition, point);
    });
    if (!all.empty() && !isOpen)
      return "a solution does not fit " + broken->str();
    return "";
  }
};

TEST_F(SolveRandomTest, SolutionsAreThoseThatFit) {
  auto getSetting = [](const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  // A system costs as much as many expressions do in RandomTest.cpp.
  uint64_t numRounds = getSetting("TALLY_FUZZ_EXPRESSIONS", 1000000) / 2000;
  uint64_t seed = getSetting("TALLY_FUZZ_SEED", 20261121);
  unsigned numSolved = 0, numUnique = 0;
  for (uint64_t round = 0; round != numRounds; ++round) {
    ExprContext context;
    RandomSystem system(context, seed * 1000003 + round);
    SystemSolution solution =
        solveSystem(system.facts, system.unknowns, system.equations);
    bool isUnique = true;
    SolveRandomTest::Point point;
    forEach(system, point, 0, numKnown, [&] {
      bool isKnown = llvm::all_of(system.stated, [&](Expr fact) {
        return llvm::any_of(system.unknowns,
                            [&](Expr symbol) {
                              return context.mentions(fact, symbol);
                            }) ||
               holds(fact, point);
      });
      if (!isKnown || ::testing::Test::HasFailure())
        return;
      if (!solution.isSolved()) {
        isUnique &= findAll(system, point).size() <= 1;
        return;
      }
      std::string complaint = check(system, solution, point);
      if (complaint.empty())
        return;
      std::string where;
      for (unsigned i = 0; i != numKnown; ++i)
        where +=
            " " + context.constant(point[system.symbols[i]].getInt()).str();
      ADD_FAILURE() << "seed " << seed << " round " << round << "\n"
                    << system.str() << solution.str() << "\nat" << where << ": "
                    << complaint;
    });
    if (::testing::Test::HasFailure())
      return;
    numSolved += solution.isSolved();
    numUnique += solution.isSolved() || isUnique;
  }
  // A solver that refuses is never wrong either.
  EXPECT_GT(numSolved * 3, numRounds)
      << numSolved << " solved of " << numUnique;
  RecordProperty("solved", numSolved);
  RecordProperty("unique", numUnique);
}

} // namespace
