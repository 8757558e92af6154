//===- DataDemands.h - What operations demand of data -----------*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_DATADEMANDS_H
#define TALLY_LIB_TRANSFORMS_DATADEMANDS_H

#include "tally/Analysis/ElementRanges.h"

namespace tally {

/// Computes before a `tally.repeat_interleave` or `tally.bincount` whether no
/// element of what it counts is negative, and returns that as its demand.
/// Nothing, with nothing changed, for any other operation, where the range of
/// the elements shows it if `elide`, and where the elements are known: these
/// are demands like others.
std::optional<Demand> reduceOverData(mlir::Operation *op, ElementRanges &ranges,
                                     bool elide);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_DATADEMANDS_H
