//===- ValueAnalysis.cpp - Value sets under facts -------------------------===//
//
// Intervals x congruences of expressions, from those of the symbols and from
// what facts say about primitive parts. A boolean is an integer in [0, 1].
//
//===----------------------------------------------------------------------===//

#include "ValueAnalysis.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Assignments of remainders that are tried, the terms of a polynomial and the
/// powers in it.
static constexpr int64_t kMaxEnumerated = 64;
static constexpr size_t kMaxEnumeratedTerms = 8;
static constexpr unsigned kMaxEnumeratedPower = 8;
/// Numbers that the remainders of a sum are rounded to.
static constexpr size_t kMaxRoundings = 4;
/// Sums of more symbols are computed from sums of one less.
static constexpr size_t kMaxShortSum = 8;

const KnownValues &ValueAnalysis::getKnownValues(Expr expr) {
  static const KnownValues nothing{};
  if (expr.isSymbol() && expr.isInt()) {
    auto it = tables.known.find(expr);
    return it == tables.known.end() || it->second.set.isEmpty() ? nothing
                                                                : it->second;
  }
  auto it = valueCache.find(expr);
  if (it != valueCache.end() && it->second.time >= tables.getLastChange(expr))
    return it->second.answer;
  KnownValues result = computeValueSet(expr);
  Stamped<KnownValues> &slot = valueCache[expr];
  slot = {std::move(result), tables.getTime()};
  return slot.answer;
}

ValueSet ValueAnalysis::valueSet(Expr expr, FactSet &used) {
  if (expr.isConstant())
    return ValueSet::point(expr.getConstant());
  const KnownValues &result = getKnownValues(expr);
  mergeFacts(used, result.ids);
  return result.set;
}

/// The set of an expression that is its own primitive part, met with what facts
/// say.
void ValueAnalysis::meetKnown(Expr part, KnownValues &result) {
  auto it = tables.known.find(part);
  if (it == tables.known.end())
    return;
  const ValueSet &stated = it->second.set;
  ValueSet met = result.set.intersect(stated);
  if (met == result.set)
    return;
  if (met == stated)
    result.ids = it->second.ids;
  else
    mergeFacts(result.ids, it->second.ids);
  result.set = met;
}

KnownValues ValueAnalysis::computeValueSet(Expr expr) {
  KnownValues result;
  if (expr.isBool()) {
    std::optional<bool> truth = truthOf(expr, result.ids);
    result.set = truth ? ValueSet::point(DynamicAPInt(*truth))
                       : ValueSet(Interval::of(0, 1));
    return result;
  }
  if (!expr.isInt())
    return result;
  PrimitiveSplit split = splitPrimitivePart(expr, context);
  if (split.factor == 0)
    return {ValueSet::point(split.offset), {}};
  if (split.part != expr) {
    result = getKnownValues(split.part);
    if (split.factor != 1)
      result.set = result.set.scale(split.factor);
    if (split.offset != 0)
      result.set = result.set + ValueSet::point(split.offset);
    return result;
  }
  result =
      expr.getKind() == ExprKind::Add ? computeSum(expr) : computeAtom(expr);
  meetKnown(expr, result);
  // Without a value anywhere, or under facts that exclude each other: claim
  // nothing.
  if (result.set.isEmpty())
    return KnownValues();
  return result;
}

ValueSet ValueAnalysis::valueOfAtom(Expr expr, FactSet &used) {
  KnownValues result =
      expr.getKind() == ExprKind::Add ? computeSum(expr) : computeAtom(expr);
  mergeFacts(used, result.ids);
  return result.set;
}

namespace {

/// An interval with ends in wide words that others are added to, and the facts
/// that this takes.
class WideSum {
public:
  /// Adds the values of coefficient * term; false if a number is too large.
  bool add(const DynamicAPInt &coefficient, const Interval &values) {
    if (!fitsInt64(coefficient) || values.isEmpty())
      return false;
    auto factor = static_cast<int64_t>(coefficient);
    return add(low, hasLow, factor,
               factor > 0 ? values.getLower() : values.getUpper()) &&
           add(high, hasHigh, factor,
               factor > 0 ? values.getUpper() : values.getLower());
  }
  void addReasons(const FactSet &ids) {
    if (!ids.appendIfFew(few))
      mergeFacts(many, ids);
  }
  /// Returns true if no end is known any more.
  bool isAll() const { return !hasLow && !hasHigh; }
  Interval getInterval() const {
    return {hasLow ? Bound(toNumber(low)) : Bound(),
            hasHigh ? Bound(toNumber(high)) : Bound()};
  }
  FactSet getReasons() const {
    FactSet result(few);
    result.insert(many);
    return result;
  }

private:
  __extension__ using Wide = __int128;

