//===- TeamReduction.h - Threads that reduce together -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_TEAMREDUCTION_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_TEAMREDUCTION_H

#include "Schedules.h"

namespace tally::codegen {

/// The value of another thread of the warp. Registers hold 32 bits: smaller
/// values are extended, larger ones taken apart.
mlir::Value createShuffle(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, unsigned offset,
                          mlir::gpu::ShuffleMode mode);

/// The team of the running thread: a thread, a warp, a block, or a column of a
/// block. All threads of a block go through as many rows, so that they meet at
/// barriers; a thread that is past the last row works on that one and writes
/// nothing.
class TeamReduction {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Join = llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)>;

  /// Emits who the running thread is; blocks have `blockSize` threads. A team
  /// of several blocks has `numBlocks`.
  TeamReduction(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::gpu::GPUFuncOp function, Team team, unsigned blockSize,
                mlir::Value numBlocks = {});

  /// The threads of a team.
  static unsigned getNumThreads(Team team, unsigned blockSize);

  bool isOneThread() const { return team == Team::Thread; }
  /// The number of the thread in its team, and of threads in a team.
  mlir::Value getMember() const { return member; }
  mlir::Value getSize() const { return size; }

  /// The number of the block in a team of several.
  mlir::Value getPart() const { return part; }
  /// Joins what all threads of the team have, or of the block where it has
  /// several: one value each, or some that belong together. Every thread gets
  /// the result. All of them must come here.
  Values reduce(mlir::OpBuilder &builder, mlir::ValueRange values,
                Join join) const;
  /// Moves the builder to where only one thread of the team comes, or only
  /// threads that have a row.
  void enterOneMember(mlir::OpBuilder &builder) const;
  void enterOwnRow(mlir::OpBuilder &builder) const;
  /// Emits a loop over the rows of the team, of all `rows`, moves the builder
  /// into it and returns the row.
  mlir::Value enterRows(mlir::OpBuilder &builder, mlir::Value rows);

private:
  Values reduceWarp(mlir::OpBuilder &builder, mlir::ValueRange values,
                    Join join) const;
  Values reduceBlock(mlir::OpBuilder &builder, mlir::ValueRange values,
                     Join join) const;
  Values reduceColumn(mlir::OpBuilder &builder, mlir::ValueRange values,
                      Join join) const;
  /// Shared memory for each of some values.
  Values addSharedMemory(mlir::OpBuilder &builder, mlir::ValueRange values,
                         llvm::ArrayRef<int64_t> shape) const;
  Values joinParts(mlir::OpBuilder &builder, mlir::ValueRange parts,
                   unsigned count, mlir::ValueRange place, Join join) const;

  mlir::Location loc;
  mlir::gpu::GPUFuncOp function;
  Team team;
  unsigned blockSize;
  mlir::Value thread, firstRow, numTeams, member, size, part;
  /// Whether the row is the thread's; null where it always is.
  mlir::Value hasRow;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_TEAMREDUCTION_H
