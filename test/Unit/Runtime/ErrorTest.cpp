//===- ErrorTest.cpp - What a failed check tells --------------------------===//

#include "tally/Runtime/tally_runtime.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

extern "C" int tallyHeaderCompilesAsC(void);

namespace {

struct Value {
  const char *kind;
  const char *name;
  const char *source;
  int64_t bits;
};

/// A table of one assert, and a context to fail it in.
class ErrorTest : public testing::Test {
protected:
  void SetUp() override { ctx = tally_rt_context_create(nullptr); }
  void TearDown() override { tally_rt_context_destroy(ctx); }

  void add(const std::string &field) { records.append(field).push_back('\0'); }

  /// Fails an assert with these fields; returns the message.
  std::string fail(const char *expression, const std::vector<Value> &values,
                   const char *message = "", const char *requiredBy = "",
                   const char *declaredBy = "", const char *file = "",
                   int line = 0, int column = 0) {
    for (const char *field :
         {expression, message, requiredBy, declaredBy, file})
      add(field);
    add(std::to_string(line));
    add(std::to_string(column));
    add(std::to_string(values.size()));
    std::vector<int64_t> bits;
    for (const Value &value : values) {
      add(value.kind);
      add(value.name);
      add(value.source);
      bits.push_back(value.bits);
    }
    int64_t offset = 0;
    tally_rt_assert_table table = {records.data(), &offset};
    EXPECT_EQ(tally_rt_fail(ctx, &table, 0, static_cast<int32_t>(bits.size()),
                            bits.data()),
              TALLY_RT_CHECK_FAILED);
    return tally_rt_last_error(ctx)->message;
  }

  /// The same in a fresh context.
  std::string failAgain(const char *expression,
                        const std::vector<Value> &values) {
    TearDown();
    SetUp();
    records.clear();
    return fail(expression, values);
  }

