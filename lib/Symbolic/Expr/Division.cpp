//===- Division.cpp - floordiv, mod and exact division --------------------===//
//
// With q = floor(a / b) and r = a - b * q, these rules hold for all integers
// where b is not zero, and are all that is used here:
//
//   floor((q * b + r) / b) = q + floor(r / b)      for any sign of b
//   floor(floor(x / a + y) / c) = floor((x + a * y) / (a * c))  only for c > 0
//   floor(a / -b) = floor(-a / b)                  and a mod -b = -(-a mod b)
//   floor(-x / c) = -floor((x + c - 1) / c)        for c > 0
//   floor((g * x + k) / (g * c)) = floor((x + floor(k / g)) / c)   for g, c > 0
//
// Where a divisor could be zero, `0 floordiv b` remains in the result.
//
//===----------------------------------------------------------------------===//

#include "ContextImpl.h"

#include "tally/Symbolic/Expr/Interval.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::ArrayRef;
using llvm::SmallVector;

/// Passes of a polynomial division, and terms that it may add.
static constexpr unsigned kMaxDivisionPasses = 64;
static constexpr size_t kMaxAddedTerms = 64;

//===----------------------------------------------------------------------===//
// By a positive literal
//===----------------------------------------------------------------------===//

/// How a coefficient is rounded to a multiple of the divisor.
enum class Rounding : uint8_t {
  ToZero,   ///< What is left is in (-divisor, divisor).
  ToNearest ///< What is left is in (-divisor / 2, divisor / 2].
};

/// Splits terms into multiples of `divisor` (quotient) and what is left, with
/// small coefficients and a constant term in [0, divisor). Residues go to the
/// quotient.
static void splitByLiteral(Expr a, const DynamicAPInt &divisor,
                           Rounding rounding, ExprContext &context,
                           TermList &quotient, TermList &rest) {
  for (const Term &term : getTerms(a, context)) {
    if (term.monomial.getNode()->zeroValued) {
      quotient.push_back(term);
      continue;
    }
    DynamicAPInt q, r;
    if (term.monomial.isConstant()) {
      q = pythonFloorDiv(term.coefficient, divisor);
    } else if (rounding == Rounding::ToNearest) {
      q = -pythonFloorDiv(divisor - 2 * term.coefficient, 2 * divisor);
    } else {
      q = term.coefficient / divisor;
      // -divisor / 2 and divisor / 2 are the same; the sign of the first term
      // is settled by the caller.
      if ((term.coefficient - q * divisor) * 2 == -divisor && !rest.empty())
        q -= 1;
    }
    r = term.coefficient - q * divisor;
    if (q != 0)
      quotient.push_back({q, term.monomial});
    if (r != 0)
      rest.push_back({r, term.monomial});
  }
}

/// With other coefficients a factor of a term may cancel: the sum of the terms
/// where it is another one than they are, else null.
static Expr reduceRest(ExprContext &context, ArrayRef<Term> rest) {
  if (llvm::none_of(rest, [](const Term &term) {
        return term.monomial.getNode()->isReducible;
      }))
    return Expr();
  Expr sum = makeSum(context, TermList(rest.begin(), rest.end()));
  TermList terms = getTerms(sum, context);
  bool isSame =
      terms.size() == rest.size() &&
      llvm::all_of(llvm::zip(terms, rest), [](const auto &pair) {
        const auto &[a, b] = pair;
        return a.monomial == b.monomial && a.coefficient == b.coefficient;
      });
  return isSame ? Expr() : sum;
}

static bool isOnlyConstant(ArrayRef<Term> terms) {
  return terms.empty() || terms.front().monomial.isConstant();
}

/// Returns true for `x mod c` with a positive literal c.
static bool isLiteralMod(Expr expr) {
  return expr.getKind() == ExprKind::Mod && expr.getOperand(1).isConstant() &&
         expr.getOperand(1).getConstant() > 0;
}

/// The literal that an atom as in viewRemainder is always below, and never
/// below 0.
static std::optional<DynamicAPInt> getLiteralModulus(Expr atom) {
  if (isLiteralMod(atom))
    return atom.getOperand(1).getConstant();
  if (atom.getKind() != ExprKind::FloorDiv || !atom.getOperand(1).isConstant())
    return std::nullopt;
  Expr inner = atom.getOperand(0);
  const DynamicAPInt &divisor = atom.getOperand(1).getConstant();
  if (!isLiteralMod(inner) || divisor <= 1)
    return std::nullopt;
  const DynamicAPInt &modulus = inner.getOperand(1).getConstant();
  if (pythonMod(modulus, divisor) != 0)
    return std::nullopt;
  return modulus / divisor;
}

