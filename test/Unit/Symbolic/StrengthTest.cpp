//===- StrengthTest.cpp - Questions that real programs ask ----------------===//
//
// A table of questions with the answers that the prover must find, and of
// hostile ones that it must not hang on.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Proof/Prover.h"
#include "tally/Symbolic/Text/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <ctime>
#include <functional>

using namespace tally::symbolic;
using llvm::StringRef;

namespace {

/// One statement a line: `symbol` names naturals, `int` any integers; `fact`,
/// `push`, `pop`; `yes`, `no` and `unknown` ask and say the answer.
const char *const questions = R"(
symbol s0 s1 s2 s3 n m k h w d c
// reshape, view -1
push
fact s2 == s0 * s1
yes s0 * s1 == s2
unknown s2 mod s0 == 0 or s0 == 0
yes s0 == 0 or s2 mod s0 == 0
fact s0 >= 1
yes s2 floordiv s0 == s1
yes s2 mod s0 == 0
yes s2 >= s1
pop
// s0*s1 mod (s0-1)
push
fact s0 >= 2
yes s0*s1 mod (s0-1) == s1 mod (s0-1)
pop
// a divisor that the lowering keeps from being 0
push
fact n mod max(m, 1) == 0 and m != 0
yes n mod m == 0
pop
push
fact n mod select(m != 0, m, 1) == 0 and m != 0
yes n mod m == 0
pop
// split
yes n - n floordiv 2 >= n floordiv 2
yes (n floordiv 2) + (n - n floordiv 2) == n
yes n ceildiv 3 * 3 >= n
yes n ceildiv 3 * 3 - n <= 2
// pad to multiple
yes n + (-n) mod 8 >= n
yes (n + (-n) mod 8) mod 8 == 0
yes (-n) mod 8 <= 7
// conv output
push
fact h >= 3
yes (h - 3) floordiv 2 + 1 >= 1
yes (h + 2 - 3) floordiv 1 + 1 == h
yes ((h + 2 - 3) floordiv 2 + 1) * 2 >= h
yes (h - 3) floordiv 2 + 1 <= h
pop
// slice clamping
yes min(n, 10) <= n
yes max(min(n, m), 0) <= n
yes max(0, min(n, k) - min(n, m)) <= n
yes min(max(n - 3, 0), n) == max(n - 3, 0)
yes max(n,m) + min(n,m) == n + m
// tiling
yes min(32, n - 32 * (n floordiv 32)) <= 32
yes n - 32 * (n floordiv 32) == n mod 32
push
fact k < n ceildiv 32
yes k * 32 < n
yes min(32, n - k * 32) >= 1
pop
push
fact k < n floordiv 32
yes k * 32 + 31 < n
yes min(n - k * 32, 32) == 32
pop
// kv cache
push
fact n <= 4096
fact m <= 4096 - n
yes n + m <= 4096
yes m <= 4096
fact k < m
yes n + k < 4096
pop
// packing
yes (n * 4 + 3) floordiv 4 == n
yes (8 * n + 5) mod 8 == 5
yes (n floordiv 8) * 8 + n mod 8 == n
yes (n floordiv 4) floordiv 8 == n floordiv 32
yes (n mod 32) floordiv 8 == n floordiv 8 - (n floordiv 32) * 4
yes (n floordiv 8) mod 4 == (n mod 32) floordiv 8
// products
push
fact n >= 1
fact m >= 1
yes n * m >= n
yes n * m >= 1
yes n * m * (k + 1) >= n
yes n * m >= n + m - 1
fact n <= m
yes n * k <= m * k
yes n * n <= m * m
pop
yes (n + 1) * (m + 1) > n * m
yes n * n >= n
yes n * n + m * m >= 2 * n * m
yes (n - m) ** 2 >= 0
yes n ** 2 mod 4 <= 1
// transitive
push
fact n <= m
fact m <= k
fact k <= d
yes n <= d
yes n + m <= 2 * d
fact d <= n
yes n == k
pop
// disequalities
push
fact n != 0
yes n >= 1
fact n != 1
yes n >= 2
yes n != 0
pop
push
fact n != m
yes n < m or m < n
fact n <= m
yes n < m
pop
// equalities
push
fact n == m
yes n * k == m * k
yes n mod 8 == m mod 8
fact m == 4 * k
yes n mod 4 == 0
yes n floordiv 4 == k
yes n * d floordiv 4 == k * d
pop
// vectorizing
push
fact n mod 4 == 0
yes n floordiv 4 * 4 == n
yes (n * m) mod 4 == 0
fact m < n floordiv 4
yes 4 * m + 3 < n
yes 4 * m + 4 <= n
pop
push
fact n mod 8 == 4
yes n mod 4 == 0
no n mod 8 == 0
no n == 0
pop
push
fact s0 mod s1 == 0
fact s1 >= 1
yes s0 floordiv s1 * s1 == s0
pop
// heads
push
fact d == h * 64
fact h >= 1
yes d floordiv h == 64
yes d mod 64 == 0
yes d floordiv 64 == h
pop
push
fact d mod h == 0
fact h >= 1
yes h * (d floordiv h) == d
pop
// broadcasting
push
fact n == 1 or n == m
fact m >= 1
yes n <= m
yes max(n, m) == m
pop
push
fact n == m or n == 1
fact n != 1
yes n == m
pop
yes n mod 2 == 0 or n mod 2 == 1
yes select(n > 3, n, 3) >= 3
yes select(n > m, n, m) == max(n, m)
yes abs(n - m) <= max(n, m)
yes abs(n - m) >= n - m
yes 2 * n != 2 * m + 1
no 6 * n + 3 * m == 1
yes n floordiv 2 + n floordiv 3 <= n
yes (n + 1) floordiv 2 <= n floordiv 2 + 1
yes (n + m) floordiv 2 <= max(n, m)
yes n mod 6 mod 3 == n mod 3
yes (n + m) mod 4 == (n mod 4 + m mod 4) mod 4
yes (n * m) mod 4 == ((n mod 4) * m) mod 4
int i j
yes i mod 4 >= 0
yes i floordiv 2 * 2 <= i
yes -((-i) floordiv 2) == i ceildiv 2
yes abs(i) >= i
yes i * i >= 0
yes i * i >= i
yes max(i, j) >= min(i, j)
yes i - i mod 5 == 5 * (i floordiv 5)
)";