  static bool add(Wide &end, bool &isKnown, int64_t factor,
                  const Bound &other) {
    isKnown &= other.has_value();
    if (!isKnown)
      return true;
    return fitsInt64(*other) &&
           !__builtin_add_overflow(
               end, Wide(factor) * static_cast<int64_t>(*other), &end);
  }
  static DynamicAPInt toNumber(Wide value) {
    if (value == Wide(static_cast<int64_t>(value)))
      return DynamicAPInt(static_cast<int64_t>(value));
    uint64_t words[] = {static_cast<uint64_t>(value),
                        static_cast<uint64_t>(value >> 64)};
    return DynamicAPInt(llvm::APInt(128, words));
  }

  Wide low = 0, high = 0;
  bool hasLow = true, hasHigh = true;
  SmallVector<FactId, 32> few;
  FactSet many;
};

} // namespace

/// The sum of terms whose ends are words, one of which may be any integer as
/// far as remainders go, and so may the sum. Nothing for other sums.
std::optional<KnownValues>
ValueAnalysis::computeShortNumbers(ArrayRef<Expr> operands) {
  WideSum sum;
  bool isEveryRemainder = false;
  for (Expr operand : operands) {
    TermView view = viewTerm(operand);
    if (!view.monomial) {
      if (!sum.add(*view.coefficient, Interval::point(1)))
        return std::nullopt;
      continue;
    }
    const KnownValues &term = getKnownValues(view.monomial);
    if (!sum.add(*view.coefficient, term.set.getInterval()))
      return std::nullopt;
    isEveryRemainder |= term.set.getCongruence().isAll() &&
                        (*view.coefficient == 1 || *view.coefficient == -1);
    if (sum.isAll() && isEveryRemainder)
      return KnownValues();
    sum.addReasons(term.ids);
  }
  if (!isEveryRemainder)
    return std::nullopt;
  return KnownValues{ValueSet(sum.getInterval()), sum.getReasons()};
}

KnownValues ValueAnalysis::computeSum(Expr expr) {
  ArrayRef<Expr> operands = expr.getOperands();
  bool isLong = operands.size() > kMaxShortSum && isLinear(expr);
  KnownValues result{ValueSet::point(DynamicAPInt(0)), {}};
  if (isLong) {
    // Sums grow by a term at a time.
    Expr start =
        findNode(context, ExprKind::Add, SymbolType::Int, operands.drop_back());
    auto it = start ? longSums.find(start) : longSums.end();
    if (it != longSums.end() &&
        it->second.time >= tables.getLastSymbolChange(start)) {
      result = it->second.answer;
      operands = operands.take_back();
    }
  }
  if (operands.size() > 1 && isLinear(expr))
    if (std::optional<KnownValues> sum = computeShortNumbers(operands)) {
      if (isLong)
        longSums[expr] = {*sum, tables.getTime()};
      return *sum;
    }
  for (Expr operand : operands) {
    TermView view = viewTerm(operand);
    // The values of a symbol are at hand.
    bool isScaled = view.monomial && view.monomial.isSymbol();
    const KnownValues &term =
        getKnownValues(isScaled ? view.monomial : operand);
    if (!isScaled || *view.coefficient == 1)
      result.set = result.set + term.set;
    else
      result.set = result.set + term.set.scale(*view.coefficient);
    // Nothing more can be learned.
    if (result.set.isAll()) {
      result.ids.clear();
      break;
    }
    mergeFacts(result.ids, term.ids);
  }
  if (isLong)
    longSums[expr] = {result, tables.getTime()};
  else if (expr.getNode()->foldable)
    meetRounded(expr, result);
  return result;
}

/// The terms k * (x mod c) of a sum, for literals c.
static TermList getLiteralRemainders(Expr sum, ExprContext &context) {
  TermList remainders;
  for (const Term &term : getTerms(sum, context))
    if (term.monomial.getKind() == ExprKind::Mod &&
        term.monomial.getOperand(1).isConstant())
      remainders.push_back(term);
  return remainders;
}

