//===- Compare.cpp - Results against what is expected ---------------------===//

#include "Array.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using namespace llvm;
using namespace tally::run;

/// What a data type allows where the caller says nothing.
static double getDefaultTolerance(DLDataType type) {
  if (type.code == kDLBfloat)
    return 1.6e-2;
  if (type.bits == 16)
    return 1e-3;
  return type.bits == 32 ? 1e-5 : 1e-7;
}

static bool isClose(double actual, double expected, double relative,
                    double absolute) {
  if (std::isnan(actual) || std::isnan(expected))
    return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected))
    return actual == expected;
  return std::fabs(actual - expected) <=
         absolute + relative * std::fabs(expected);
}

static std::string printElement(const Array &array, int64_t index) {
  if (!isFloat(array.getType()))
    return std::to_string(array.getInt(index));
  std::string text;
  raw_string_ostream(text) << format("%.9g", array.getFloat(index));
  return text;
}

/// Returns `[1, 0]` for an element's place in row-major order.
static std::string printIndex(ArrayRef<int64_t> shape, int64_t flat) {
  SmallVector<std::string> index(shape.size());
  for (size_t d = shape.size(); d-- > 0; flat /= shape[d])
    index[d] = std::to_string(flat % shape[d]);
  return "[" + join(index, ", ") + "]";
}

/// Results of two bytes may be compared with wider files, which numpy can
/// write.
static bool canCompareTypes(DLDataType actual, DLDataType expected) {
  return isSameType(actual, expected) ||
         (isFloat(actual) && actual.bits == 16 && isFloat(expected));
}

std::optional<std::string>
tally::run::compareArrays(const Array &actual, const Array &expected,
                          const Tolerance &tolerance) {
  if (actual.getShape() != expected.getShape() ||
      !canCompareTypes(actual.getType(), expected.getType()))
    return "is " + actual.describe() + ", expected " + expected.describe();
  bool inexact = isFloat(actual.getType());
  double byDefault = getDefaultTolerance(actual.getType());
  double relative = tolerance.relative.value_or(byDefault);
  double absolute = tolerance.absolute.value_or(byDefault);
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < actual.getNumElements(); ++i) {
    bool equal = inexact ? isClose(actual.getFloat(i), expected.getFloat(i),
                                   relative, absolute)
                         : actual.getInt(i) == expected.getInt(i);
    if (equal)
      continue;
    if (wrong++ == 0)
      first = i;
  }
  if (wrong == 0)
    return std::nullopt;
  return "differs in " + std::to_string(wrong) + " of " +
         std::to_string(actual.getNumElements()) + " elements, first at " +
         printIndex(actual.getShape(), first) + ": " +
         printElement(actual, first) + ", expected " +
         printElement(expected, first);
}
