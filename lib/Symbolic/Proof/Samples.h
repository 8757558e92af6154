//===- Samples.h - Assignments that settle a question -----------*- C++ -*-===//
//
// Where one assignment that fits the facts makes a question true and another
// makes it false, no proof can be found, and none need be looked for.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_SAMPLES_H
#define TALLY_LIB_SYMBOLIC_PROOF_SAMPLES_H

#include "Facts/FactsImpl.h"

namespace tally::symbolic {

/// The answers that a few assignments that fit the facts give to a question.
struct Evidence {
  bool canHold = false, canFail = false, canBeUndefined = false;

  /// Returns true if the question has no answer but unknown.
  bool isConclusive() const { return canBeUndefined || (canHold && canFail); }
};

/// Returns true if the facts and the question are few and small enough to be
/// evaluated.
bool canSample(Facts &facts, Expr question);

/// Tries a few assignments, always the same ones.
Evidence sampleQuestion(Facts &facts, Expr question);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_SAMPLES_H