/// The sums that a sum differs from by a multiple of a number each. For a
/// number every remainder goes that can, so that there are few of them.
SmallVector<ValueAnalysis::RoundedSum, 1>
ValueAnalysis::getRoundedSums(Expr expr) {
  auto [it, isNew] = roundedSums.try_emplace(expr);
  if (!isNew)
    return it->second;
  SmallVector<RoundedSum, 1> sums;
  SmallVector<DynamicAPInt, kMaxRoundings> numbers;
  TermList remainders = getLiteralRemainders(expr, context);
  auto getNumber = [](const Term &term) {
    return abs(term.coefficient * term.monomial.getOperand(1).getConstant());
  };
  for (const Term &remainder : remainders)
    if (DynamicAPInt number = getNumber(remainder);
        numbers.size() < kMaxRoundings && !llvm::is_contained(numbers, number))
      numbers.push_back(number);
  for (const DynamicAPInt &number : numbers) {
    Expr whole = expr;
    for (const Term &remainder : remainders) {
      if (getNumber(remainder) % number != 0)
        continue;
      Expr atom = remainder.monomial;
      Expr without = context.add(
          whole, context.scale(remainder.coefficient,
                               context.sub(atom.getOperand(0), atom)));
      if (getTermOperands(without).size() <= getTermOperands(whole).size())
        whole = without;
    }
    if (getTermOperands(whole).size() < expr.getOperands().size())
      sums.push_back({whole, Congruence::multipleOf(number)});
  }
  return roundedSums[expr] = std::move(sums);
}

/// x - x mod c is a multiple of c: with k * (x mod c) among the terms of a sum,
/// the sum is what k * x makes of it modulo k * c.
void ValueAnalysis::meetRounded(Expr expr, KnownValues &result) {
  for (const auto &[whole, multiples] : getRoundedSums(expr)) {
    const KnownValues &known = getKnownValues(whole);
    ValueSet met = result.set.intersect(
        {Interval(), known.set.getCongruence() + multiples});
    if (met.isEmpty() || met == result.set)
      continue;
    result.set = met;
    mergeFacts(result.ids, known.ids);
  }
}

namespace {

/// Tries all remainders of the atoms of a polynomial modulo a small number.
class RemainderEnumerator {
public:
  RemainderEnumerator(TermList terms, int64_t modulus)
      : terms(std::move(terms)), modulus(modulus) {}

  /// Collects the atoms; false if there is too much to try.
  bool collectAtoms();
  ArrayRef<Expr> getAtoms() const { return atoms; }
  /// All remainders, for atoms that are in these classes.
  ValueSet enumerate(ArrayRef<Congruence> classes) const;

private:
  /// The remainder of an atom at a point, a number with a digit for each atom.
  int64_t digitOf(int64_t point, size_t atom) const {
    while (atom--)
      point /= modulus;
    return point % modulus;
  }
  int64_t evaluate(int64_t point) const;

  TermList terms;
  int64_t modulus, numPoints = 1;
  SmallVector<Expr, 4> atoms;
};

} // namespace

bool RemainderEnumerator::collectAtoms() {
  for (const Term &term : terms)
    for (const Factor &factor : getFactors(term.monomial)) {
      if (factor.power > kMaxEnumeratedPower)
        return false;
      if (llvm::is_contained(atoms, factor.atom))
        continue;
      numPoints *= modulus;
      if (numPoints > kMaxEnumerated)
        return false;
      atoms.push_back(factor.atom);
    }
  return true;
}

int64_t RemainderEnumerator::evaluate(int64_t point) const {
  int64_t sum = 0;
  for (const Term &term : terms) {
    auto value = static_cast<int64_t>(
        pythonMod(term.coefficient, DynamicAPInt(modulus)));
    for (const Factor &factor : getFactors(term.monomial)) {
      size_t atom = llvm::find(atoms, factor.atom) - atoms.begin();
      for (unsigned i = 0; i != factor.power; ++i)
        value = value * digitOf(point, atom) % modulus;
    }
    sum += value;
  }
  return sum % modulus;
}

ValueSet RemainderEnumerator::enumerate(ArrayRef<Congruence> classes) const {
  ValueSet result = ValueSet::empty();
  for (int64_t point = 0; point != numPoints; ++point) {
    bool isPossible = true;
    for (size_t i = 0; i != atoms.size(); ++i) {
      Congruence digit(DynamicAPInt(modulus), DynamicAPInt(digitOf(point, i)));
      isPossible &= classes[i].intersect(digit).has_value();
    }
    if (isPossible)
      result = result.unite(ValueSet::point(DynamicAPInt(evaluate(point))));
  }
  return result;
}

