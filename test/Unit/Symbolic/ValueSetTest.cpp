//===- ValueSetTest.cpp - Intervals and congruences -----------------------===//
//
// Every operation on small sets against all of their members.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Expr/Congruence.h"

#include "gtest/gtest.h"

#include <functional>
#include <vector>

using namespace tally::symbolic;

namespace {

/// Members are looked for in [-limit, limit].
constexpr int64_t limit = 14;

/// Sets of every kind: finite, half open, all, with and without congruences.
std::vector<ValueSet> makeSets() {
  std::vector<Interval> intervals = {
      Interval::all(),     Interval::atLeast(0), Interval::atLeast(-3),
      Interval::atMost(2), Interval::of(0, 0),   Interval::of(-4, 5),
      Interval::of(2, 7),  Interval::of(-6, -2), Interval::of(1, 3)};
  std::vector<Congruence> congruences = {
      Congruence(), Congruence(DynamicAPInt(2), DynamicAPInt(1)),
      Congruence(DynamicAPInt(3), DynamicAPInt(0)),
      Congruence(DynamicAPInt(4), DynamicAPInt(2))};
  std::vector<ValueSet> sets;
  for (const Interval &interval : intervals)
    for (const Congruence &congruence : congruences)
      sets.push_back(ValueSet(interval, congruence));
  return sets;
}

std::vector<int64_t> membersOf(const ValueSet &set) {
  std::vector<int64_t> members;
  for (int64_t value = -limit; value <= limit; ++value)
    if (set.contains(DynamicAPInt(value)))
      members.push_back(value);
  return members;
}

void expectHolds(
    const char *name,
    const std::function<ValueSet(const ValueSet &, const ValueSet &)> &onSets,
    const std::function<std::optional<int64_t>(int64_t, int64_t)> &onNumbers) {
  std::vector<ValueSet> sets = makeSets();
  for (const ValueSet &a : sets)
    for (const ValueSet &b : sets) {
      ValueSet result = onSets(a, b);
      for (int64_t x : membersOf(a))
        for (int64_t y : membersOf(b)) {
          std::optional<int64_t> value = onNumbers(x, y);
          ASSERT_TRUE(!value || result.contains(DynamicAPInt(*value)))
              << name << " of " << x << " in " << a.str() << " and " << y
              << " in " << b.str() << " is " << *value << ", not in "
              << result.str();
        }
    }
}

int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient * b != a && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

TEST(ValueSetTest, OperationsHoldEveryResult) {
  using Set = const ValueSet &;
  using Result = std::optional<int64_t>;
  expectHolds(
      "+", [](Set a, Set b) { return a + b; },
      [](int64_t x, int64_t y) { return Result(x + y); });
  expectHolds(
      "-", [](Set a, Set b) { return a - b; },
      [](int64_t x, int64_t y) { return Result(x - y); });
  expectHolds(
      "*", [](Set a, Set b) { return a * b; },
      [](int64_t x, int64_t y) { return Result(x * y); });
  expectHolds(
      "floordiv", [](Set a, Set b) { return a.floorDiv(b); },
      [](int64_t x, int64_t y) {
        return y ? Result(floorDiv(x, y)) : std::nullopt;
      });
  expectHolds(
      "mod", [](Set a, Set b) { return a.mod(b); },
      [](int64_t x, int64_t y) {
        return y ? Result(x - y * floorDiv(x, y)) : std::nullopt;
      });
  expectHolds(
      "min", [](Set a, Set b) { return a.min(b); },
      [](int64_t x, int64_t y) { return Result(std::min(x, y)); });
  expectHolds(
      "max", [](Set a, Set b) { return a.max(b); },
      [](int64_t x, int64_t y) { return Result(std::max(x, y)); });
  expectHolds(
      "abs", [](Set a, Set) { return a.abs(); },
      [](int64_t x, int64_t) { return Result(x < 0 ? -x : x); });
  expectHolds(
      "cube", [](Set a, Set) { return a.pow(3); },
      [](int64_t x, int64_t) { return Result(x * x * x); });
  expectHolds(
      "square", [](Set a, Set) { return a.pow(2); },
      [](int64_t x, int64_t) { return Result(x * x); });
  expectHolds(
      "unite", [](Set a, Set b) { return a.unite(b); },
      [](int64_t x, int64_t) { return Result(x); });
}

TEST(ValueSetTest, IntersectionIsExact) {
  std::vector<ValueSet> sets = makeSets();
  for (const ValueSet &a : sets)
    for (const ValueSet &b : sets)
      for (int64_t value = -limit; value <= limit; ++value)
        ASSERT_EQ(a.intersect(b).contains(DynamicAPInt(value)),
                  a.contains(DynamicAPInt(value)) &&
                      b.contains(DynamicAPInt(value)))
            << value << " in " << a.str() << " and " << b.str();
}

TEST(ValueSetTest, PreimageIsExact) {
  for (const ValueSet &set : makeSets())
    for (int64_t factor : {-6, -3, -2, -1, 1, 2, 3, 4})
      for (int64_t offset : {-5, 0, 3}) {
        ValueSet preimage =
            set.preimage(DynamicAPInt(factor), DynamicAPInt(offset));
        for (int64_t value = -limit; value <= limit; ++value)
          ASSERT_EQ(preimage.contains(DynamicAPInt(value)),
                    set.contains(DynamicAPInt(factor * value + offset)))
              << factor << " * " << value << " + " << offset << " in "
              << set.str() << "; preimage " << preimage.str();
      }
}

TEST(ValueSetTest, Reduces) {
  ValueSet even(Interval::of(1, 7),
                Congruence(DynamicAPInt(4), DynamicAPInt(0)));
  EXPECT_EQ(even.str(), "[4, 4]");
  EXPECT_TRUE(
      ValueSet(Interval::of(1, 3), Congruence::multipleOf(DynamicAPInt(4)))
          .isEmpty());
  EXPECT_EQ(ValueSet(Interval::of(-9, 30),
                     Congruence(DynamicAPInt(8), DynamicAPInt(3)))
                .str(),
            "[-5, 27] mod 8 == 3");
  EXPECT_EQ(Interval::atLeast(3).str(), "[3, inf]");
  EXPECT_EQ((Interval::of(0, 0) * Interval::all()).str(), "[0, 0]");
}

TEST(ValueSetTest, LargeNumbersAreExact) {
  DynamicAPInt big(int64_t(1) << 62);
  Interval product = Interval::point(big) * Interval::point(big);
  EXPECT_EQ(*product.getSingle(), big * big);
  EXPECT_FALSE((Interval::atMost(big + 1) - Interval::point(1))
                   .isAtMost((int64_t(1) << 62) - 1));
}

} // namespace