std::optional<Remainder> tally::symbolic::viewRemainder(ExprContext &context,
                                                        Expr atom) {
  if (atom.getKind() == ExprKind::Mod)
    return Remainder{atom.getOperand(0), atom.getOperand(1)};
  std::optional<DynamicAPInt> modulus = getLiteralModulus(atom);
  if (!modulus)
    return std::nullopt;
  return Remainder{
      context.floorDiv(atom.getOperand(0).getOperand(0), atom.getOperand(1)),
      context.constant(*modulus)};
}

/// Returns true if the terms are remainders and a constant whose sum is always
/// in [0, divisor).
static bool isReduced(ArrayRef<Term> terms, const DynamicAPInt &divisor) {
  DynamicAPInt upper(0);
  for (const Term &term : terms) {
    if (term.coefficient < 0)
      return false;
    if (term.monomial.isConstant())
      upper += term.coefficient;
    else if (auto modulus = getLiteralModulus(term.monomial))
      upper += term.coefficient * (*modulus - 1);
    else
      return false;
  }
  return upper < divisor;
}

/// Divides all terms by g, rounding the constant term down.
static Expr divideTerms(ExprContext &context, ArrayRef<Term> terms,
                        const DynamicAPInt &g) {
  TermList result;
  for (const Term &term : terms)
    result.push_back({pythonFloorDiv(term.coefficient, g), term.monomial});
  return makeSum(context, std::move(result));
}

static Expr scaleTerms(ExprContext &context, ArrayRef<Term> terms,
                       int64_t factor, const DynamicAPInt &constant) {
  TermList result(terms.begin(), terms.end());
  for (Term &term : result)
    term.coefficient *= factor;
  result.push_back({constant, context.one()});
  return makeSum(context, std::move(result));
}

/// Looks for `k * (y mod d)` among the terms of a dividend, where k * d is a
/// multiple of the divisor. Putting k * (y - d * (y floordiv d)) in its place
/// pays where it cancels other terms: `(n - n mod 4) floordiv 4`. Gives the new
/// dividend and adds to the quotient, or gives null.
static Expr unwrapMod(ExprContext &context, ArrayRef<Term> terms, Expr divisor,
                      Expr &quotient) {
  for (size_t i = 0; i != terms.size(); ++i) {
    std::optional<Remainder> remainder =
        viewRemainder(context, terms[i].monomial);
    if (!remainder)
      continue;
    auto [dividend, modulus] = *remainder;
    DynamicAPInt multiple = terms[i].coefficient;
    if (modulus != divisor) {
      if (!modulus.isConstant() || !divisor.isConstant())
        continue;
      multiple *= modulus.getConstant();
      if (pythonMod(multiple, divisor.getConstant()) != 0)
        continue;
      multiple = multiple / divisor.getConstant();
    }
    TermList others(terms.begin(), terms.end());
    others.erase(others.begin() + i);
    Expr rest = context.add(makeSum(context, others),
                            context.scale(terms[i].coefficient, dividend));
    if (getTerms(rest, context).size() >= terms.size())
      continue;
    quotient = context.sub(
        quotient, context.scale(multiple, context.floorDiv(dividend, modulus)));
    return rest;
  }
  return Expr();
}

static Expr floorDivByLiteral(ExprContext &context, Expr a,
                              const DynamicAPInt &divisor);

/// In `(x - k * (y mod d)) floordiv divisor` drops the remainder where the
/// dividend is a multiple of k * d, and that divides the divisor: what is added
/// stays below the next multiple. Gives the new dividend, or null.
static Expr dropRounding(ExprContext &context, ArrayRef<Term> terms,
                         const DynamicAPInt &divisor) {
  for (const Term &term : terms) {
    if (term.coefficient >= 0 || !isLiteralMod(term.monomial))
      continue;
    DynamicAPInt unit =
        -term.coefficient * term.monomial.getOperand(1).getConstant();
    if (pythonMod(divisor, unit) != 0)
      continue;
    Expr dividend = makeSum(context, TermList(terms.begin(), terms.end()));
    if (!isZeroValued(context.mod(dividend, context.constant(unit))))
      continue;
    return context.sub(dividend,
                       context.scale(term.coefficient, term.monomial));
  }
  return Expr();
}