/// The remainders of a polynomial that is not linear: n ** 2 mod 4 is 0 or 1.
ValueSet ValueAnalysis::enumerateRemainders(Expr expr, FactSet &used) {
  Expr divisor = expr.getOperand(1);
  if (!divisor.isConstant() || divisor.getConstant() < 2 ||
      divisor.getConstant() > kMaxEnumerated)
    return ValueSet();
  TermList terms = getTerms(expr.getOperand(0), context);
  if (terms.size() > kMaxEnumeratedTerms ||
      terms.front().monomial.getNode()->degree < 2)
    return ValueSet();
  RemainderEnumerator enumerator(std::move(terms),
                                 static_cast<int64_t>(divisor.getConstant()));
  if (!enumerator.collectAtoms())
    return ValueSet();
  SmallVector<Congruence, 4> classes;
  for (Expr atom : enumerator.getAtoms())
    classes.push_back(valueSet(atom, used).getCongruence());
  return enumerator.enumerate(classes);
}

/// The powers of positive numbers; exponents below zero have no power.
static ValueSet powerOf(const ValueSet &base, const ValueSet &exponent) {
  constexpr int64_t maxExponent = 4096;
  const Interval &bases = base.getInterval(), &powers = exponent.getInterval();
  if (!bases.isAtLeast(1))
    return ValueSet();
  // Saturates below what is too large to write out.
  auto raise = [&](const std::optional<DynamicAPInt> &number,
                   const DynamicAPInt &power) -> std::optional<DynamicAPInt> {
    if (!number || power > maxExponent)
      return std::nullopt;
    return powReasonable(*number, static_cast<unsigned>(int64_t(power)));
  };
  DynamicAPInt least =
      std::max(powers.getLower().value_or(DynamicAPInt(0)), DynamicAPInt(0));
  std::optional<DynamicAPInt> lower = raise(bases.getLower(), least), upper;
  if (powers.getUpper() && *powers.getUpper() >= 0)
    upper = raise(bases.getUpper(), *powers.getUpper());
  return ValueSet(Interval(lower.value_or(DynamicAPInt(1)), upper));
}

KnownValues ValueAnalysis::computeAtom(Expr expr) {
  KnownValues result;
  ArrayRef<Expr> operands = expr.getOperands();
  auto setOf = [&](Expr operand) { return valueSet(operand, result.ids); };
  switch (expr.getKind()) {
  case ExprKind::Mul:
    result.set = setOf(operands[0]);
    for (Expr operand : operands.drop_front())
      result.set = result.set * setOf(operand);
    break;
  case ExprKind::Pow:
    result.set = setOf(operands[0]).pow(expr.getExponent());
    break;
  case ExprKind::FloorDiv:
    result.set = setOf(operands[0]).floorDiv(setOf(operands[1]));
    break;
  case ExprKind::Mod:
    result.set = setOf(operands[0]).mod(setOf(operands[1]));
    if (operands[0].getNode()->degree > 1 ||
        operands[0].getKind() == ExprKind::Add)
      result.set = result.set.intersect(enumerateRemainders(expr, result.ids));
    break;
  case ExprKind::ExactDiv:
    result.set = setOf(operands[0])
                     .getInterval()
                     .floorDiv(setOf(operands[1]).getInterval());
    if (operands[1].isConstant() && !operands[1].isConstant(0))
      result.set = result.set.intersect(
          setOf(operands[0])
              .preimage(DynamicAPInt(1) * operands[1].getConstant(),
                        DynamicAPInt(0)));
    break;
  case ExprKind::Min:
  case ExprKind::Max:
    result.set = setOf(operands[0]);
    for (Expr operand : operands.drop_front())
      result.set = expr.getKind() == ExprKind::Min
                       ? result.set.min(setOf(operand))
                       : result.set.max(setOf(operand));
    break;
  case ExprKind::Abs:
    result.set = setOf(operands[0]).abs();
    break;
  case ExprKind::Select:
    if (std::optional<bool> truth = truthOf(operands[0], result.ids))
      result.set = setOf(operands[*truth ? 1 : 2]);
    else
      result.set = setOf(operands[1]).unite(setOf(operands[2]));
    break;
  case ExprKind::Residue:
    result.set = ValueSet::point(DynamicAPInt(0));
    break;
  case ExprKind::SymbolicPow:
    result.set = powerOf(setOf(operands[0]), setOf(operands[1]));
    break;
  default: // Symbols, and integers that come from floats.
    break;
  }
  return result;
}
