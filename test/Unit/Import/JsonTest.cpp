//===- JsonTest.cpp - JSON in little memory -------------------------------===//

#include "../../../lib/Import/Json.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace llvm;
using namespace tally::import_pt2;

namespace {

class JsonTest : public testing::Test {
protected:
  JsonValue parse(StringRef text) {
    Expected<JsonValue> root = parseJson(text, "it", memory);
    if (root)
      return *root;
    ADD_FAILURE() << toString(root.takeError());
    return {};
  }

  std::string findError(StringRef text) {
    Expected<JsonValue> root = parseJson(text, "it", memory);
    return root ? "none" : toString(root.takeError());
  }

  BumpPtrAllocator memory;
};

TEST_F(JsonTest, Trees) {
  JsonValue root = parse(" {\"a\": [1, true, null, {}, []],\n\t\"b\": \"c\", "
                         "\"d\": false, \"a b\": {\"x\": -3}} ");
  std::optional<JsonObject> object = root.getObject();
  ASSERT_TRUE(object);
  EXPECT_EQ(object->size(), 4u);
  EXPECT_EQ(object->begin()->name, "a");
  std::optional<ArrayRef<JsonValue>> list = object->get("a")->getArray();
  ASSERT_TRUE(list && list->size() == 5);
  EXPECT_EQ((*list)[0].getInteger(), 1);
  EXPECT_EQ((*list)[1].getBoolean(), true);
  EXPECT_TRUE((*list)[2].isNull());
  EXPECT_EQ((*list)[3].getObject()->size(), 0u);
  EXPECT_TRUE((*list)[4].getArray()->empty());
  EXPECT_FALSE((*list)[4].getObject());
  EXPECT_EQ(object->getString("b"), "c");
  EXPECT_EQ(object->getBoolean("d"), false);
  EXPECT_EQ(object->getObject("a b")->getInteger("x"), -3);
  EXPECT_EQ(object->get("e"), nullptr);
  EXPECT_FALSE(object->getInteger("b"));
  // The last of several values counts.
  EXPECT_EQ(parse("{\"a\": 1, \"a\": 2}").getObject()->getInteger("a"), 2);
}

TEST_F(JsonTest, Numbers) {
  EXPECT_EQ(parse("0").getInteger(), 0);
  EXPECT_EQ(parse("-0").getInteger(), 0);
  EXPECT_TRUE(std::signbit(*parse("-0.0").getDouble()));
  EXPECT_EQ(parse("2.0").getInteger(), 2);
  EXPECT_FALSE(parse("2.5").getInteger());
  EXPECT_EQ(parse("-1e-3").getDouble(), -1e-3);
  EXPECT_EQ(parse("1E+2").getInteger(), 100);
  EXPECT_EQ(parse("9223372036854775807").getInteger(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808").getInteger(), INT64_MIN);
  JsonValue large = parse("9223372036854775808");
  EXPECT_FALSE(large.getInteger());
  EXPECT_EQ(large.getNumberText(), "9223372036854775808");
  EXPECT_EQ(large.getDouble(), 0x1p63);
  EXPECT_EQ(parse("1e999").getDouble(),
            std::numeric_limits<double>::infinity());
  for (StringRef text : {"-", "1e", "1.2.3", "--1", "1-2"})
    EXPECT_NE(findError(text), "none") << text.str();
  for (StringRef text : {"NaN", "Infinity", "-Infinity", "+1", ".5", "0x10"})
    EXPECT_NE(findError(text), "none") << text.str();
}

TEST_F(JsonTest, Strings) {
  EXPECT_EQ(parse("\"\"").getString(), "");
  EXPECT_EQ(parse("\"a\\n\\t\\\"\\\\\\/\\b\\f\\r z\"").getString(),
            "a\n\t\"\\/\b\f\r z");
  EXPECT_EQ(parse("\"\\u0041\\u00e9\\u20AC\"").getString(),
            "A\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(parse("\"\\ud83d\\ude00!\"").getString(), "\xF0\x9F\x98\x80!");
  // Half of a pair.
  EXPECT_EQ(parse("\"\\ud83d\\u0041\"").getString(), "\xEF\xBF\xBD"
                                                     "A");
  EXPECT_EQ(parse("\"\\ude00\"").getString(), "\xEF\xBF\xBD");
  EXPECT_EQ(parse("\"\xC3\xA9\"").getString(), "\xC3\xA9");
  EXPECT_EQ(parse("\"a\\u0000b\"").getString(), StringRef("a\0b", 3));
}

TEST_F(JsonTest, Errors) {
  EXPECT_EQ(findError("{\"a\": 1,\n  \"b\" 2}"),
            "it is not valid JSON: line 2, column 7: ':' is expected");
  EXPECT_EQ(findError("[1 2]"),
            "it is not valid JSON: line 1, column 4: ',' or ']' is expected");
  EXPECT_EQ(findError(""),
            "it is not valid JSON: line 1, column 1: it ends too early");
  EXPECT_EQ(findError("[\"a\xFF\"]"),
            "it is not valid JSON: line 1, column 4: a character is not UTF-8");
  EXPECT_EQ(findError("1 2"), "it is not valid JSON: line 1, column 3: there "
                              "is text behind its end");
  EXPECT_EQ(findError("[nul]"),
            "it is not valid JSON: line 1, column 2: a value is expected");
  EXPECT_EQ(findError("[-]"),
            "it is not valid JSON: line 1, column 2: a number is expected");
  EXPECT_EQ(findError("[1.]"),
            "it is not valid JSON: line 1, column 2: a number is expected");
  EXPECT_EQ(findError("\"a\nb\""), "it is not valid JSON: line 1, column 3: a "
                                   "string has a control character");
  EXPECT_EQ(findError("\"ab"),
            "it is not valid JSON: line 1, column 4: a string has no end");
  EXPECT_EQ(findError("\"ab\\"),
            "it is not valid JSON: line 1, column 5: a string has no end");
  EXPECT_EQ(findError("\"\\x\""),
            "it is not valid JSON: line 1, column 3: an escape is unknown");
  EXPECT_EQ(findError("\"\\u12x4\""),
            "it is not valid JSON: line 1, column 4: four hexadecimal digits "
            "are expected");
  for (StringRef text :
       {"[",           "[1",      "[1,",      "[1,]",      "{",
        "{\"a\"",      "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
        "{1:2}",       "\"",      "\"a",      "\"\\",      "\"\\u12",
        "\"\\u12x4\"", "\"\\x\"", "\"\n\"",   "tru",       "truee",
        "nul",         "1 2",     "]",        "\"\xFF\"",  "\"\xC3\""})
    EXPECT_NE(findError(text), "none") << text.str();
  EXPECT_EQ(findError(std::string(1000, '[') + std::string(1000, ']')), "none");
  EXPECT_EQ(findError(std::string(1001, '[')),
            "it is nested too deep, in more than 1000 brackets");
}

} // namespace