/// Merges `(x floordiv d + y) floordiv divisor` into one division, or null.
static Expr mergeNested(ExprContext &context, ArrayRef<Term> terms,
                        const DynamicAPInt &divisor) {
  for (size_t i = 0; i != terms.size(); ++i) {
    Expr atom = terms[i].monomial;
    if (terms[i].coefficient != 1 || atom.getKind() != ExprKind::FloorDiv ||
        atom.getNode()->zeroValued)
      continue;
    Expr inner = atom.getOperand(1);
    TermList others(terms.begin(), terms.end());
    others.erase(others.begin() + i);
    if (!inner.isConstant() && !isOnlyConstant(others))
      continue;
    Expr dividend = context.add(atom.getOperand(0),
                                context.mul(inner, makeSum(context, others)));
    return context.floorDiv(dividend, context.scale(divisor, inner));
  }
  return Expr();
}

/// In `(k * max(x, y) + c) floordiv divisor` with a positive k divides each
/// part, as division does not change their order. Null where a division of a
/// part remains: the extremum is the smaller expression then.
static Expr divideParts(ExprContext &context, ArrayRef<Term> terms,
                        const DynamicAPInt &divisor) {
  const Term &term =
      terms.front().monomial.isConstant() ? terms.back() : terms.front();
  ExprKind kind = term.monomial.getKind();
  if ((kind != ExprKind::Max && kind != ExprKind::Min) ||
      term.coefficient <= 0 || llvm::any_of(terms, [&](const Term &other) {
        return &other != &term && !other.monomial.isConstant();
      }))
    return Expr();
  SmallVector<Expr> parts;
  for (Expr part : term.monomial.getOperands()) {
    Expr dividend = context.scale(term.coefficient, part);
    for (const Term &other : terms)
      if (&other != &term)
        dividend = context.add(dividend, context.constant(other.coefficient));
    parts.push_back(floorDivByLiteral(context, dividend, divisor));
    if (llvm::any_of(getTerms(parts.back(), context), [](const Term &each) {
          return each.monomial.getKind() == ExprKind::FloorDiv;
        }))
      return Expr();
  }
  return kind == ExprKind::Max ? context.max(parts) : context.min(parts);
}

/// a floordiv divisor for a literal divisor > 1.
static Expr floorDivByLiteral(ExprContext &context, Expr a,
                              const DynamicAPInt &divisor) {
  TermList quotientTerms, rest;
  splitByLiteral(a, divisor, Rounding::ToZero, context, quotientTerms, rest);
  Expr quotient = makeSum(context, std::move(quotientTerms));
  if (Expr reduced = reduceRest(context, rest))
    return context.add(quotient, floorDivByLiteral(context, reduced, divisor));
  if (isOnlyConstant(rest) || isReduced(rest, divisor)) {
    Expr dropped = makeSum(context, rest);
    return context.add(quotient, context.residue(dropped));
  }
  Expr literal = context.constant(divisor);
  if (Expr simpler = unwrapMod(context, rest, literal, quotient))
    return context.add(quotient, context.floorDiv(simpler, literal));
  if (Expr whole = dropRounding(context, rest, divisor))
    return context.add(quotient, floorDivByLiteral(context, whole, divisor));
  if (rest.front().coefficient < 0) {
    Expr flipped = scaleTerms(context, rest, -1, divisor - 1);
    return context.sub(quotient, floorDivByLiteral(context, flipped, divisor));
  }
  DynamicAPInt g = gcd(getContent(rest, /*withConstant=*/false), divisor);
  if (g != 1)
    return context.add(quotient,
                       context.floorDiv(divideTerms(context, rest, g),
                                        context.constant(divisor / g)));
  if (Expr merged = mergeNested(context, rest, divisor))
    return context.add(quotient, merged);
  if (Expr divided = divideParts(context, rest, divisor))
    return context.add(quotient, divided);
  Expr division = makeNode(context, ExprKind::FloorDiv, SymbolType::Int,
                           {makeSum(context, std::move(rest)), literal});
  return context.add(quotient, division);
}

