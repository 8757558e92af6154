//===- Congruence.cpp - Residue classes and value sets --------------------===//
//
// Residue classes {remainder + k * modulus}, and their reduced product with
// intervals.
//
//===----------------------------------------------------------------------===//

#include "tally/Symbolic/Expr/Congruence.h"

#include "llvm/Support/raw_ostream.h"

using namespace tally::symbolic;

/// Non-negative greatest common divisor of any two numbers.
static DynamicAPInt gcdOf(const DynamicAPInt &a, const DynamicAPInt &b) {
  if (a == 1 || b == 1)
    return DynamicAPInt(1);
  return gcd(abs(a), abs(b));
}

Congruence::Congruence(DynamicAPInt mod, DynamicAPInt rem)
    : modulus(std::move(mod)), remainder(std::move(rem)) {
  if (modulus < 0)
    modulus = -modulus;
  // Without measure a modulus helps nobody.
  static const DynamicAPInt limit(llvm::APInt::getOneBitSet(514, 512));
  if (!fitsInt64(modulus) && modulus > limit)
    modulus = 1;
  if (modulus == 1)
    remainder = 0;
  else if (modulus != 0)
    remainder = pythonMod(remainder, modulus);
}

bool Congruence::contains(const DynamicAPInt &value) const {
  if (modulus == 0)
    return value == remainder;
  return pythonMod(value, modulus) == remainder;
}

DynamicAPInt Congruence::getDivisor() const {
  return gcdOf(modulus, remainder);
}

bool Congruence::operator==(const Congruence &other) const {
  return modulus == other.modulus && remainder == other.remainder;
}

/// x with a * x == gcd(a, m) modulo m, for positive a and m.
static DynamicAPInt getInverse(const DynamicAPInt &a, const DynamicAPInt &m) {
  DynamicAPInt r0 = a, r1 = m, x0(1), x1(0);
  while (r1 != 0) {
    DynamicAPInt q = r0 / r1, r2 = r0 - q * r1, x2 = x0 - q * x1;
    r0 = r1, r1 = r2;
    x0 = x1, x1 = x2;
  }
  return pythonMod(x0, m);
}

std::optional<Congruence> Congruence::intersect(const Congruence &other) const {
  if (isAll() || other.isAll())
    return isAll() ? other : *this;
  if (modulus == 0 || other.modulus == 0) {
    const Congruence &single = modulus == 0 ? *this : other;
    const Congruence &set = modulus == 0 ? other : *this;
    if (!set.contains(single.remainder))
      return std::nullopt;
    return single;
  }
  DynamicAPInt g = gcdOf(modulus, other.modulus);
  DynamicAPInt distance = other.remainder - remainder;
  if (pythonMod(distance, g) != 0)
    return std::nullopt;
  DynamicAPInt step = other.modulus / g;
  DynamicAPInt times =
      step == 1
          ? DynamicAPInt(0)
          : (distance / g) * getInverse(pythonMod(modulus / g, step), step);
  Congruence result(modulus * step, remainder + modulus * times);
  // Should the common modulus be beyond measure, keep one of the two.
  return result.isAll() ? *this : result;
}

Congruence Congruence::unite(const Congruence &other) const {
  return {gcdOf(gcdOf(modulus, other.modulus), remainder - other.remainder),
          remainder};
}

Congruence Congruence::operator+(const Congruence &other) const {
  if (isAll() || other.isAll())
    return Congruence();
  return {gcdOf(modulus, other.modulus), remainder + other.remainder};
}

Congruence Congruence::operator-() const { return {modulus, -remainder}; }

Congruence Congruence::operator-(const Congruence &other) const {
  return *this + -other;
}

Congruence Congruence::operator*(const Congruence &other) const {
  if (isAll() && other.isAll())
    return Congruence();
  DynamicAPInt result = modulus * other.modulus;
  result = gcdOf(result, modulus * other.remainder);
  result = gcdOf(result, other.modulus * remainder);
  return {result, remainder * other.remainder};
}

Congruence Congruence::pow(unsigned exponent) const {
  // Beyond a few factors nothing new is learned but what a multiple is.
  Congruence result = point(DynamicAPInt(1));
  for (unsigned i = 0; i != std::min(exponent, 16u); ++i)
    result = result * *this;
  if (exponent <= 16)
    return result;
  return multipleOf(getDivisor());
}

Congruence Congruence::floorDiv(const Congruence &divisor) const {
  if (divisor.modulus != 0 || divisor.remainder == 0)
    return Congruence();
  if (pythonMod(modulus, divisor.remainder) != 0)
    return Congruence();
  return {modulus / divisor.remainder,
          pythonFloorDiv(remainder, divisor.remainder)};
}

