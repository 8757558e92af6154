//===- DataPreconditions.h - What operations require of data ----*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_DATAPRECONDITIONS_H
#define TALLY_LIB_TRANSFORMS_DATAPRECONDITIONS_H

#include "tally/Analysis/ElementRanges.h"

namespace tally {

/// Computes before a `tally.repeat_interleave` or `tally.bincount` whether no
/// element of what it counts is negative, and returns that as its precondition.
/// Nothing, with nothing changed, for any other operation, where the range of
/// the elements shows it if `elide`, and where the elements are known: these
/// are preconditions like others.
std::optional<Precondition> reduceOverData(mlir::Operation *op,
                                           ElementRanges &ranges, bool elide);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_DATAPRECONDITIONS_H
