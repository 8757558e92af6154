//===- Samples.cpp - Assignments that settle a question -------------------===//
//
// Values are drawn near the ends of each symbol's range; those that do not fit
// the facts are passed over.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include "llvm/ADT/STLExtras.h"

using namespace tally::symbolic;
using llvm::SmallVector;

/// Assignments that are tried, facts that they must fit, and symbols.
static constexpr unsigned kMaxSamples = 24;
static constexpr size_t kMaxFacts = 24, kMaxSymbols = 16;
/// Depth of an expression that is evaluated.
static constexpr unsigned kMaxSampledDepth = 20;

namespace {

class Sampler {
public:
  Sampler(Facts &facts, Expr question) : facts(facts), question(question) {}

  /// False if there is too much to evaluate.
  bool prepare();
  Evidence run();

private:
  struct Unknown {
    Expr symbol;
    ValueSet set;
  };

  void addSymbols(Expr expr);
  Value pick(const Unknown &unknown, unsigned sample);
  bool fitsFacts();
  uint64_t next() {
    // Marsaglia's xorshift, from a fixed seed.
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }

  Facts &facts;
  Expr question;
  SmallVector<Unknown, 8> unknowns;
  llvm::DenseMap<Expr, Value> assignment;
  uint64_t state = 0x9E3779B97F4A7C15;
};

} // namespace

void Sampler::addSymbols(Expr expr) {
  for (Expr symbol : facts.getContext().freeSymbols(expr)) {
    if (!assignment.insert({symbol, Value()}).second)
      continue;
    ValueSet set = symbol.isInt() ? facts.valueSet(symbol) : ValueSet();
    unknowns.push_back({symbol, set});
  }
}

bool Sampler::prepare() {
  if (facts.getNumFacts() > kMaxFacts || question.getDepth() > kMaxSampledDepth)
    return false;
  addSymbols(question);
  for (FactId id = 0, e = facts.getNumFacts(); id != e; ++id) {
    Expr fact = facts.getFact(id).expr;
    if (fact.getDepth() > kMaxSampledDepth)
      return false;
    addSymbols(fact);
  }
  return unknowns.size() <= kMaxSymbols &&
         llvm::none_of(unknowns, [](const Unknown &unknown) {
           return unknown.symbol.isFloat() || unknown.set.isEmpty();
         });
}

Value Sampler::pick(const Unknown &unknown, unsigned sample) {
  if (unknown.symbol.isBool())
    return Value::ofBool(next() % 2);
  const Interval &range = unknown.set.getInterval();
  DynamicAPInt step = unknown.set.getCongruence().getModulus();
  DynamicAPInt start = range.getLower() ? *range.getLower()
                       : range.getUpper()
                           ? *range.getUpper()
                           : unknown.set.getCongruence().getRemainder();
  if (step == 0)
    return Value::ofInt(start);
  // Few steps from an end, or far from it.
  uint64_t random = next();
  DynamicAPInt distance(static_cast<int64_t>(
      sample == 0 ? 0 : random % (sample < kMaxSamples / 2 ? 4 : 40)));
  if (sample >= 3 && random / 64 % 4 == 0 && range.getUpper()) {
    DynamicAPInt end = *range.getUpper() - distance * step;
    return Value::ofInt(range.getLower() && end < *range.getLower() ? start
                                                                    : end);
  }
  DynamicAPInt value = start + distance * step;
  if (!range.getLower() && (range.getUpper() || random / 64 % 2 == 0))
    value = start - distance * step;
  if (range.getUpper() && value > *range.getUpper())
    value = *range.getUpper();
  return Value::ofInt(value);
}

bool Sampler::fitsFacts() {
  for (FactId id = 0, e = facts.getNumFacts(); id != e; ++id) {
    EvalResult result = evaluate(facts.getFact(id).expr, assignment);
    if (!result.isDefined() || !result.value.getBool())
      return false;
  }
  return true;
}

Evidence Sampler::run() {
  Evidence evidence;
  for (unsigned sample = 0; sample != kMaxSamples; ++sample) {
    for (const Unknown &unknown : unknowns)
      assignment[unknown.symbol] = pick(unknown, sample);
    EvalResult result = evaluate(question, assignment);
    bool isNews = !result.isDefined()      ? !evidence.canBeUndefined
                  : result.value.getBool() ? !evidence.canHold
                                           : !evidence.canFail;
    if (result.error == EvalError::Overflow || !isNews || !fitsFacts())
      continue;
    if (!result.isDefined())
      evidence.canBeUndefined = true;
    else
      (result.value.getBool() ? evidence.canHold : evidence.canFail) = true;
    if (evidence.isConclusive())
      break;
  }
  return evidence;
}

bool tally::symbolic::canSample(Facts &facts, Expr question) {
  return Sampler(facts, question).prepare();
}

Evidence tally::symbolic::sampleQuestion(Facts &facts, Expr question) {
  Sampler sampler(facts, question);
  return sampler.prepare() ? sampler.run() : Evidence();
}