Congruence Congruence::mod(const Congruence &divisor) const {
  // a mod d is a plus a multiple of d.
  DynamicAPInt common = gcdOf(modulus, divisor.getDivisor());
  if (divisor.modulus == 0 && divisor.remainder != 0 &&
      pythonMod(modulus, divisor.remainder) == 0)
    return point(pythonMod(remainder, divisor.remainder));
  return {common, remainder};
}

Congruence Congruence::abs() const { return unite(-*this); }

void Congruence::print(llvm::raw_ostream &os) const {
  if (!isAll())
    os << "mod " << modulus << " == " << remainder;
}

std::optional<Congruence>
Congruence::divideExactly(const DynamicAPInt &factor) const {
  if (isAll() || factor == 1)
    return *this;
  DynamicAPInt g = gcdOf(factor, modulus);
  if (pythonMod(remainder, g) != 0)
    return std::nullopt;
  DynamicAPInt reduced = modulus / g;
  if (reduced == 0)
    return point(remainder / factor);
  if (reduced == 1)
    return Congruence();
  DynamicAPInt inverse = getInverse(pythonMod(factor / g, reduced), reduced);
  return Congruence(reduced, remainder / g * inverse);
}

//===----------------------------------------------------------------------===//
// ValueSet
//===----------------------------------------------------------------------===//

void ValueSet::reduce() {
  const DynamicAPInt &modulus = congruence.getModulus();
  if (modulus == 0)
    interval = interval.intersect(Interval::point(congruence.getRemainder()));
  else if (modulus != 1)
    interval = interval.alignTo(congruence.getRemainder(), modulus);
  if (interval.isEmpty())
    congruence = Congruence();
  else if (modulus != 0 && interval.getLower() &&
           interval.getLower() == interval.getUpper())
    congruence = Congruence::point(*interval.getLower());
}

ValueSet ValueSet::intersect(const ValueSet &other) const {
  std::optional<Congruence> common = congruence.intersect(other.congruence);
  if (!common || isEmpty() || other.isEmpty())
    return empty();
  return {interval.intersect(other.interval), *common};
}

ValueSet ValueSet::unite(const ValueSet &other) const {
  if (isEmpty())
    return other;
  if (other.isEmpty())
    return *this;
  return {interval.unite(other.interval), congruence.unite(other.congruence)};
}

ValueSet ValueSet::operator+(const ValueSet &other) const {
  return {interval + other.interval, congruence + other.congruence};
}
ValueSet ValueSet::operator-(const ValueSet &other) const {
  return {interval - other.interval, congruence - other.congruence};
}
ValueSet ValueSet::operator-() const { return {-interval, -congruence}; }
ValueSet ValueSet::operator*(const ValueSet &other) const {
  return {interval * other.interval, congruence * other.congruence};
}
ValueSet ValueSet::pow(unsigned exponent) const {
  return {interval.pow(exponent), congruence.pow(exponent)};
}
ValueSet ValueSet::floorDiv(const ValueSet &divisor) const {
  return {interval.floorDiv(divisor.interval),
          congruence.floorDiv(divisor.congruence)};
}
ValueSet ValueSet::mod(const ValueSet &divisor) const {
  return {interval.mod(divisor.interval), congruence.mod(divisor.congruence)};
}
ValueSet ValueSet::min(const ValueSet &other) const {
  return {interval.min(other.interval), congruence.unite(other.congruence)};
}
ValueSet ValueSet::max(const ValueSet &other) const {
  return {interval.max(other.interval), congruence.unite(other.congruence)};
}
ValueSet ValueSet::abs() const { return {interval.abs(), congruence.abs()}; }

ValueSet ValueSet::preimage(const DynamicAPInt &factor,
                            const DynamicAPInt &offset) const {
  if (isEmpty())
    return empty();
  if (factor == 1 && offset == 0)
    return *this;
  Interval shifted = interval - Interval::point(offset);
  if (factor < 0)
    shifted = -shifted;
  DynamicAPInt magnitude = factor < 0 ? -factor : factor;
  Bound lower, upper;
  if (shifted.getLower())
    lower = -pythonFloorDiv(-*shifted.getLower(), magnitude);
  if (shifted.getUpper())
    upper = pythonFloorDiv(*shifted.getUpper(), magnitude);
  std::optional<Congruence> classes =
      (congruence - Congruence::point(offset)).divideExactly(factor);
  if (!classes)
    return empty();
  return {Interval(lower, upper), *classes};
}

void ValueSet::print(llvm::raw_ostream &os) const {
  interval.print(os);
  if (!congruence.isAll() && congruence.getModulus() != 0) {
    os << ' ';
    congruence.print(os);
  }
}

std::string ValueSet::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

llvm::raw_ostream &tally::symbolic::operator<<(llvm::raw_ostream &os,
                                               const ValueSet &set) {
  set.print(os);
  return os;
}
