//===- RowReductions.h - Reductions in the inner loops ----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_ROWREDUCTIONS_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_ROWREDUCTIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// Whether an operation on buffers reduces in its inner loops only, what it
/// reads is not what it writes, and nothing in it has a region.
bool isRowReduction(mlir::linalg::GenericOp op);

/// Whether an operand is the same in all of the reduction loops.
bool isSameInRow(mlir::linalg::GenericOp op, mlir::OpOperand &operand);

/// An index of the loop that is kept in the range of a buffer:
/// `max(min(start + index, last), 0)`.
struct ClampedIndex {
  mlir::arith::MaxSIOp op;
  mlir::Value start, last;
};

/// Tells that all elements of a reduction loop from some index on are neutral:
/// `select(index < end, element, neutral)`. Values are those of the body;
/// `end`, and `start` and `last` of each clamped index, change in no reduction
/// loop.
struct ReductionEnd {
  unsigned loop;
  mlir::Value end;
  mlir::arith::SelectOp choice;
  llvm::SmallVector<ClampedIndex, 1> clamped;
};

/// Returns where a reduction of rows ends.
std::optional<ReductionEnd> findEnd(mlir::linalg::GenericOp op);

/// How many iterations a loop of `size` has with that end.
mlir::Value createSize(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value end, mlir::Value size);

/// Whether an index is what it is clamped to in all iterations of a loop of
/// `size`.
mlir::Value createIsInside(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value start, mlir::Value last,
                           mlir::Value size);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_ROWREDUCTIONS_H