/// Modulo the divisor, k * (y mod d) * z is congruent to k * y * z if the
/// divisor divides k * d. Gives the dividend with y put in, or null.
static Expr unwrapModFactors(ExprContext &context, ArrayRef<Term> terms,
                             const DynamicAPInt &divisor) {
  for (size_t i = 0; i != terms.size(); ++i)
    for (const Factor &factor : getFactors(terms[i].monomial)) {
      std::optional<DynamicAPInt> modulus = getLiteralModulus(factor.atom);
      if (!modulus || terms[i].coefficient * *modulus % divisor != 0)
        continue;
      TermList others(terms.begin(), terms.end());
      others.erase(others.begin() + i);
      Expr rest = divideMonomial(context, terms[i].monomial, factor.atom);
      Expr inner = context.mul(makeTerm(context, terms[i].coefficient, rest),
                               viewRemainder(context, factor.atom)->dividend);
      return context.add(makeSum(context, std::move(others)), inner);
    }
  return Expr();
}

/// The node of a remainder; (x floordiv c) mod d is (x mod (c * d)) floordiv c.
static Expr makeLiteralMod(ExprContext &context, Expr a,
                           const DynamicAPInt &divisor) {
  if (a.getKind() != ExprKind::FloorDiv || !a.getOperand(1).isConstant())
    return makeNode(context, ExprKind::Mod, SymbolType::Int,
                    {a, context.constant(divisor)});
  Expr inner = a.getOperand(1);
  Expr remainder = context.mod(a.getOperand(0), context.scale(divisor, inner));
  return context.floorDiv(remainder, inner);
}

/// a mod divisor for a literal divisor > 1.
static Expr modByLiteral(ExprContext &context, Expr a,
                         const DynamicAPInt &divisor) {
  TermList multiples, rest;
  splitByLiteral(a, divisor, Rounding::ToNearest, context, multiples, rest);
  Expr residue = context.residue(makeSum(context, std::move(multiples)));
  if (Expr reduced = reduceRest(context, rest))
    return context.add(residue, modByLiteral(context, reduced, divisor));
  Expr sum = makeSum(context, rest);
  if (isOnlyConstant(rest) || isReduced(rest, divisor))
    return context.add(sum, residue);
  if (Expr unwrapped = unwrapModFactors(context, rest, divisor))
    return context.add(residue, modByLiteral(context, unwrapped, divisor));
  if (rest.front().coefficient < 0) {
    Expr flipped = scaleTerms(context, rest, -1, divisor - 1);
    return context.add(residue,
                       context.sub(context.constant(divisor - 1),
                                   modByLiteral(context, flipped, divisor)));
  }
  DynamicAPInt g = gcd(getContent(rest, /*withConstant=*/false), divisor);
  if (g != 1) {
    Expr reduced = context.mod(divideTerms(context, rest, g),
                               context.constant(divisor / g));
    Expr offset = context.constant(pythonMod(getConstantTerm(sum), g));
    return context.sum({residue, context.scale(g, reduced), offset});
  }
  // (x + 1) mod 2 is 1 - x mod 2.
  DynamicAPInt offset = getConstantTerm(sum);
  bool isFlipped = divisor == 2 && offset == 1;
  if (isFlipped)
    sum = context.sub(sum, context.one());
  Expr remainder = makeLiteralMod(context, sum, divisor);
  if (isFlipped)
    remainder = context.sub(context.one(), remainder);
  return context.add(residue, remainder);
}

//===----------------------------------------------------------------------===//
// By an expression
//===----------------------------------------------------------------------===//

/// Polynomial division: a = quotient * b + rest, where no term of the rest is a
/// multiple of the first term of b. Where b has quotients that cancel in
/// products with it, that may have no end: then nothing is divided.
static void dividePolynomial(ExprContext &context, Expr a, Expr b,
                             Expr &quotient, Expr &rest) {
  Term lead = getTerms(b, context).front();
  quotient = context.zero();
  rest = a;
  if (lead.monomial.getNode()->zeroValued)
    return;
  size_t maxTerms = 2 * getTerms(a, context).size() + kMaxAddedTerms;
  for (unsigned pass = 0; pass != kMaxDivisionPasses; ++pass) {
    TermList multiples;
    TermList terms = getTerms(rest, context);
    if (terms.size() > maxTerms)
      break;
    for (const Term &term : terms) {
      if (pythonMod(term.coefficient, lead.coefficient) != 0)
        continue;
      if (Expr monomial = divideMonomial(context, term.monomial, lead.monomial))
        multiples.push_back({term.coefficient / lead.coefficient, monomial});
    }
    if (multiples.empty())
      return;
    Expr part = makeSum(context, std::move(multiples));
    quotient = context.add(quotient, part);
    rest = context.sub(rest, context.mul(part, b));
  }
  quotient = context.zero();
  rest = a;
}

