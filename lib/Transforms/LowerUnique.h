//===- LowerUnique.h - What lowerings of tally.unique share -----*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_LOWERUNIQUE_H
#define TALLY_LIB_TRANSFORMS_LOWERUNIQUE_H

#include "LowerDataDependent.h"
#include "tally/IR/Tally.h"

namespace tally::detail {

/// The elements of the source in order; and where each was if that is asked
/// for.
LoopBuilder::Values createSorted(UniqueOp op, LoopBuilder &loops,
                                 mlir::Value size, bool withPlaces);

/// Whether the sorted element at an index differs from the one before it.
mlir::Value createIsNew(LoopBuilder &loops, mlir::Value sorted, mlir::Value at);

/// The number of runs, which is what it is said to be; states that it is at
/// most the number of elements, and not 0 if there is one.
mlir::Value createRunCountFacts(LoopBuilder &loops, mlir::Value count,
                                mlir::Value size);

/// The inverse in the shape of the source: a vector, or nothing where it is not
/// asked for.
mlir::Value createInverse(UniqueOp op, LoopBuilder &loops, mlir::Value vector);

} // namespace tally::detail

#endif // TALLY_LIB_TRANSFORMS_LOWERUNIQUE_H
