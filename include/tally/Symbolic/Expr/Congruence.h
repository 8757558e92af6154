//===- Congruence.h - Residue classes and value sets ------------*- C++ -*-===//
//
// Facts about the remainder of a number, and their reduced product with an
// interval.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_SYMBOLIC_EXPR_CONGRUENCE_H
#define TALLY_SYMBOLIC_EXPR_CONGRUENCE_H

#include "tally/Symbolic/Expr/Interval.h"

namespace tally::symbolic {

/// A set {remainder + k * modulus}: modulus 1 is every integer, modulus 0 the
/// remainder alone. The remainder is in [0, modulus) for a positive modulus.
class Congruence {
public:
  /// All integers.
  Congruence() : modulus(1), remainder(0) {}
  Congruence(DynamicAPInt modulus, DynamicAPInt remainder);
  static Congruence point(const DynamicAPInt &value) {
    return {DynamicAPInt(0), value};
  }
  static Congruence multipleOf(const DynamicAPInt &divisor) {
    return {divisor, DynamicAPInt(0)};
  }

  const DynamicAPInt &getModulus() const { return modulus; }
  const DynamicAPInt &getRemainder() const { return remainder; }
  bool isAll() const { return modulus == 1; }
  bool contains(const DynamicAPInt &value) const;
  /// The largest number known to divide every member; 0 if all are 0.
  DynamicAPInt getDivisor() const;

  bool operator==(const Congruence &other) const;
  bool operator!=(const Congruence &other) const { return !(*this == other); }

  /// Returns nothing if no integer is in both.
  std::optional<Congruence> intersect(const Congruence &other) const;
  Congruence unite(const Congruence &other) const;

  Congruence operator+(const Congruence &other) const;
  Congruence operator-(const Congruence &other) const;
  Congruence operator-() const;
  Congruence operator*(const Congruence &other) const;
  Congruence pow(unsigned exponent) const;
  Congruence floorDiv(const Congruence &divisor) const;
  Congruence mod(const Congruence &divisor) const;
  Congruence abs() const;
  /// {x | factor * x is a member}, for a factor other than 0; nothing if there
  /// is no such x.
  std::optional<Congruence> divideExactly(const DynamicAPInt &factor) const;

  /// Prints `mod 8 == 3`, or nothing for all integers.
  void print(llvm::raw_ostream &os) const;

private:
  DynamicAPInt modulus, remainder;
};

/// The reduced product of an interval and a congruence: the ends of the
/// interval are members of the congruence, a single value is known to both,
/// and a set without members is the empty one.
class ValueSet {
public:
  /// All integers.
  ValueSet() = default;
  /*implicit*/ ValueSet(const Interval &interval) : interval(interval) {
    reduce();
  }
  ValueSet(const Interval &interval, const Congruence &congruence)
      : interval(interval), congruence(congruence) {
    reduce();
  }
  static ValueSet point(const DynamicAPInt &value) {
    ValueSet result;
    result.interval = Interval::point(value);
    result.congruence = Congruence::point(value);
    return result;
  }
  static ValueSet empty() { return ValueSet(Interval::empty()); }

  const Interval &getInterval() const { return interval; }
  const Congruence &getCongruence() const { return congruence; }

  bool isEmpty() const { return interval.isEmpty(); }
  bool isAll() const { return interval.isAll() && congruence.isAll(); }
  std::optional<DynamicAPInt> getSingle() const { return interval.getSingle(); }
  bool contains(const DynamicAPInt &value) const {
    return interval.contains(value) && congruence.contains(value);
  }

  bool operator==(const ValueSet &other) const {
    return interval == other.interval && congruence == other.congruence;
  }
  bool operator!=(const ValueSet &other) const { return !(*this == other); }

  ValueSet intersect(const ValueSet &other) const;
  ValueSet unite(const ValueSet &other) const;

  ValueSet operator+(const ValueSet &other) const;
  ValueSet operator-(const ValueSet &other) const;
  ValueSet operator-() const;
  ValueSet operator*(const ValueSet &other) const;
  /// {factor * x | x is a member}.
  ValueSet scale(const DynamicAPInt &factor) const {
    return factor == -1 ? -*this : *this * point(factor);
  }
  ValueSet pow(unsigned exponent) const;
  ValueSet floorDiv(const ValueSet &divisor) const;
  ValueSet mod(const ValueSet &divisor) const;
  ValueSet min(const ValueSet &other) const;
  ValueSet max(const ValueSet &other) const;
  ValueSet abs() const;
  /// {x | factor * x + offset is a member}, for a factor other than 0.
  ValueSet preimage(const DynamicAPInt &factor,
                    const DynamicAPInt &offset) const;

  /// Prints `[0, 64] mod 8 == 0`.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  void reduce();

  Interval interval;
  Congruence congruence;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const ValueSet &set);

} // namespace tally::symbolic

#endif // TALLY_SYMBOLIC_EXPR_CONGRUENCE_H