/// The greatest monomial that divides every term of both.
static Expr getCommonMonomial(ExprContext &context, Expr a, Expr b) {
  Expr common;
  for (Expr side : {b, a})
    for (const Term &term : getTerms(side, context)) {
      common =
          common ? gcdMonomial(context, common, term.monomial) : term.monomial;
      if (common.isConstant())
        return common;
    }
  return common;
}

static Expr divideByMonomial(ExprContext &context, Expr a, Expr monomial) {
  TermList terms = getTerms(a, context);
  for (Term &term : terms)
    term.monomial = divideMonomial(context, term.monomial, monomial);
  return makeSum(context, std::move(terms));
}

/// Returns true if the first coefficient is negative.
static bool hasNegativeLead(Expr a, ExprContext &context) {
  TermList terms = getTerms(a, context);
  return !terms.empty() && terms.front().coefficient < 0;
}

/// Divides both by the greatest number that divides all coefficients, and gives
/// that number.
static DynamicAPInt cancelContent(ExprContext &context, Expr &a, Expr &b) {
  TermList left = getTerms(a, context), right = getTerms(b, context);
  DynamicAPInt g =
      gcd(getContent(right, true), getContent(left, /*withConstant=*/true));
  bool hasResidue =
      llvm::any_of(llvm::concat<Term>(left, right), [](const Term &term) {
        return term.monomial.getNode()->zeroValued;
      });
  if (g <= 1 || hasResidue)
    return DynamicAPInt(1);
  a = divideTerms(context, left, g);
  b = divideTerms(context, right, g);
  return g;
}

/// Takes the residues out of a sum, and gives them.
static Expr takeResidues(ExprContext &context, Expr &a) {
  if (a.isTotal() || a.getKind() != ExprKind::Add)
    return context.zero();
  TermList residues, rest;
  for (const Term &term : getTerms(a, context))
    (term.monomial.getNode()->zeroValued ? residues : rest).push_back(term);
  a = makeSum(context, std::move(rest));
  return makeSum(context, std::move(residues));
}

static Expr floorDivByExpr(ExprContext &context, Expr a, Expr b) {
  if (hasNegativeLead(b, context))
    return context.floorDiv(context.neg(a), context.neg(b));
  if (isZeroValued(a))
    return context.add(a, makeZeroDivision(context, b));
  Expr residues = takeResidues(context, a);
  if (!residues.isConstant(0))
    return context.add(context.floorDiv(a, b), residues);
  cancelContent(context, a, b);
  Expr quotient, rest;
  dividePolynomial(context, a, b, quotient, rest);
  if (rest != a)
    return context.add(quotient, context.floorDiv(rest, b));
  if (Expr simpler = unwrapMod(context, getTerms(a, context), b, quotient))
    return context.add(quotient, context.floorDiv(simpler, b));
  Expr common = getCommonMonomial(context, a, b);
  if (!common.isConstant()) {
    Expr division = context.floorDiv(divideByMonomial(context, a, common),
                                     divideByMonomial(context, b, common));
    return context.add(division, makeZeroDivision(context, common));
  }
  return makeNode(context, ExprKind::FloorDiv, SymbolType::Int, {a, b});
}

/// Modulo b, a product with the factor y mod b is congruent to that with y.
static Expr unwrapModFactor(ExprContext &context, Expr a, Expr b) {
  for (const Term &term : getTerms(a, context))
    for (const Factor &factor : getFactors(term.monomial)) {
      if (factor.atom.getKind() != ExprKind::Mod ||
          factor.atom.getOperand(1) != b)
        continue;
      Expr cofactor = divideMonomial(context, term.monomial, factor.atom);
      Expr change = context.sub(factor.atom.getOperand(0), factor.atom);
      return context.add(
          a,
          context.mul(makeTerm(context, term.coefficient, cofactor), change));
    }
  return a;
}

