//===- StrengthTest.cpp - Questions that real programs ask ----------------===//
//
// A table of questions with the answers that the prover must find, and of
// hostile ones that it must not hang on.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Parser.h"
#include "tally/Symbolic/Prover.h"

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
// vectorising
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
  EXPECT_GE(session.numAsked, 90u);
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