const char *const moreQuestions = R"(
symbol b s h d n m k t p q r x y z w
// heads / attention
push
fact d == h * 64
fact h >= 1
yes b * s * d == b * s * h * 64
yes (b * s * d) floordiv (h * 64) == b * s
yes (b * s * d) mod 64 == 0
pop
push
fact d mod h == 0
fact h >= 1
yes (d floordiv h) * h == d
yes b * s * h * (d floordiv h) == b * s * d
pop
// conv/pool
push
fact x >= 5
fact k >= 1
fact k <= 5
yes (x - k) floordiv 2 + 1 >= 1
yes ((x - k) floordiv 2) * 2 + k <= x
yes (x + 2 * p - k) floordiv 1 + 1 >= 1
pop
yes ((x + 1) floordiv 2 + 1) floordiv 2 <= x floordiv 4 + 1
yes (2 * x + 2 * 1 - 2 - 1) floordiv 2 + 1 == x
push
fact x mod 2 == 0
yes (x - 2) floordiv 2 + 1 == x floordiv 2
yes x floordiv 2 + x floordiv 2 == x
pop
push
fact x mod 32 == 0
fact x >= 32
yes x floordiv 2 floordiv 2 floordiv 2 floordiv 2 floordiv 2 >= 1
yes (x floordiv 4) mod 8 == 0
yes (x floordiv 4) floordiv 8 * 32 == x
pop
// slices
yes max(0, min(n, m)) == min(n, m)
yes n - min(n, m) == max(n - m, 0)
yes min(max(n - 5, 0), n) + min(n, 5) == n
yes max(min(n, 7) - 3, 0) <= 4
push
fact n >= 10
yes min(n, 10) == 10
yes max(min(n, 10) - 3, 0) == 7
pop
push
fact k <= n
yes min(k, n) == k
yes max(n - k, 0) == n - k
yes min(n, k + 1) - k <= 1
pop
// split sizes
yes (n + 3) floordiv 4 * 4 - n <= 3
yes n - (n ceildiv 4) * 3 <= n ceildiv 4
yes min(n ceildiv 4, n) == n ceildiv 4
// tiling
push
fact t >= 1
yes (n ceildiv t) * t >= n
yes n - (n floordiv t) * t < t
yes (n floordiv t) * t <= n
yes n ceildiv t <= n
yes (n + t - 1) floordiv t == n ceildiv t
yes (n ceildiv t) * t < n + t
fact k < n ceildiv t
yes k * t < n
yes min(t, n - k * t) >= 1
pop
push
fact t >= 1
fact n mod t == 0
yes n ceildiv t == n floordiv t
yes (n floordiv t) * t == n
pop
// strides
push
fact k < n
fact r < m
yes k * m + r < n * m
yes k * m + r >= 0
yes (k * m + r) floordiv m == k
yes (k * m + r) mod m == r
pop
push
fact x < n
fact y < m
fact z < k
yes (x * m + y) * k + z < n * m * k
pop
// modular indexing
yes (n floordiv 4) mod 8 <= 7
yes ((n floordiv 4) mod 8) * 4 + n mod 4 == n mod 32
yes (n mod 4) floordiv 4 == 0
push
fact n < 4
yes n mod 4 == n
yes n floordiv 4 == 0
pop
// products
push
fact n * m == k
fact n >= 1
yes m <= k
yes k mod n == 0
fact m >= 1
yes k >= 1
pop
push
fact n * m >= 1
yes n >= 1
yes m >= 1
pop
push
fact n * m == 0
yes n == 0 or m == 0
pop
push
fact n * m == 12
yes n <= 12
pop
// min max
yes max(n, m) >= n
yes max(n, m) + min(n, m) == n + m
yes max(n, m, k) >= min(n, m)
yes max(n + k, m + k) == max(n, m) + k
yes max(2 * n, 2 * m) == 2 * max(n, m)
yes min(n, m) * 2 <= n + m
yes max(n, m) * 2 >= n + m
no max(n, 1) == 0
yes max(n, 1) >= 1
// booleans
yes (n <= 3 and m <= 3) or n > 3 or m > 3
no n < m and m < n
yes not (n < m) or n <= m
yes (n == m) == (m == n)
push
fact n == 1 or m == 1
fact n != 1
yes m == 1
pop
push
fact n <= 3 and m <= 4 or n <= 2 and m <= 9
yes n <= 3
yes m <= 9
pop
// big
yes n * 18446744073709551616 >= n
yes n * n * n * n >= 0
yes 9223372036854775807 + n >= 9223372036854775807
unknown 9223372036854775807 + n > 9223372036854775807
push
fact n <= 4611686018427387904
fact m <= 4611686018427387904
yes n * m <= 21267647932558653966460912964485513216
yes n + m <= 9223372036854775808
pop
// equalities
push
fact n + m == k
yes k - n == m
yes n <= k
fact m == 0
yes n == k
pop
push
fact 3 * n == 2 * m
yes m mod 3 == 0
yes n mod 2 == 0
yes n <= m
pop
push
fact n == 2 * k
fact m == 2 * k + 1
yes n != m
yes n mod 2 != m mod 2
yes n + 1 == m
pop
push
fact n floordiv 2 == k
yes n <= 2 * k + 1
yes n >= 2 * k
pop
push
fact n ceildiv 8 == k
yes n <= 8 * k
yes 8 * k < n + 8
pop
push
fact max(n, m) <= 10
yes n <= 10
yes n + m <= 20
pop
push
fact n mod 2 == 1
yes n >= 1
yes (n + 1) mod 2 == 0
yes (n - 1) floordiv 2 * 2 + 1 == n
pop
push
fact n mod 6 == 3
yes n mod 3 == 0
yes n mod 2 == 1
pop
push
fact n mod 4 == 0
fact n mod 3 == 0
yes n mod 12 == 0
pop
yes n * (n + 1) mod 2 == 0
yes (n * (n - 1)) floordiv 2 * 2 == n * (n - 1)
yes n mod 2 + (n + 1) mod 2 == 1
yes select(n == 0, 1, n) >= 1
yes n floordiv max(m, 1) <= n
yes n mod max(m, 1) < max(m, 1)
yes m == 0 or n mod m < m
yes m == 0 or n floordiv m <= n
)";