static Expr modByExpr(ExprContext &context, Expr a, Expr b) {
  if (hasNegativeLead(b, context))
    return context.neg(context.mod(context.neg(a), context.neg(b)));
  if (isZeroValued(a))
    return context.add(a, makeZeroDivision(context, b));
  Expr residues = takeResidues(context, a);
  if (!residues.isConstant(0))
    return context.add(context.mod(a, b), residues);
  DynamicAPInt g = cancelContent(context, a, b);
  if (g != 1)
    return context.scale(g, context.mod(a, b));
  Expr quotient, rest;
  dividePolynomial(context, a, b, quotient, rest);
  for (const Term &term : getTerms(rest, context))
    if (term.monomial.getKind() == ExprKind::Mod &&
        term.monomial.getOperand(1) == b)
      rest = context.add(rest,
                         context.scale(term.coefficient,
                                       context.sub(term.monomial.getOperand(0),
                                                   term.monomial)));
  if (rest == a)
    rest = unwrapModFactor(context, a, b);
  if (rest != a) {
    // What was left out may have been undefined.
    return context.add(context.mod(rest, b), context.residue(a));
  }
  Expr common = getCommonMonomial(context, a, b);
  if (!common.isConstant()) {
    Expr remainder = context.mod(divideByMonomial(context, a, common),
                                 divideByMonomial(context, b, common));
    return context.add(context.mul(common, remainder),
                       makeZeroDivision(context, common));
  }
  return makeNode(context, ExprKind::Mod, SymbolType::Int, {a, b});
}

//===----------------------------------------------------------------------===//
// ExprContext
//===----------------------------------------------------------------------===//

/// The value of every division by the literal 0.
static Expr makeDivisionByZero(ExprContext &context) {
  return makeZeroDivision(context, context.zero());
}

Expr ExprContext::floorDiv(Expr a, Expr b) {
  assert(a.isInt() && b.isInt() && "floordiv of what is no integer");
  if (!b.isConstant())
    return floorDivByExpr(*this, a, b);
  const DynamicAPInt &divisor = b.getConstant();
  if (divisor == 0)
    return makeDivisionByZero(*this);
  if (divisor < 0)
    return floorDiv(neg(a), neg(b));
  return divisor == 1 ? a : floorDivByLiteral(*this, a, divisor);
}

Expr ExprContext::ceilDiv(Expr a, Expr b) { return neg(floorDiv(neg(a), b)); }

Expr ExprContext::mod(Expr a, Expr b) {
  assert(a.isInt() && b.isInt() && "mod of what is no integer");
  if (!b.isConstant())
    return modByExpr(*this, a, b);
  const DynamicAPInt &divisor = b.getConstant();
  if (divisor == 0)
    return makeDivisionByZero(*this);
  if (divisor < 0)
    return neg(mod(neg(a), neg(b)));
  return divisor == 1 ? residue(a) : modByLiteral(*this, a, divisor);
}

/// exact_div by a literal > 1: what divides exactly is split off, since the
/// rest divides exactly where the whole does.
static Expr exactDivByLiteral(ExprContext &context, Expr a, Expr divisor) {
  if (hasNegativeLead(a, context))
    return context.neg(context.exactDiv(context.neg(a), divisor));
  TermList quotient, rest;
  splitByLiteral(a, divisor.getConstant(), Rounding::ToNearest, context,
                 quotient, rest);
  Expr reduced = reduceRest(context, rest);
  if (reduced || (!rest.empty() && !quotient.empty()))
    return context.add(
        makeSum(context, std::move(quotient)),
        context.exactDiv(makeSum(context, std::move(rest)), divisor));
  if (a.getKind() == ExprKind::ExactDiv && a.getOperand(1).isConstant())
    return context.exactDiv(a.getOperand(0),
                            context.mul(a.getOperand(1), divisor));
  return makeNode(context, ExprKind::ExactDiv, SymbolType::Int, {a, divisor});
}

Expr ExprContext::exactDiv(Expr a, Expr b) {
  assert(a.isInt() && b.isInt() && "exact_div of what is no integer");
  if (b.isConstant(0))
    return makeDivisionByZero(*this);
  if (hasNegativeLead(b, *this))
    return exactDiv(neg(a), neg(b));
  if (b.isConstant(1))
    return a;
  if (isZeroValued(a))
    return add(a, makeZeroDivision(*this, b));
  cancelContent(*this, a, b);
  if (b.isConstant(1))
    return a;
  if (b.isConstant())
    return exactDivByLiteral(*this, a, b);
  Expr quotient, rest;
  dividePolynomial(*this, a, b, quotient, rest);
  if (isZeroValued(rest))
    return sum({quotient, rest, makeZeroDivision(*this, b)});
  Expr common = getCommonMonomial(*this, a, b);
  if (!common.isConstant())
    return add(exactDiv(divideByMonomial(*this, a, common),
                        divideByMonomial(*this, b, common)),
               makeZeroDivision(*this, common));
  return makeNode(*this, ExprKind::ExactDiv, SymbolType::Int, {a, b});
}
