//===- TeamReduction.h - Threads that reduce together -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_TEAMREDUCTION_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_TEAMREDUCTION_H

#include "Schedules.h"

namespace tally::codegen {

/// The value of another thread of the warp. Registers hold 32 bits: smaller
/// values are extended, larger ones taken apart.
mlir::Value createShuffle(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, mlir::Value offset,
                          mlir::gpu::ShuffleMode mode);
mlir::Value createShuffle(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value, unsigned offset,
                          mlir::gpu::ShuffleMode mode);

/// How many threads next to each other are at neighboring rows in a block of
/// columns, where there are `rows`: `most`, or fewer, a power of two, where
/// there are fewer rows.
mlir::Value createNumColumns(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value rows, unsigned most);

/// The team of the running thread: a thread, some of a warp, a warp, a block,
/// or a column of a block. All threads of a block go through as many rows, so
/// that they meet at barriers; a thread that is past the last row works on that
/// one and writes nothing.
class TeamReduction {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  using Join = llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)>;

  /// Emits who the running thread is; blocks have `blockSize` threads, and
  /// there are `rows`. A team of several blocks has `numBlocks`; a block of
  /// columns has at most `mostColumns`.
  TeamReduction(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::gpu::GPUFuncOp function, Team team, unsigned blockSize,
                mlir::Value rows, unsigned mostColumns,
                mlir::Value numBlocks = {});

  /// The threads of a team; of columns there are different numbers.
  static unsigned getNumThreads(Team team, unsigned blockSize);

  bool isOneThread() const { return team == Team::Thread; }
  /// The number of the thread in its team, and of threads in a team.
  mlir::Value getMember() const { return member; }
  mlir::Value getSize() const { return size; }
  /// The same among the threads of its block.
  mlir::Value getMemberOfBlock() const { return memberOfBlock; }
  mlir::Value getSizeInBlock() const { return sizeInBlock; }

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
  /// Moves the builder to where only the first of several blocks comes.
  void enterFirstPart(mlir::OpBuilder &builder) const;
  /// Emits a loop over the rows of the team, moves the builder into it and
  /// returns the row.
  mlir::Value enterRows(mlir::OpBuilder &builder);

private:
  /// Of as many threads next to each other.
  Values reduceWarp(mlir::OpBuilder &builder, mlir::ValueRange values,
                    unsigned threads, Join join) const;
  Values reduceBlock(mlir::OpBuilder &builder, mlir::ValueRange values,
                     Join join) const;
  Values reduceColumn(mlir::OpBuilder &builder, mlir::ValueRange values,
                      Join join) const;
  Values joinParts(mlir::OpBuilder &builder, mlir::ValueRange parts,
                   unsigned count, Join join) const;
  /// Shared memory for each of some values, the same in each reduction.
  Values addSharedMemory(mlir::OpBuilder &builder, mlir::ValueRange values,
                         int64_t size) const;
  bool isColumn() const {
    return team == Team::Column || team == Team::ColumnBlocks;
  }

  mlir::Location loc;
  mlir::gpu::GPUFuncOp function;
  Team team;
  unsigned blockSize;
  mlir::Value rows, thread, firstRow, numTeams, member, size, part;
  mlir::Value memberOfBlock, sizeInBlock;
  /// How many threads next to each other are at neighboring rows in a block of
  /// columns.
  mlir::Value columns;
  /// Whether the row is the thread's; null where it always is.
  mlir::Value hasRow;
  /// Shared memory by the type of its elements, and the number of values of
  /// that type before it.
  mutable llvm::DenseMap<std::pair<mlir::Type, unsigned>, mlir::Value> shared;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_TEAMREDUCTION_H