  tally_rt_context *ctx = nullptr;
  std::string records;
};

int64_t bitsOf(double value) {
  int64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(HeaderTest, compilesAsC) { EXPECT_TRUE(tallyHeaderCompilesAsC()); }

TEST_F(ErrorTest, reshapeGuard) {
  EXPECT_EQ(fail("s0 * s1 == s2",
                 {{"i", "s0", "x.size(0)", 24},
                  {"i", "s1", "x.size(1)", 7},
                  {"i", "s2", "y.size(0)", 160}},
                 "", "linalg.add", "", "model.py", 41),
            "model.py:41: s0 * s1 == s2 does not hold: 24 * 7 = 168, s2 = 160 "
            "(s0 = x.size(0), s1 = x.size(1), s2 = y.size(0)); needed by "
            "linalg.add");
  const tally_rt_error *error = tally_rt_last_error(ctx);
  EXPECT_EQ(error->status, TALLY_RT_CHECK_FAILED);
  EXPECT_STREQ(error->expression, "s0 * s1 == s2");
  EXPECT_STREQ(error->required_by, "linalg.add");
  EXPECT_STREQ(error->file, "model.py");
  EXPECT_EQ(error->line, 41);
  ASSERT_EQ(error->num_values, 3);
  EXPECT_STREQ(error->values[1].name, "s1");
  EXPECT_STREQ(error->values[1].source, "x.size(1)");
  EXPECT_EQ(error->values[1].value, 7);
}

TEST_F(ErrorTest, declaredRange) {
  EXPECT_EQ(fail("0 <= s0 <= 64", {{"i", "s0", "x.size(0)", 100}}, "", "", "x"),
            "0 <= s0 <= 64 does not hold: s0 = 100 (s0 = x.size(0)); declared "
            "by x");
}

// The source of a value that is no symbol says all that its name says.
TEST_F(ErrorTest, namesAfterSources) {
  EXPECT_EQ(fail("x_size_0 + x_size_0_1 == k_3 + size_2",
                 {{"i", "x_size_0", "x.size(0)", 1},
                  {"i", "x_size_0_1", "x.size(0)", 2},
                  {"i", "k_3", "k[3]", 3},
                  {"i", "size_2", "y.size(1)", 4}}),
            "x.size(0) + x.size(0) == k[3] + y.size(1) does not hold: "
            "1 + 2 = 3, 3 + 4 = 7");
}

// Where it says no more, or something else, both are told.
TEST_F(ErrorTest, namesBesideSources) {
  EXPECT_EQ(fail("arith_xori < n1", {{"i", "arith_xori", "arith.xori(...)", 5},
                                     {"i", "n1", "n", 2}}),
            "arith_xori < n1 does not hold: arith_xori = 5, n1 = 2 "
            "(arith_xori = arith.xori(...), n1 = n)");
}

TEST_F(ErrorTest, userMessage) {
  EXPECT_EQ(fail("u0 >= 2", {{"i", "u0", "", -3}}, "need two rows", "", "",
                 "m.mlir", 3, 5),
            "m.mlir:3:5: u0 >= 2 does not hold: u0 = -3; need two rows");
}

TEST_F(ErrorTest, messageAlone) {
  EXPECT_EQ(fail("", {{"i", "i", "", 9}}, "index out of range"),
            "index out of range: i = 9");
}

TEST_F(ErrorTest, onlyTheFalseConjunct) {
  EXPECT_EQ(fail("s0 <= 4 and (s1 == 2 or s1 == 3) and s2 > 0",
                 {{"i", "s0", "", 3}, {"i", "s1", "", 5}, {"i", "s2", "", 0}}),
            "s0 <= 4 and (s1 == 2 or s1 == 3) and s2 > 0 does not hold: "
            "s1 = 5");
}

TEST_F(ErrorTest, pythonMeaningOfDivision) {
  EXPECT_EQ(fail("s0 floordiv 2 + s0 mod 3 == s0 ceildiv 2 - 2 ** 3",
                 {{"i", "s0", "", -7}}),
            "s0 floordiv 2 + s0 mod 3 == s0 ceildiv 2 - 2 ** 3 does not hold: "
            "(-7) floordiv 2 + (-7) mod 3 = -2, (-7) ceildiv 2 - 2 ** 3 = -11");
}

TEST_F(ErrorTest, functionsAndKinds) {
  EXPECT_EQ(fail("select(b0, max(s0, 4), min(s0, -1)) == abs(s0) and f0 < 0.5",
                 {{"b", "b0", "", 0},
                  {"i", "s0", "", 6},
                  {"f", "f0", "", bitsOf(0.1)}}),
            "select(b0, max(s0, 4), min(s0, -1)) == abs(s0) and f0 < 0.5 does "
            "not hold: select(false, max(6, 4), min(6, -1)) = -1, abs(6) = 6");
  EXPECT_DOUBLE_EQ(tally_rt_last_error(ctx)->values[2].float_value, 0.1);
}

TEST_F(ErrorTest, whatCannotBeEvaluatedIsListed) {
  EXPECT_EQ(
      fail("s0 ** 99 * s1 == 1", {{"i", "s0", "", 77}, {"i", "s1", "", 2}}),
      "s0 ** 99 * s1 == 1 does not hold: s0 = 77, s1 = 2");
}

TEST_F(ErrorTest, integersUpToTwoToThe120) {
  EXPECT_EQ(failAgain("2 ** a == -1", {{"i", "a", "", 120}}),
            "2 ** a == -1 does not hold: "
            "2 ** 120 = 1329227995784915872903807060280344576");
  EXPECT_EQ(failAgain("0 - 2 ** a == 1", {{"i", "a", "", 120}}),
            "0 - 2 ** a == 1 does not hold: "
            "0 - 2 ** 120 = -1329227995784915872903807060280344576");
  EXPECT_EQ(failAgain("2 ** a + 1 == 1", {{"i", "a", "", 120}}),
            "2 ** a + 1 == 1 does not hold: a = 120");
  EXPECT_EQ(failAgain("0 - 2 ** a - 1 == 1", {{"i", "a", "", 120}}),
            "0 - 2 ** a - 1 == 1 does not hold: a = 120");
  EXPECT_EQ(failAgain("1 ** a == 2", {{"i", "a", "", 128}}),
            "1 ** a == 2 does not hold: 1 ** 128 = 1");
  EXPECT_EQ(failAgain("1 ** a == 2", {{"i", "a", "", 129}}),
            "1 ** a == 2 does not hold: a = 129");
  EXPECT_EQ(failAgain("2 ** a == 2", {{"i", "a", "", 0}}),
            "2 ** a == 2 does not hold: 2 ** 0 = 1");
  EXPECT_EQ(failAgain("2 ** a == 2", {{"i", "a", "", -1}}),
            "2 ** a == 2 does not hold: a = -1");
}

TEST_F(ErrorTest, whatHasNoValueIsListed) {
  for (const std::string text :
       {"1 floordiv a == 1", "1 // a == 1", "1 ceildiv a == 1", "1 mod a == 1",
        "1 / a == 1", "exact_div(1, a) == 1", "exact_div(7, a + 2) == 3"})
    EXPECT_EQ(failAgain(text.c_str(), {{"i", "a", "", 0}}),
              text + " does not hold: a = 0");
}

TEST_F(ErrorTest, comparisonsAtTheirBorders) {
  for (const std::string text : {"a != b", "a < b", "a > b", "not a <= b",
                                 "not a >= b", "0 < a < b", "a < 4 < b"})
    EXPECT_EQ(failAgain(text.c_str(), {{"i", "a", "", 3}, {"i", "b", "", 3}}),
              text + " does not hold: a = 3, b = 3");
  EXPECT_EQ(failAgain("exact_div(a, b) == abs(b)",
                      {{"i", "a", "", -6}, {"i", "b", "", -3}}),
            "exact_div(a, b) == abs(b) does not hold: "
            "exact_div((-6), (-3)) = 2, abs((-3)) = 3");
}

TEST_F(ErrorTest, whatCannotBeReadIsListed) {
  EXPECT_EQ(fail("s0 ?? 2", {{"i", "s0", "", 77}}),
            "s0 ?? 2 does not hold: s0 = 77");
}

TEST_F(ErrorTest, firstErrorStays) {
  fail("s0 == 1", {{"i", "s0", "", 2}});
  records.clear();
  EXPECT_EQ(fail("s1 == 1", {{"i", "s1", "", 2}}),
            "s0 == 1 does not hold: s0 = 2");
}

TEST_F(ErrorTest, implications) {
  EXPECT_EQ(
      fail("not b0 or s0 > 2 and s1 != 0",
           {{"b", "b0", "flag", 1}, {"i", "s0", "", 2}, {"i", "s1", "", 7}}),
      "not b0 or s0 > 2 and s1 != 0 does not hold: b0 = true, s0 = 2 (b0 "
      "= flag)");
}

TEST_F(ErrorTest, aPremiseThatHolds) {
  EXPECT_EQ(fail("not (s0 > 2 and s1 > 2) or s2 == s0 * (s1 - 1)",
                 {{"i", "s0", "", 3}, {"i", "s1", "", 5}, {"i", "s2", "", 1}}),
            "not (s0 > 2 and s1 > 2) or s2 == s0 * (s1 - 1) does not hold: "
            "s0 = 3, s1 = 5, s2 = 1, 3 * (5 - 1) = 12");
}

TEST_F(ErrorTest, booleansAlone) {
  EXPECT_EQ(fail("b0", {{"b", "b0", "flag", 0}}),
            "b0 does not hold: b0 = false (b0 = flag)");
  EXPECT_EQ(tally_rt_last_error(ctx)->values[0].kind, TALLY_RT_BOOL);
}

TEST_F(ErrorTest, floats) {
  EXPECT_EQ(fail("f0 * 2 / s0 <= -f1", {{"f", "f0", "scale", bitsOf(1.5)},
                                        {"i", "s0", "", 4},
                                        {"f", "f1", "", bitsOf(-0.25)}}),
            "f0 * 2 / s0 <= -f1 does not hold: 1.5 * 2 / 4 = 0.75, -(-0.25) = "
            "0.25 (f0 = scale)");
  EXPECT_DOUBLE_EQ(tally_rt_last_error(ctx)->values[2].float_value, -0.25);
}

TEST_F(ErrorTest, nestedChoices) {
  EXPECT_EQ(fail("select(s0 < 4, s1, min(s0, s1, 9)) == max(s1, 2)",
                 {{"i", "s0", "", 8}, {"i", "s1", "", 10}}),
            "select(s0 < 4, s1, min(s0, s1, 9)) == max(s1, 2) does not hold: "
            "select(8 < 4, 10, min(8, 10, 9)) = 8, max(10, 2) = 10");
}

TEST_F(ErrorTest, sourcesThatSayTheSame) {
  EXPECT_EQ(
      fail("n == s0", {{"i", "n", "n", 3}, {"i", "s0", "x.stride(1)", 4}}),
      "n == s0 does not hold: n = 3, s0 = 4 (s0 = x.stride(1))");
}

} // namespace
