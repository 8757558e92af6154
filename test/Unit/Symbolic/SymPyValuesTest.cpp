//===- SymPyValuesTest.cpp - Values of PyTorch's expressions --------------===//
//
// Expressions that PyTorch made, and the values that Python computes from them:
// SymPyValues.txt, or the file that TALLY_SYMPY_VALUES names. Both are written
// by test/tally-prove/Inputs/sympy_values.py.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Text/SymPy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace tally::symbolic;
using llvm::StringRef;

/// The values of x, y, m and n, as POINTS in the script.
static const int64_t points[][4] = {{0, 0, 1, 0},  {7, -7, 3, 2},
                                    {-1, 5, 2, 1}, {-12, 3, 4, 0},
                                    {9, -8, 5, 3}, {-3, -2, 1, 4}};

/// A value as Python writes it; floats as their bits, so that -0.0 is not 0.0.
static std::string toText(const EvalResult &result) {
  if (!result.isDefined())
    return "undefined";
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (result.value.getType()) {
  case SymbolType::Int:
    os << result.value.getInt();
    break;
  case SymbolType::Bool:
    os << (result.value.getBool() ? "True" : "False");
    break;
  case SymbolType::Float:
    os << llvm::format_hex(llvm::bit_cast<uint64_t>(result.value.getFloat()),
                           18);
    break;
  }
  return text;
}

/// The recorded text of a value in the same form.
static std::string normalize(StringRef recorded) {
  double value;
  if (!recorded.contains_insensitive("inf") && !recorded.contains('.') &&
      !recorded.contains("e-") && !recorded.contains("e+") && recorded != "nan")
    return recorded.str();
  EXPECT_FALSE(recorded.getAsDouble(value)) << recorded.str();
  return toText({Value::ofFloat(value), EvalError::None});
}

TEST(SymPyValues, AreThoseOfPython) {
  const char *named = std::getenv("TALLY_SYMPY_VALUES");
  auto file = llvm::MemoryBuffer::getFile(named ? named : TALLY_SYMPY_RECORD);
  ASSERT_TRUE(static_cast<bool>(file));
  llvm::SmallVector<StringRef, 0> lines;
  (*file)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_GE(lines.size(), 100u);
  for (StringRef line : lines) {
    llvm::SmallVector<StringRef, 8> fields;
    line.split(fields, '\t');
    ASSERT_EQ(fields.size(), std::size(points) + 1);
    ExprContext context;
    for (StringRef name : {"x", "y", "m", "n"})
      context.symbol(name);
    ParseResult parsed =
        parseSrepr(fields[0], context, [&](StringRef name, SymbolType) {
          return context.lookup(name);
        });
    ASSERT_TRUE(static_cast<bool>(parsed)) << parsed.errorMessage;
    for (auto [point, recorded] :
         llvm::zip_equal(points, llvm::ArrayRef(fields).drop_front())) {
      EvalResult result =
          evaluate(parsed.expr, [&, &values = point](Expr symbol) {
            return Value::ofInt(values[symbol.getOrdinal()]);
          });
      EXPECT_EQ(toText(result), normalize(recorded))
          << fields[0].str() << "\nread as " << parsed.expr.str()
          << "\nat x = " << point[0] << ", y = " << point[1]
          << ", m = " << point[2] << ", n = " << point[3] << ": "
          << recorded.str();
    }
  }
}
