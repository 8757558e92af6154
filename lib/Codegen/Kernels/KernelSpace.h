//===- KernelSpace.h - What a kernel runs over ------------------*- C++ -*-===//
//
// The dimensions of a `tally.kernel` on buffers as schedules see them: those
// that every access walks through as if they were one are one, rows come before
// what a row reduces, and reductions are sorted into phases.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_KERNELSPACE_H
#define TALLY_LIB_CODEGEN_KERNELS_KERNELSPACE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tally/IR/Tally.h"

namespace tally::codegen {

/// How an operation of the body reaches an operand of its kernel.
struct KernelAccess {
  mlir::linalg::GenericOp op;
  /// From the loops of the operation to the indices of the operand.
  mlir::AffineMap map;
  /// The argument of the body that stands for the operand.
  mlir::BlockArgument operand;
  /// Where it is read; null where it is written.
  mlir::OpOperand *use = nullptr;
};

/// A dimension that schedules loop over.
struct ScheduleDim {
  /// The dimensions of the kernel that are one, the outermost first.
  llvm::SmallVector<unsigned> dims;
  bool isReduced = false;
};

class KernelSpace {
public:
  /// `joinsSums`: where a phase finds the largest element of a row and the next
  /// one sums up exponentials of the distances from it, both are one phase.
  explicit KernelSpace(KernelOp kernel, bool joinsSums = false);

  KernelOp getKernel() const { return kernel; }
  /// The operations of the body, without fills that only others start from.
  llvm::ArrayRef<mlir::linalg::GenericOp> getOps() const { return ops; }
  /// The accesses: inputs as operands of operations, and outputs.
  llvm::ArrayRef<KernelAccess> getReads() const { return reads; }
  llvm::ArrayRef<KernelAccess> getWrites() const { return writes; }

  /// Rows first, then what is reduced; in each part the outermost first.
  llvm::ArrayRef<ScheduleDim> getDims() const { return dims; }
  unsigned getNumRowDims() const;
  /// The dimension that a loop of an operation of the body runs over, or part
  /// of which it does.
  unsigned getDim(mlir::linalg::GenericOp op, unsigned loop) const;
  /// Whether the loop is the innermost of the dimension it is part of.
  bool isInnermost(mlir::linalg::GenericOp op, unsigned loop) const;
  /// Whether the operation runs over a dimension.
  bool runsOver(mlir::linalg::GenericOp op, unsigned dim) const;
  /// Whether it has one element for a row.
  bool isOfRow(mlir::linalg::GenericOp op) const;

  /// How much code a point takes, in operations.
  int64_t getCodeSize() const;
  /// Whether a body has a loop, whose iterations wait for each other: that of
  /// another element would come behind it.
  bool hasLoops() const;

  /// The reductions that can run at the same time; each phase needs the
  /// results of those before it.
  llvm::ArrayRef<llvm::SmallVector<mlir::linalg::GenericOp>> getPhases() const {
    return phases;
  }
  /// The phases that must be over before an operation can be computed.
  unsigned getPhase(mlir::linalg::GenericOp op) const { return phase.at(op); }
  /// The sum of exponentials that is joined with a reduction, and next to it in
  /// its phase; null if there is none.
  mlir::linalg::GenericOp getJoinedSum(mlir::linalg::GenericOp maximum) const {
    return joinedSums.lookup(maximum);
  }

private:
  void collectAccesses();
  void orderDims();
  void mergeDims();
  bool areOne(unsigned outer, unsigned inner) const;
  void collectPhases(bool joinsSums);

  KernelOp kernel;
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  llvm::SmallVector<KernelAccess> reads, writes;
  /// The dimensions of the kernel in the order of the schedule.
  llvm::SmallVector<unsigned> order;
  llvm::SmallVector<ScheduleDim> dims;
  /// For each dimension of the kernel the one of the schedule.
  llvm::SmallVector<unsigned> dimOf;
  llvm::SmallVector<llvm::SmallVector<mlir::linalg::GenericOp>> phases;
  llvm::DenseMap<mlir::Operation *, unsigned> phase;
  llvm::DenseMap<mlir::Operation *, mlir::linalg::GenericOp> joinedSums;
};

/// The operand of the kernel that an argument of its body stands for.
mlir::Value getBuffer(KernelOp kernel, mlir::BlockArgument argument);

/// The dimensions of the kernel that the loops of an operation run over.
llvm::ArrayRef<int64_t> getKernelDims(mlir::Operation *op);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_KERNELSPACE_H
