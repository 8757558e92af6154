//===- AssertBuilder.h - A check as the assert that runs --------*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_ASSERTBUILDER_H
#define TALLY_LIB_TRANSFORMS_ASSERTBUILDER_H

#include "AssertPlacement.h"

namespace tally {

/// Builds the assert of a check at a place: the arithmetic of its condition, as
/// its text has it, and what its error will tell. The facts of `shapes` are
/// those that hold at the check; with `elide`, the parts of a conjunction that
/// follow from them are not computed. With `exact`, the arithmetic makes no use
/// of them either.
AssertOp buildAssert(CheckOp check, const AssertPlacement &placement,
                     SymbolicShapes &shapes, bool elide, bool exact);

/// Replaces an assert by the assumption that it would not have failed.
AssumeOp assumeAssert(AssertOp assertion);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_ASSERTBUILDER_H
