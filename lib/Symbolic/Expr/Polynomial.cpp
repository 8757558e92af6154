//===- Polynomial.cpp - Sums, products and powers -------------------------===//
//
// The polynomial normal form. A sum is a list of terms in graded lexicographic
// order; a term is a coefficient and a monomial; a monomial is a list of atoms
// and powers. Two rules keep related atoms apart:
//
//  - a factor that cancels is gone (Reduction.cpp): c * (x floordiv c) is
//    written x - x mod c, so that the remainder, whose range is known, stands
//    for what rounding loses;
//  - a term that cancels, but may be undefined, leaves its residue behind
//    (an expression that is 0 where it is defined).
//
// A product that would have too many terms stays a product of sums.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Products of sums with more terms than this are not multiplied out; the
/// first limit is for products of degree 3 or less, which do not multiply
/// again.
static constexpr size_t kMaxFlatProductTerms = 32768, kMaxProductTerms = 2048;
/// Powers of sums with more terms than this are not multiplied out.
static constexpr size_t kMaxPowerTerms = 512;

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

bool tally::symbolic::isReasonable(const DynamicAPInt &value) {
  if (value >= INT64_MIN && value <= INT64_MAX)
    return true;
  static const DynamicAPInt limit(llvm::APInt::getOneBitSet(65538, 65536));
  return value < limit && -value < limit;
}

std::optional<DynamicAPInt>
tally::symbolic::powReasonable(const DynamicAPInt &value, unsigned exponent) {
  DynamicAPInt result(1), square = value;
  for (unsigned rest = exponent; rest; rest >>= 1) {
    if (!isReasonable(square))
      return std::nullopt;
    if (rest & 1)
      result *= square;
    if (!isReasonable(result))
      return std::nullopt;
    if (rest > 1)
      square *= square;
  }
  return result;
}

DynamicAPInt tally::symbolic::getContent(ArrayRef<Term> terms,
                                         bool withConstant) {
  DynamicAPInt content(0);
  for (const Term &term : terms) {
    if (!withConstant && term.monomial.isConstant())
      continue;
    content = gcd(content, abs(term.coefficient));
    if (content == 1)
      break;
  }
  return content;
}

//===----------------------------------------------------------------------===//
// Monomials
//===----------------------------------------------------------------------===//

static Expr makePower(ExprContext &context, Factor factor) {
  if (factor.power == 1)
    return factor.atom;
  return makeNode(context, ExprKind::Pow, SymbolType::Int, {factor.atom},
                  factor.power);
}

Expr tally::symbolic::makeMonomial(ExprContext &context,
                                   ArrayRef<Factor> factors) {
  if (factors.empty())
    return context.one();
  SmallVector<Expr, 4> operands;
  for (const Factor &factor : factors)
    operands.push_back(makePower(context, factor));
  if (operands.size() == 1)
    return operands[0];
  return makeNode(context, ExprKind::Mul, SymbolType::Int, operands);
}

Expr tally::symbolic::makeTerm(ExprContext &context,
                               const DynamicAPInt &coefficient, Expr monomial) {
  if (!monomial || monomial.isConstant())
    return context.constant(coefficient);
  if (coefficient == 1)
    return monomial;
  return makeNode(context, ExprKind::Mul, SymbolType::Int,
                  {context.constant(coefficient), monomial});
}

/// Merges the factors of two monomials; `sign` is -1 to divide. Null where the
/// quotient is no monomial.
static Expr combineMonomials(ExprContext &context, Expr a, Expr b, int sign) {
  SmallVector<Factor, 4> left = getFactors(a), right = getFactors(b), result;
  size_t i = 0, j = 0;
  while (i != left.size() || j != right.size()) {
    int order = i == left.size()    ? 1
                : j == right.size() ? -1
                                    : compare(left[i].atom, right[j].atom);
    if (order < 0) {
      result.push_back(left[i++]);
      continue;
    }
    if (order > 0) {
      if (sign < 0)
        return Expr();
      result.push_back(right[j++]);
      continue;
    }
    int64_t power = int64_t(left[i].power) + sign * int64_t(right[j].power);
    if (power < 0 || power > UINT32_MAX)
      return Expr();
    if (power != 0)
      result.push_back({left[i].atom, static_cast<unsigned>(power)});
    ++i, ++j;
  }
  return makeMonomial(context, result);
}