/// Reads statements and asks what they ask.
class Session {
public:
  void run(StringRef text) {
    llvm::SmallVector<StringRef> lines;
    text.split(lines, '\n');
    for (StringRef line : lines)
      if (line = line.split("//").first.trim(); !line.empty())
        execute(line);
  }

  unsigned numAsked = 0;

private:
  void execute(StringRef line) {
    auto [word, rest] = line.split(' ');
    if (word == "symbol" || word == "int") {
      llvm::SmallVector<StringRef> names;
      rest.split(names, ' ');
      for (StringRef name : names) {
        Expr symbol = context.symbol(name);
        if (word == "symbol")
          facts.setRange(symbol, Interval::atLeast(0));
      }
    } else if (word == "push") {
      facts.push();
    } else if (word == "pop") {
      facts.pop();
    } else if (ParseResult parsed = parseExpr(rest, context); !parsed) {
      ADD_FAILURE() << line.str() << ": " << parsed.errorMessage;
    } else if (word == "fact") {
      facts.add(*parsed);
    } else {
      ++numAsked;
      Answer answer = Prover(facts).prove(*parsed);
      EXPECT_EQ(toString(answer.verdict).str(), word.str()) << rest.str();
    }
  }

  ExprContext context;
  Facts facts{context};
};

TEST(StrengthTest, Table) {
  Session session;
  session.run(questions);
  Session other;
  other.run(moreQuestions);
  EXPECT_GE(session.numAsked + other.numAsked, 190u);
}

