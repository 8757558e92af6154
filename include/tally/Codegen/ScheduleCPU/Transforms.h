//===- Transforms.h - How kernels run on the CPU ---------------*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_SCHEDULECPU_TRANSFORMS_H
#define TALLY_CODEGEN_SCHEDULECPU_TRANSFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally {

/// Decides how kernels run on the CPU.
mlir::LogicalResult scheduleKernelsOnCPU(mlir::func::FuncOp function);

/// Makes loops of scans; with `failingOnly`, of those whose body may fail a
/// check.
void lowerScans(mlir::Operation *root, bool failingOnly = false);

/// Makes operands of what operations read backwards.
void straightenLoads(mlir::func::FuncOp function);

/// Makes one loop of neighboring loops over what lies in memory like one
/// dimension.
void mergeLoops(mlir::func::FuncOp function);

/// Checks indices that are read from memory part by part, next to where they
/// are used.
void interleaveChecks(mlir::func::FuncOp function);

/// Computes what depends on the column alone once for all rows.
void tabulateColumns(mlir::func::FuncOp function);

/// Reduces what is reduced to one number in parts.
void splitReductions(mlir::func::FuncOp function);

/// Reduces the columns of many rows in parts.
void splitColumns(mlir::func::FuncOp function);

/// Transposes what reductions look up in rows.
void transposeLookups(mlir::func::FuncOp function);

/// Carries accumulators of reductions along rows in registers.
void carryReductions(mlir::func::FuncOp function);

/// Counts what elements hit by taking each of them once.
void countHits(mlir::func::FuncOp function);

/// Copies long rows that lie in one piece by memcpy.
void copyRows(mlir::func::FuncOp function);

/// Reduces rows of one operand with those of another in tiles.
void tileReductions(mlir::func::FuncOp function);

/// Takes what lies along another dimension than the result in tiles.
void tileTransposes(mlir::func::FuncOp function);

/// Makes accesses of slices of one buffer accesses of the buffer.
void foldSlices(mlir::func::FuncOp function);

/// Makes parallel loops of those whose iterations are independent.
void parallelizeLoops(mlir::func::FuncOp function);

/// Writes all pieces of a row of a buffer in one pass.
void joinPieces(mlir::func::FuncOp function);

/// Takes several iterations of parallel loops at once where LLVM does not.
void vectorizeLoops(mlir::func::FuncOp function);

} // namespace tally

#endif // TALLY_CODEGEN_SCHEDULECPU_TRANSFORMS_H
