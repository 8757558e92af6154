//===- LinalgPreconditions.h - What structured operations require -*- C++
//-*-===//

#ifndef TALLY_LIB_ANALYSIS_LINALGPRECONDITIONS_H
#define TALLY_LIB_ANALYSIS_LINALGPRECONDITIONS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tally/Analysis/SymbolicShapes.h"

namespace tally::detail {

/// The size of a loop of a structured operation: that of the first operand
/// dimension it indexes alone; null if there is none.
symbolic::Expr getLoopSize(mlir::linalg::LinalgOp op, unsigned loop,
                           SymbolicShapes &shapes);
/// Collects what every structured operation requires: operands that are indexed
/// by a loop alone agree on its size, other indices are in bounds.
void collectLinalgPreconditions(mlir::linalg::LinalgOp op,
                                SymbolicShapes &shapes,
                                Preconditions &preconditions);

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_LINALGPRECONDITIONS_H