/// Processor time in seconds.
double getTime() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Builds `combine(combine(...))` of the given depth.
std::string nest(unsigned depth,
                 const std::function<std::string(std::string, unsigned)> &step,
                 std::string start = "n") {
  for (unsigned i = 0; i != depth; ++i)
    start = step(std::move(start), i);
  return start;
}

std::string join(unsigned count, const char *separator,
                 const std::function<std::string(unsigned)> &part) {
  std::vector<std::string> parts;
  for (unsigned i = 0; i != count; ++i)
    parts.push_back(part(i));
  return llvm::join(parts, separator);
}

TEST(StrengthTest, HostileQuestionsEnd) {
  auto n = [](unsigned i) { return std::to_string(i); };
  auto x = [](unsigned i) { return "x" + std::to_string(i % 64); };
  std::vector<std::string> statements = {
      "symbol n m k " + join(64, " ", x),
      "unknown " +
          nest(60,
               [&](std::string e, unsigned i) {
                 return "((" + e + " + " + n(i) + ") floordiv " + n(i % 5 + 2) +
                        " + m mod " + n(i + 2) + ")";
               }) +
          " <= n",
      "unknown " +
          nest(60,
               [&](std::string e, unsigned i) {
                 return "((" + e + ") mod " + n(97 - i) + " + m)";
               }) +
          " <= 5",
      "unknown " +
          nest(30,
               [&](std::string e, unsigned i) {
                 return "max(" + e + " floordiv 3, m - " + n(i) + ")";
               }) +
          " <= 5",
      "unknown " +
          nest(20,
               [&](std::string e, unsigned i) {
                 return "(" + e + " floordiv " + x(i) + " + 1)";
               }) +
          " <= n",
      "unknown " +
          nest(40,
               [&](std::string e, unsigned i) {
                 return "select(x0 < " + x(i) + ", " + e + ", m)";
               }) +
          " <= 5",
      "unknown " + join(64, " * ", x) + " <= 5",
      "unknown " +
          join(64, " * ", [&](unsigned i) { return "(" + x(i) + " + 1)"; }) +
          " <= 5",
      "unknown " +
          join(
              63, " * ",
              [&](unsigned i) { return "(" + x(i) + " + " + x(i + 1) + ")"; }) +
          " <= 5",
      "unknown (n + 1) ** 200 <= m", "unknown (n + m + k) ** 100 <= m",
      "unknown (((n ** 1000) ** 1000) ** 1000) ** 1000 <= m",
      "unknown 7 ** 1000000 <= n",
      "unknown " +
          join(64, " + ",
               [&](unsigned i) {
                 return n(i + 1) + std::string(300, '0') + " * " + x(i);
               }) +
          " <= 1" + std::string(301, '0'),
      // A knapsack that exact search takes minutes for.
      "unknown 12223 * x0 + 12224 * x1 + 36674 * x2 + 61119 * x3 + 85569 * x4 "
      "== 89643481",
      "unknown " + join(64, " and ", [&](unsigned i) {
        return "(" + x(i) + " <= " + x(i * 7 + 1) + " or " + x(i) + " == 3)";
      })};
  Session session;
  for (const std::string &statement : statements) {
    double start = getTime();
    session.run(statement);
    // Ordinary times are milliseconds; this is for slow, instrumented builds.
    EXPECT_LT(getTime() - start, 20) << statement.substr(0, 100);
  }
}

} // namespace
