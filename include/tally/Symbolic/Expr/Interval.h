//===- Interval.h - Intervals of integers with infinities -------*- C++ -*-===//
//
// Closed intervals of mathematical integers. Every function returns an
// interval that holds every result for operands out of the given intervals.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_EXPR_INTERVAL_H
#define TALLY_SYMBOLIC_EXPR_INTERVAL_H

#include "llvm/ADT/DynamicAPInt.h"

#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tally::symbolic {

using llvm::DynamicAPInt;

/// An end of an interval: a number, or nothing for the infinity on that side.
using Bound = std::optional<DynamicAPInt>;

/// A set {x | lower <= x <= upper} of integers; a missing bound is infinite.
class Interval {
public:
  /// All integers.
  Interval() = default;
  Interval(Bound lower, Bound upper);
  static Interval all() { return Interval(); }
  static Interval empty();
  static Interval point(const DynamicAPInt &value) {
    Interval result;
    result.lower = result.upper = value;
    return result;
  }
  static Interval point(int64_t value) { return point(DynamicAPInt(value)); }
  static Interval of(int64_t lower, int64_t upper) {
    return {DynamicAPInt(lower), DynamicAPInt(upper)};
  }
  static Interval atLeast(const DynamicAPInt &value) {
    return {value, std::nullopt};
  }
  static Interval atLeast(int64_t value) {
    return atLeast(DynamicAPInt(value));
  }
  static Interval atMost(const DynamicAPInt &value) {
    return {std::nullopt, value};
  }
  static Interval atMost(int64_t value) { return atMost(DynamicAPInt(value)); }

  const Bound &getLower() const { return lower; }
  const Bound &getUpper() const { return upper; }

  bool isEmpty() const { return isEmptySet; }
  bool isAll() const { return !isEmptySet && !lower && !upper; }
  /// The only value, if there is exactly one.
  std::optional<DynamicAPInt> getSingle() const;
  bool contains(const DynamicAPInt &value) const;
  bool contains(int64_t value) const { return contains(DynamicAPInt(value)); }
  bool contains(const Interval &other) const;
  /// Returns true if every value is at least (at most) the given number. An
  /// empty interval says yes to both.
  bool isAtLeast(int64_t value) const;
  bool isAtMost(int64_t value) const;

  bool operator==(const Interval &other) const;
  bool operator!=(const Interval &other) const { return !(*this == other); }

  Interval intersect(const Interval &other) const;
  /// The smallest interval that holds both.
  Interval unite(const Interval &other) const;

  Interval operator+(const Interval &other) const;
  Interval operator-(const Interval &other) const;
  Interval operator-() const;
  Interval operator*(const Interval &other) const;
  Interval scale(const DynamicAPInt &factor) const;
  Interval pow(unsigned exponent) const;
  /// Divisors of zero are left out (their results do not exist).
  Interval floorDiv(const Interval &divisor) const;
  Interval mod(const Interval &divisor) const;
  Interval min(const Interval &other) const;
  Interval max(const Interval &other) const;
  Interval abs() const;
  /// The smallest interval that holds the members which leave `remainder` when
  /// divided by a positive `modulus`.
  Interval alignTo(const DynamicAPInt &remainder,
                   const DynamicAPInt &modulus) const;

  /// Prints `[0, 64]`, `[-inf, 5]`, `[]` for the empty one.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  Bound lower, upper;
  bool isEmptySet = false;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Interval &interval);

/// Returns true if a number fits 64 bits.
inline bool fitsInt64(const DynamicAPInt &value) {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/// Python's floor division and modulo; the divisor must not be zero.
DynamicAPInt pythonFloorDiv(const DynamicAPInt &a, const DynamicAPInt &b);
DynamicAPInt pythonMod(const DynamicAPInt &a, const DynamicAPInt &b);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_EXPR_INTERVAL_H
