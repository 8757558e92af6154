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

  /// Digits after the point that an element needs, and the largest and smallest
  /// magnitudes, which decide whether all are printed with exponents.
  void measure(int64_t index) {
    if (!isFloat(array.getType()))
      return;
    double value = std::fabs(array.getFloat(index));
    if (!std::isfinite(value))
      return;
    if (value != 0) {
      largest = std::max(largest, value);
      smallest = std::min(smallest, value);
    }
    useExponent = largest >= 1e8 || smallest < 1e-4 ||
                  (largest > 0 && largest / smallest > 1e3 && largest < 1 &&
                   smallest < 1e-4);
    std::string text = shortest(value);
    size_t point = text.find('.');
    if (point != std::string::npos)
      fraction = std::max<int>(fraction, text.size() - point - 1);
  }

  /// The fewest digits that give the same number back, at most eight.
  std::string shortest(double value) {
    for (int digits = 0; digits <= kPrecision; ++digits) {
      std::string text;
      raw_string_ostream(text) << format("%.*f", digits, value);
      double read = std::strtod(text.c_str(), nullptr);
      bool same = array.getType().bits == 64
                      ? read == value
                      : static_cast<float>(read) == static_cast<float>(value);
      if (same || digits == kPrecision)
        return text;
    }
    return "";
  }

  std::string printElement(int64_t index) {
    if (array.getType().code == kDLBool)
      return array.getInt(index) ? "True" : "False";
    if (!isFloat(array.getType()))
      return std::to_string(array.getInt(index));
    double value = array.getFloat(index);
    std::string text;
    raw_string_ostream os(text);
    if (!std::isfinite(value))
      os << (std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    else if (useExponent)
      os << format("%.*e", kPrecision, value);
    else if (fraction == 0)
      os << format("%.0f", value) << '.';
    else
      os << format("%.*f", fraction, value);
    return text;
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
  double smallest = 1;
  size_t width = 0;
};

} // namespace

void tally::run::printArray(raw_ostream &os, const Array &array) {
  Printer(os, array).print();
}
