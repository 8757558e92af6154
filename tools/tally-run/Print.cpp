//===- Print.cpp - Arrays as numpy prints them ----------------------------===//

#include "Array.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstdlib>

using namespace llvm;
using namespace tally::run;

namespace {

/// Arrays of more elements than this are printed with dots, as in numpy.
constexpr int64_t kThreshold = 1000;
/// What is printed before and after the dots.
constexpr int64_t kEdgeItems = 3;
constexpr int kPrecision = 8;
constexpr size_t kLineWidth = 75;

class Printer {
public:
  Printer(raw_ostream &os, const Array &array)
      : os(os), array(array), shape(array.getShape()),
        summarize(array.getNumElements() > kThreshold) {
    collect(0, 0, [&](int64_t index) { measure(index); });
    collect(0, 0, [&](int64_t index) { measureFraction(index); });
    collect(0, 0, [&](int64_t index) {
      width = std::max(width, printElement(index).size());
    });
  }

  void print() { printDim(0, 0); }

private:
  /// Whether the elements from `i` of a dimension are left out.
  bool isHidden(int64_t i, int64_t size) const {
    return summarize && size > 2 * kEdgeItems && i >= kEdgeItems &&
           i < size - kEdgeItems;
  }

  /// Calls `visit` for every element that is shown.
  template <typename Visit>
  void collect(size_t dim, int64_t base, Visit visit) {
    if (dim == shape.size()) {
      visit(base);
      return;
    }
    for (int64_t i = 0; i < shape[dim]; ++i)
      if (!isHidden(i, shape[dim]))
        collect(dim + 1, base * shape[dim] + i, visit);
  }

  /// The largest and smallest magnitudes decide whether all are printed with
  /// exponents, as in numpy.
  void measure(int64_t index) {
    double value = std::fabs(array.getFloat(index));
    if (!isFloat(array.getType()) || !std::isfinite(value) || value == 0)
      return;
    largest = std::max(largest, value);
    smallest = smallest == 0 ? value : std::min(smallest, value);
    useExponent = largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1e3;
  }

  /// Digits after the point that an element needs.
  void measureFraction(int64_t index) {
    double value = array.getFloat(index);
    if (isFloat(array.getType()) && std::isfinite(value))
      fraction = std::max(fraction, countDigits(value));
  }

  /// Prints with this many digits after the point.
  std::string printFloat(double value, int digits) const {
    std::string text;
    raw_string_ostream(text)
        << format(useExponent ? "%.*e" : "%.*f", digits, value);
    // A point is always there: `1.`, `1.e+10`.
    if (digits == 0)
      text.insert(std::min(text.find('e'), text.size()), ".");
    return text;
  }

  /// The fewest digits that give the same number back; at most eight, without
  /// zeros at the end.
  int countDigits(double value) const {
    for (int digits = 0; digits < kPrecision; ++digits) {
      double read = std::strtod(printFloat(value, digits).c_str(), nullptr);
      if (roundToType(array.getType(), read) == value)
        return digits;
    }
    std::string fixed = printFloat(value, kPrecision);
    StringRef mantissa =
        StringRef(fixed).take_until([](char c) { return c == 'e'; });
    return kPrecision -
           static_cast<int>(mantissa.size() - mantissa.rtrim('0').size());
  }

  std::string printElement(int64_t index) const {
    if (array.getType().code == kDLBool)
      return array.getInt(index) ? "True" : "False";
    if (!isFloat(array.getType()))
      return std::to_string(array.getInt(index));
    double value = array.getFloat(index);
    if (std::isnan(value))
      return "nan";
    if (std::isinf(value))
      return value < 0 ? "-inf" : "inf";
    if (useExponent)
      return printFloat(value, fraction);
    // Points are aligned: blanks stand for the zeros.
    int digits = countDigits(value);
    return printFloat(value, digits) + std::string(fraction - digits, ' ');
  }

  void printDim(size_t dim, int64_t base) {
    if (dim == shape.size()) {
      os << right_justify(printElement(base), shape.empty() ? 0 : width);
      return;
    }
    os << '[';
    bool isRow = dim + 1 == shape.size();
    size_t column = dim + 1, start = dim + 1;
    bool first = true, dots = false;
    for (int64_t i = 0; i < shape[dim]; ++i) {
      bool hidden = isHidden(i, shape[dim]);
      if (hidden && dots)
        continue;
      dots = hidden;
      size_t length = hidden ? 3 : width;
      if (!first)
        separate(dim, isRow, column, start, length);
      first = false;
      if (hidden)
        os << "...";
      else
        printDim(dim + 1, base * shape[dim] + i);
      column += length + 1;
    }
    os << ']';
  }

  /// Between two elements of a row a space or a new line; between two rows as
  /// many new lines as dimensions end.
  void separate(size_t dim, bool isRow, size_t &column, size_t start,
                size_t length) {
    if (isRow && column + length <= kLineWidth) {
      os << ' ';
      return;
    }
    size_t lines = isRow ? 1 : shape.size() - dim - 1;
    for (size_t i = 0; i < lines; ++i)
      os << '\n';
    os.indent(start);
    column = start;
  }

  raw_ostream &os;
  const Array &array;
  ArrayRef<int64_t> shape;
  bool summarize;
  bool useExponent = false;
  int fraction = 0;
  double largest = 0;
  double smallest = 0;
  size_t width = 0;
};

} // namespace

void tally::run::printArray(raw_ostream &os, const Array &array) {
  if (array.getNumElements() == 0)
    os << "[]";
  else
    Printer(os, array).print();
}
