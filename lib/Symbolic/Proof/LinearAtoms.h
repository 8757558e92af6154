//===- LinearAtoms.h - What atoms mean to a linear system -------*- C++ -*-===//

#ifndef TALLY_LIB_SYMBOLIC_PROOF_LINEARATOMS_H
#define TALLY_LIB_SYMBOLIC_PROOF_LINEARATOMS_H

#include "LinearSystem.h"

namespace tally::symbolic {

/// Adds factor * expr to a list of terms without simplifying the sum: its
/// normal form may be in other monomials.
void appendTerms(TermList &terms, Expr expr, const DynamicAPInt &factor,
                 ExprContext &context);

} // namespace tally::symbolic

#endif // TALLY_LIB_SYMBOLIC_PROOF_LINEARATOMS_H