Expr tally::symbolic::divideMonomial(ExprContext &context, Expr a, Expr b) {
  if (b.isConstant())
    return a;
  if (a.getNode()->degree < b.getNode()->degree)
    return Expr();
  return combineMonomials(context, a, b, -1);
}

Expr tally::symbolic::gcdMonomial(ExprContext &context, Expr a, Expr b) {
  SmallVector<Factor, 4> left = getFactors(a), right = getFactors(b), result;
  for (size_t i = 0, j = 0; i != left.size() && j != right.size();) {
    int order = compare(left[i].atom, right[j].atom);
    if (order == 0)
      result.push_back({left[i].atom, std::min(left[i].power, right[j].power)});
    i += order <= 0;
    j += order >= 0;
  }
  return makeMonomial(context, result);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Adds the residues that `term`, being evaluated, implies. One that is a
/// residue itself implies what its parts do.
static void collectImplied(ExprContext &context, Expr term,
                           llvm::DenseSet<Expr> &implied) {
  auto add = [&](Expr part) {
    for (const Term &residue : getTerms(context.residue(part), context))
      implied.insert(residue.monomial);
  };
  if (!term.getNode()->zeroValued)
    return add(term);
  switch (term.getKind()) {
  case ExprKind::FloorDiv:
    return add(term.getOperand(1));
  case ExprKind::Select:
    return add(term.getOperand(0));
  default: {
    Expr origin = term.getOperand(0);
    for (Expr operand : origin.getOperands())
      add(operand);
    if (origin.getKind() == ExprKind::ExactDiv)
      implied.insert(makeZeroDivision(context, origin.getOperand(1)));
  }
  }
}

/// Brings residues to the coefficient 1 and drops those that another term
/// implies.
static void normalizeResidues(ExprContext &context, TermList &terms) {
  if (llvm::none_of(terms, [](const Term &term) {
        return term.monomial.getNode()->zeroValued;
      }))
    return;
  llvm::DenseSet<Expr> implied;
  for (Term &term : terms) {
    if (term.monomial.getNode()->zeroValued)
      term.coefficient = 1;
    if (!term.monomial.isTotal())
      collectImplied(context, term.monomial, implied);
  }
  llvm::erase_if(terms, [&](const Term &term) {
    return term.monomial.getNode()->zeroValued &&
           implied.contains(term.monomial);
  });
}

/// Applies reduceTerm where it applies. True if anything changed.
static bool reduceTerms(ExprContext &context, TermList &terms) {
  bool changed = false;
  for (size_t i = 0; i != terms.size(); ++i) {
    if (!terms[i].monomial.getNode()->isReducible)
      continue;
    Expr reduced = reduceTerm(context, terms[i]);
    if (!reduced)
      continue;
    changed = true;
    terms[i].coefficient = 0;
    terms[i].monomial = context.one();
    llvm::append_range(terms, getTerms(reduced, context));
  }
  return changed;
}

/// Adds up neighbors of the same monomial in a sorted list. What cancels
/// leaves its residue in `residues`.
static void mergeTerms(ExprContext &context, TermList &terms,
                       llvm::SmallVectorImpl<Expr> &residues) {
  size_t kept = 0;
  for (size_t i = 0; i != terms.size();) {
    Term term = std::move(terms[i]);
    for (++i; i != terms.size() && terms[i].monomial == term.monomial; ++i) {
      if (term.monomial.getNode()->zeroValued)
        continue;
      term.coefficient += terms[i].coefficient;
    }
    if (term.coefficient != 0)
      terms[kept++] = std::move(term);
    else if (!term.monomial.isTotal())
      residues.push_back(context.residue(term.monomial));
  }
  terms.truncate(kept);
}

static bool precedes(const Term &a, const Term &b) {
  return compareMonomials(a.monomial, b.monomial) < 0;
}

Expr tally::symbolic::makeSortedSum(ExprContext &context,
                                    ArrayRef<Expr> operands) {
  if (operands.empty())
    return context.zero();
  if (operands.size() == 1)
    return operands[0];
  return makeNode(context, ExprKind::Add, SymbolType::Int, operands);
}

Expr tally::symbolic::makeSum(ExprContext &context, ArrayRef<Term> terms) {
  return makeSum(context, TermList(terms));
}

Expr tally::symbolic::makeSum(ExprContext &context, TermList &&terms) {
  SmallVector<Expr, 2> residues;
  while (true) {
    if (!llvm::is_sorted(terms, precedes))
      llvm::sort(terms, precedes);
    mergeTerms(context, terms, residues);
    if (reduceTerms(context, terms) || mergeRounded(context, terms))
      continue;
    if (residues.empty())
      break;
    for (Expr residue : residues)
      llvm::append_range(terms, getTerms(residue, context));
    residues.clear();
  }
  normalizeResidues(context, terms);
  SmallVector<Expr, 8> operands;
  operands.reserve(terms.size());
  for (const Term &term : terms)
    operands.push_back(makeTerm(context, term.coefficient, term.monomial));
  return makeSortedSum(context, operands);
}

Expr ExprContext::sumOfTerms(ArrayRef<Term> terms) {
  // The monomials may be any expressions.
  TermList list;
  for (const Term &term : terms) {
    if (term.monomial.isConstant() ||
        term.monomial.getKind() == ExprKind::Add ||
        (term.monomial.getKind() == ExprKind::Mul &&
         term.monomial.getOperand(0).isConstant()))
      llvm::append_range(
          list, getTerms(scale(term.coefficient, term.monomial), *this));
    else
      list.push_back(term);
  }
  return makeSum(*this, std::move(list));
}

Expr ExprContext::sum(ArrayRef<Expr> operands) {
  if (operands.size() == 1)
    return operands[0];
  if (llvm::any_of(operands, [](Expr e) { return e.isFloat(); })) {
    Expr result = operands[0];
    for (Expr operand : operands.drop_front())
      result = add(result, operand);
    return result;
  }
  TermList terms;
  for (Expr operand : operands)
    llvm::append_range(terms, getTerms(operand, *this));
  return makeSum(*this, std::move(terms));
}

Expr tally::symbolic::makeZeroDivision(ExprContext &context, Expr divisor) {
  if (divisor.isConstant())
    return divisor.isConstant(0)
               ? makeNode(context, ExprKind::FloorDiv, SymbolType::Int,
                          {context.zero(), divisor})
               : context.zero();
  // Only whether it is zero matters.
  TermList terms = getTerms(divisor, context);
  DynamicAPInt content = getContent(terms, /*withConstant=*/true);
  if (terms.front().coefficient < 0)
    content = -content;
  bool hasResidue = llvm::any_of(terms, [](const Term &term) {
    return term.monomial.getNode()->zeroValued;
  });
  if (content != 1 && !hasResidue) {
    for (Term &term : terms)
      term.coefficient = term.coefficient / content;
    divisor = makeSum(context, std::move(terms));
  }
  return makeNode(context, ExprKind::FloorDiv, SymbolType::Int,
                  {context.zero(), divisor});
}

bool tally::symbolic::isZeroValued(Expr expr) {
  if (expr.isConstant(0))
    return true;
  if (expr.getKind() == ExprKind::Add)
    return llvm::all_of(expr.getOperands(),
                        [](Expr e) { return e.getNode()->zeroValued; });
  return expr.getNode()->zeroValued;
}

//===----------------------------------------------------------------------===//
// ExprContext
//===----------------------------------------------------------------------===//

/// Builds a float operation; an integer operand is converted.
static Expr makeFloat(ExprContext &context, ExprKind kind, Expr a, Expr b) {
  assert(!a.isBool() && !b.isBool() && "arithmetic on a boolean");
  Expr left = context.toFloat(a), right = context.toFloat(b);
  if (left.getKind() == ExprKind::FloatConstant &&
      right.getKind() == ExprKind::FloatConstant) {
    double x = left.getFloat(), y = right.getFloat();
    return context.floatConstant(kind == ExprKind::FloatAdd   ? x + y
                                 : kind == ExprKind::FloatSub ? x - y
                                                              : x * y);
  }
  return makeNode(context, kind, SymbolType::Float, {left, right});
}

/// The order of terms in a sum, literals last.
static int compareTerms(const TermView &a, const TermView &b) {
  if (a.monomial == b.monomial)
    return 0;
  if (!a.monomial || !b.monomial)
    return a.monomial ? -1 : 1;
  return compareMonomials(a.monomial, b.monomial);
}

Expr tally::symbolic::negateTerm(ExprContext &context, Expr term) {
  if (const detail::ExprNode *known = term.getNode()->negated)
    return Expr(known);
  TermView view = viewTerm(term);
  Expr result = makeTerm(context, -*view.coefficient, view.monomial);
  term.getNode()->negated = result.getNode();
  result.getNode()->negated = term.getNode();
  return result;
}

/// The sum of two terms with the same monomial; nothing where they cancel.
static void appendMerged(ExprContext &context, Expr a, Expr b,
                         llvm::SmallVectorImpl<Expr> &result) {
  TermView left = viewTerm(a);
  DynamicAPInt coefficient = *left.coefficient + *viewTerm(b).coefficient;
  if (coefficient != 0)
    result.push_back(makeTerm(context, coefficient, left.monomial));
}

/// a + b, or a - b, for plain expressions, by merging their terms.
static Expr mergeSums(ExprContext &context, Expr a, Expr b, bool isNegated) {
  ArrayRef<Expr> left = getTermOperands(a), right = getTermOperands(b);
  SmallVector<Expr, 16> result;
  result.reserve(left.size() + right.size());
  auto get = [&](Expr operand) {
    return isNegated ? negateTerm(context, operand) : operand;
  };
  if (right.size() == 1) {
    // Where it belongs is found without a look at all of the others.
    TermView term = viewTerm(right.front());
    const Expr *place = llvm::partition_point(left, [&](Expr other) {
      return compareTerms(viewTerm(other), term) < 0;
    });
    result.append(left.begin(), place);
    left = ArrayRef<Expr>(place, left.end());
  }
  while (!left.empty() && !right.empty()) {
    int order = compareTerms(viewTerm(left.front()), viewTerm(right.front()));
    if (order < 0)
      result.push_back(left.front());
    else if (order > 0)
      result.push_back(get(right.front()));
    else
      appendMerged(context, left.front(), get(right.front()), result);
    left = left.drop_front(order <= 0);
    right = right.drop_front(order >= 0);
  }
  result.append(left.begin(), left.end());
  for (Expr operand : right)
    result.push_back(get(operand));
  return makeSortedSum(context, result);
}

Expr ExprContext::add(Expr a, Expr b) {
  if (a.isFloat() || b.isFloat())
    return makeFloat(*this, ExprKind::FloatAdd, a, b);
  assert(a.isInt() && b.isInt() && "sum of what is no number");
  if (a.isConstant(0))
    return b;
  if (b.isConstant(0))
    return a;
  if (a.getNode()->plain && b.getNode()->plain) {
    if (b.getNode()->numOperands > a.getNode()->numOperands)
      std::swap(a, b);
    return mergeSums(*this, a, b, /*isNegated=*/false);
  }
  TermList left = getTerms(a, *this), right = getTerms(b, *this), terms;
  terms.reserve(left.size() + right.size());
  std::merge(std::make_move_iterator(left.begin()),
             std::make_move_iterator(left.end()),
             std::make_move_iterator(right.begin()),
             std::make_move_iterator(right.end()), std::back_inserter(terms),
             precedes);
  return makeSum(*this, std::move(terms));
}

Expr ExprContext::sub(Expr a, Expr b) {
  if (a.isFloat() || b.isFloat())
    return makeFloat(*this, ExprKind::FloatSub, a, b);
  if (b.isConstant(0))
    return a;
  if (a.getNode()->plain && b.getNode()->plain)
    return mergeSums(*this, a, b, /*isNegated=*/true);
  return add(a, neg(b));
}

Expr ExprContext::neg(Expr a) {
  if (a.isInt() && a.getNode()->plain) {
    if (a.getKind() != ExprKind::Add)
      return negateTerm(*this, a);
    if (!a.getNode()->negated) {
      a.getNode()->negated = mergeSums(*this, zero(), a, true).getNode();
      Expr(a.getNode()->negated).getNode()->negated = a.getNode();
    }
    return Expr(a.getNode()->negated);
  }
  if (a.isInt())
    return scale(DynamicAPInt(-1), a);
  assert(a.isFloat() && "negation of what is no number");
  if (a.getKind() == ExprKind::FloatConstant)
    return floatConstant(-a.getFloat());
  return makeNode(*this, ExprKind::FloatNeg, SymbolType::Float, {a});
}

Expr ExprContext::scale(const DynamicAPInt &factor, Expr a) {
  if (factor == 0)
    return residue(a);
  if (factor == 1)
    return a;
  if (factor == -1 && a.getNode()->plain)
    return neg(a);
  if (a.getNode()->plain) {
    SmallVector<Expr, 8> operands;
    for (Expr operand : getTermOperands(a)) {
      TermView term = viewTerm(operand);
      operands.push_back(
          makeTerm(*this, *term.coefficient * factor, term.monomial));
    }
    return makeSortedSum(*this, operands);
  }
  TermList terms = getTerms(a, *this);
  for (Term &term : terms)
    term.coefficient *= factor;
  return makeSum(*this, std::move(terms));
}

/// The product of two terms. A residue swallows what it is multiplied with.
static void multiplyTerms(ExprContext &context, const Term &a, const Term &b,
                          TermList &result) {
  if (!a.monomial.getNode()->zeroValued && !b.monomial.getNode()->zeroValued) {
    Expr monomial = a.monomial.isConstant() ? b.monomial
                    : b.monomial.isConstant()
                        ? a.monomial
                        : combineMonomials(context, a.monomial, b.monomial, 1);
    if (!monomial) // An exponent that does not fit: keep a product of powers.
      monomial = makeNode(context, ExprKind::Mul, SymbolType::Int,
                          {a.monomial, b.monomial});
    result.push_back({a.coefficient * b.coefficient, monomial});
    return;
  }
  for (Expr part : {a.monomial, b.monomial})
    llvm::append_range(result, getTerms(context.residue(part), context));
}

Expr ExprContext::mul(Expr a, Expr b) {
  if (a.isFloat() || b.isFloat())
    return makeFloat(*this, ExprKind::FloatMul, a, b);
  assert(a.isInt() && b.isInt() && "product of what is no number");
  if (a.isConstant())
    return scale(a.getConstant(), b);
  if (b.isConstant())
    return scale(b.getConstant(), a);
  TermList left = getTerms(a, *this), right = getTerms(b, *this);
  size_t smaller = std::min(left.size(), right.size());
  unsigned degree = left.front().monomial.getNode()->degree +
                    right.front().monomial.getNode()->degree;
  size_t limit = degree <= 3 ? kMaxFlatProductTerms : kMaxProductTerms;
  if (smaller > 1 && left.size() * right.size() > limit) {
    // Each sum is one opaque factor.
    left.assign(1, {DynamicAPInt(1), a});
    right.assign(1, {DynamicAPInt(1), b});
  }
  TermList terms;
  terms.reserve(left.size() * right.size());
  for (const Term &x : left)
    for (const Term &y : right)
      multiplyTerms(*this, x, y, terms);
  return makeSum(*this, std::move(terms));
}

Expr ExprContext::product(ArrayRef<Expr> operands) {
  Expr result = one();
  for (Expr operand : operands)
    result = mul(result, operand);
  return result;
}

/// The number of terms of a sum of `terms` terms to the power, saturating.
static size_t estimatePowerTerms(size_t terms, unsigned exponent) {
  double estimate = 1;
  for (size_t i = 1; i < terms && estimate < 1e9; ++i)
    estimate = estimate * (exponent + i) / i;
  return static_cast<size_t>(estimate);
}

Expr ExprContext::pow(Expr a, unsigned exponent) {
  assert(a.isInt() && "power of what is no integer");
  if (exponent == 0)
    return add(one(), residue(a));
  if (exponent == 1 || a.isConstant(0) || a.isConstant(1))
    return a;
  if (a.isConstant()) {
    if (std::optional<DynamicAPInt> value =
            powReasonable(a.getConstant(), exponent))
      return constant(*value);
    return makePower(*this, {a, exponent});
  }
  size_t numTerms = a.getKind() == ExprKind::Add ? a.getOperands().size() : 1;
  if (numTerms > 1 && estimatePowerTerms(numTerms, exponent) > kMaxPowerTerms)
    return makePower(*this, {a, exponent});
  if (numTerms == 1) {
    Term term = getTerm(a, *this);
    std::optional<DynamicAPInt> scaled =
        powReasonable(term.coefficient, exponent);
    SmallVector<Factor, 4> factors = getFactors(term.monomial);
    bool fits = scaled && llvm::all_of(factors, [&](const Factor &factor) {
                  return uint64_t(factor.power) * exponent <= UINT32_MAX;
                });
    if (term.monomial.getNode()->zeroValued)
      return a;
    if (!fits)
      return makePower(*this, {a, exponent});
    for (Factor &factor : factors)
      factor.power *= exponent;
    return scale(*scaled, makeSum(*this, Term{DynamicAPInt(1),
                                              makeMonomial(*this, factors)}));
  }
  Expr result = one(), square = a;
  for (unsigned rest = exponent; rest; rest >>= 1) {
    if (rest & 1)
      result = mul(result, square);
    if (rest > 1)
      square = mul(square, square);
  }
  return result;
}
