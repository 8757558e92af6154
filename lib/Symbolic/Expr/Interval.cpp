//===- Interval.cpp - Intervals of integers with infinities ---------------===//
//
// Each function takes the extremes over the corners of its operands, after
// splitting them where it is not monotonic.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Expr/Interval.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally::symbolic;

DynamicAPInt tally::symbolic::pythonFloorDiv(const DynamicAPInt &a,
                                             const DynamicAPInt &b) {
  assert(b != 0 && "division by zero");
  if (b == 1)
    return a;
  if (fitsInt64(a) && fitsInt64(b) && b != -1) {
    auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    int64_t remainder = x % y;
    return DynamicAPInt(x / y - (remainder != 0 && (remainder < 0) != (y < 0)));
  }
  // The remainder of the least machine word by -1 traps in DynamicAPInt.
  if (b == -1)
    return -a;
  DynamicAPInt quotient = a / b;
  bool isInexact = a % b != 0;
  return isInexact && ((a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

DynamicAPInt tally::symbolic::pythonMod(const DynamicAPInt &a,
                                        const DynamicAPInt &b) {
  if (fitsInt64(a) && fitsInt64(b) && b != -1) {
    auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
    int64_t remainder = x % y;
    bool isWrongSign = remainder != 0 && (remainder < 0) != (y < 0);
    return DynamicAPInt(isWrongSign ? remainder + y : remainder);
  }
  return a - b * pythonFloorDiv(a, b);
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

Interval::Interval(Bound lowerBound, Bound upperBound)
    : lower(std::move(lowerBound)), upper(std::move(upperBound)) {
  if (lower && upper && *lower > *upper)
    *this = empty();
}

Interval Interval::empty() {
  Interval result;
  result.isEmptySet = true;
  return result;
}

std::optional<DynamicAPInt> Interval::getSingle() const {
  if (lower && upper && *lower == *upper)
    return lower;
  return std::nullopt;
}

bool Interval::contains(const DynamicAPInt &value) const {
  return !isEmptySet && (!lower || *lower <= value) &&
         (!upper || value <= *upper);
}

bool Interval::contains(const Interval &other) const {
  return intersect(other) == other;
}

bool Interval::isAtLeast(int64_t value) const {
  return isEmptySet || (lower && *lower >= value);
}
bool Interval::isAtMost(int64_t value) const {
  return isEmptySet || (upper && *upper <= value);
}

bool Interval::operator==(const Interval &other) const {
  return isEmptySet == other.isEmptySet && lower == other.lower &&
         upper == other.upper;
}

/// The smaller (or greater) of two bounds; an infinity is taken if `infinite`.
static Bound pick(const Bound &a, const Bound &b, bool smaller, bool infinite) {
  if (!a || !b)
    return infinite ? Bound() : (a ? a : b);
  return (*a < *b) == smaller ? a : b;
}

Interval Interval::intersect(const Interval &other) const {
  if (isEmptySet || other.isEmptySet)
    return empty();
  return {pick(lower, other.lower, /*smaller=*/false, /*infinite=*/false),
          pick(upper, other.upper, /*smaller=*/true, /*infinite=*/false)};
}

Interval Interval::unite(const Interval &other) const {
  if (isEmptySet)
    return other;
  if (other.isEmptySet)
    return *this;
  return {pick(lower, other.lower, /*smaller=*/true, /*infinite=*/true),
          pick(upper, other.upper, /*smaller=*/false, /*infinite=*/true)};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Interval Interval::operator+(const Interval &other) const {
  if (isEmptySet || other.isEmptySet)
    return empty();
  Interval result;
  if (lower && other.lower)
    result.lower = *lower + *other.lower;
  if (upper && other.upper)
    result.upper = *upper + *other.upper;
  return result;
}

Interval Interval::operator-() const {
  if (isEmptySet)
    return empty();
  Interval result;
  if (upper)
    result.lower = -*upper;
  if (lower)
    result.upper = -*lower;
  return result;
}

Interval Interval::operator-(const Interval &other) const {
  return *this + -other;
}

namespace {

/// A corner of a product: a number, or an infinity of either sign.
struct Corner {
  int infinity = 0;
  DynamicAPInt value;

  bool operator<(const Corner &other) const {
    if (infinity != other.infinity)
      return infinity < other.infinity;
    return infinity == 0 && value < other.value;
  }
};

} // namespace

static Corner makeCorner(const Bound &bound, int infinity) {
  return bound ? Corner{0, *bound} : Corner{infinity, DynamicAPInt(0)};
}

static int signOf(const Corner &corner) {
  if (corner.infinity != 0)
    return corner.infinity;
  return corner.value > 0 ? 1 : (corner.value < 0 ? -1 : 0);
}

static Corner multiply(const Corner &a, const Corner &b) {
  int sign = signOf(a) * signOf(b);
  if (sign != 0 && (a.infinity != 0 || b.infinity != 0))
    return {sign, DynamicAPInt(0)};
  // Zero times infinity is zero here: the infinity stands for numbers.
  if (sign == 0)
    return {0, DynamicAPInt(0)};
  return {0, a.value * b.value};
}

Interval Interval::operator*(const Interval &other) const {
  if (isEmptySet || other.isEmptySet)
    return empty();
  if (other.lower && other.lower == other.upper)
    return scale(*other.lower);
  if (lower && lower == upper)
    return other.scale(*lower);
  Corner low = makeCorner(lower, -1), high = makeCorner(upper, 1);
  Corner otherLow = makeCorner(other.lower, -1),
         otherHigh = makeCorner(other.upper, 1);
  Corner corners[] = {multiply(low, otherLow), multiply(low, otherHigh),
                      multiply(high, otherLow), multiply(high, otherHigh)};
  Corner least = corners[0], greatest = corners[0];
  for (const Corner &corner : corners) {
    if (corner < least)
      least = corner;
    if (greatest < corner)
      greatest = corner;
  }
  Interval result;
  if (least.infinity == 0)
    result.lower = least.value;
  if (greatest.infinity == 0)
    result.upper = greatest.value;
  return result;
}

Interval Interval::scale(const DynamicAPInt &factor) const {
  if (isEmptySet || factor == 1)
    return *this;
  if (factor == 0)
    return point(0);
  Interval result;
  const Bound &low = factor > 0 ? lower : upper;
  const Bound &high = factor > 0 ? upper : lower;
  if (low)
    result.lower = *low * factor;
  if (high)
    result.upper = *high * factor;
  return result;
}

Interval Interval::pow(unsigned exponent) const {
  if (isEmptySet)
    return empty();
  if (exponent == 0)
    return point(1);
  if (exponent % 2 == 0 && !isAtLeast(0))
    return abs().pow(exponent);
  // Monotonic. A bound that would grow without measure becomes an infinity.
  auto raise = [&](const Bound &bound) -> Bound {
    if (!bound)
      return std::nullopt;
    static const DynamicAPInt limit(llvm::APInt::getOneBitSet(2050, 2048));
    DynamicAPInt result(1);
    bool isTrivial = *bound == 0 || *bound == 1 || *bound == -1;
    unsigned rest = isTrivial ? 2 - exponent % 2 : exponent;
    for (unsigned i = 0; i != rest; ++i) {
      result *= *bound;
      if (result > limit || -result > limit)
        return std::nullopt;
    }
    return result;
  };
  Interval result;
  result.lower = raise(lower);
  result.upper = raise(upper);
  // A lower bound that is too large to write out is still one.
  if (!result.lower && isAtLeast(0))
    result.lower = lower;
  if (!result.upper && isAtMost(0))
    result.upper = upper;
  return result;
}

/// Divides by an interval of positive numbers.
static Interval floorDivByPositive(const Interval &a, const Interval &b) {
  const Bound &low = a.getLower(), &high = a.getUpper();
  const DynamicAPInt &least = *b.getLower();
  const Bound &greatest = b.getUpper();
  Bound lower, upper;
  if (low) {
    if (*low < 0)
      lower = pythonFloorDiv(*low, least);
    else
      lower = greatest ? pythonFloorDiv(*low, *greatest) : DynamicAPInt(0);
  }
  if (high) {
    if (*high >= 0)
      upper = pythonFloorDiv(*high, least);
    else
      upper = greatest ? pythonFloorDiv(*high, *greatest) : DynamicAPInt(-1);
  }
  return {lower, upper};
}

static Interval modByPositive(const Interval &a, const Interval &b) {
  const Bound &low = a.getLower(), &high = a.getUpper();
  const DynamicAPInt &least = *b.getLower();
  if (low && high && *low >= 0 && *high < least)
    return a;
  if (low && high && b.getSingle() &&
      pythonFloorDiv(*low, least) == pythonFloorDiv(*high, least))
    return {pythonMod(*low, least), pythonMod(*high, least)};
  Interval result = Interval::atLeast(0);
  if (b.getUpper())
    result = result.intersect(Interval::atMost(*b.getUpper() - 1));
  if (high && a.isAtLeast(0))
    result = result.intersect(Interval::atMost(*high));
  return result;
}

/// Applies a function of positive divisors to the positive divisors and, turned
/// round, to the negative ones.
static Interval
splitDivisor(const Interval &a, const Interval &b, bool negateResult,
             Interval (*function)(const Interval &, const Interval &)) {
  if (a.isEmpty())
    return a;
  Interval result = Interval::empty();
  Interval positive = b.intersect(Interval::atLeast(1));
  if (!positive.isEmpty())
    result = function(a, positive);
  Interval negative = (-b).intersect(Interval::atLeast(1));
  if (!negative.isEmpty()) {
    Interval mirrored = function(-a, negative);
    result = result.unite(negateResult ? -mirrored : mirrored);
  }
  return result;
}

Interval Interval::floorDiv(const Interval &divisor) const {
  return splitDivisor(*this, divisor, false, floorDivByPositive);
}

Interval Interval::mod(const Interval &divisor) const {
  return splitDivisor(*this, divisor, true, modByPositive);
}

Interval Interval::min(const Interval &other) const {
  if (isEmptySet || other.isEmptySet)
    return empty();
  return {pick(lower, other.lower, /*smaller=*/true, /*infinite=*/true),
          pick(upper, other.upper, /*smaller=*/true, /*infinite=*/false)};
}

Interval Interval::max(const Interval &other) const {
  return -((-*this).min(-other));
}

Interval Interval::abs() const {
  if (isAtLeast(0))
    return *this;
  if (isAtMost(0))
    return -*this;
  return {DynamicAPInt(0), max(-*this).upper};
}

Interval Interval::alignTo(const DynamicAPInt &remainder,
                           const DynamicAPInt &modulus) const {
  Interval result = *this;
  if (lower)
    *result.lower += pythonMod(remainder - *lower, modulus);
  if (upper)
    *result.upper -= pythonMod(*upper - remainder, modulus);
  if (result.lower && result.upper && *result.lower > *result.upper)
    return empty();
  return result;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void Interval::print(llvm::raw_ostream &os) const {
  if (isEmptySet) {
    os << "[]";
    return;
  }
  os << '[';
  if (lower)
    os << *lower;
  else
    os << "-inf";
  os << ", ";
  if (upper)
    os << *upper;
  else
    os << "inf";
  os << ']';
}

std::string Interval::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &tally::symbolic::operator<<(llvm::raw_ostream &os,
                                               const Interval &interval) {
  interval.print(os);
  return os;
}
