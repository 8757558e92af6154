//===- NestPoints.h - Points of a nest that a thread takes ------*- C++ -*-===//
//
// See the description of tally-schedule-loops in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_NESTPOINTS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_NESTPOINTS_H

#include "NestDivision.h"
#include "Schedules.h"

namespace tally::codegen {

/// How the iterations of a nest that may run in any order are divided: the
/// innermost loop has columns, the loops around it have rows. A row has teams
/// of `lanes` threads next to each other. A thread takes columns of its row
/// which are `lanes` apart, some at once: what they have in common is computed
/// once, and what they read is read before anything is written.
class NestPoints {
public:
  /// Counts of the host; `counts` says how often each loop runs.
  NestPoints(const NestDivision &division, mlir::OpBuilder &host,
             llvm::ArrayRef<mlir::Value> counts, int64_t numThreads);

  /// The threads of all teams, none where there are no points.
  mlir::Value getNumThreads() const { return total; }
  /// What a kernel needs to know of the host.
  llvm::SmallVector<mlir::Value> getCaptures() const {
    return {lanes, groups, full, total};
  }

  /// Emits what one of the threads does. `finish` makes the writes of a point
  /// atomic, whose operations it finds in the map.
  void emit(mlir::OpBuilder &builder, const mlir::IRMapping &kernel,
            mlir::Value thread,
            llvm::function_ref<void(mlir::OpBuilder &, mlir::IRMapping &)>
                finish) const;

private:
  /// An operation of the body and where it goes.
  struct Step {
    mlir::Operation *op;
    /// Whether it is the same for all columns of a row.
    bool isOfRow;
    /// Whether it can run before what the iteration asserts.
    bool isEarly;
  };

  void classify();
  bool canRunEarly(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &late,
                   bool isBarred) const;
  void enter(mlir::OpBuilder &builder, mlir::IRMapping &map,
             mlir::scf::ForOp loop, mlir::Value number) const;
  void emitColumns(
      mlir::OpBuilder &builder, const mlir::IRMapping &row, mlir::Value begin,
      mlir::Value end, mlir::Value step, unsigned count,
      llvm::function_ref<void(mlir::OpBuilder &, mlir::IRMapping &)> finish)
      const;

  const NestDivision &division;
  mlir::Location loc;
  llvm::SmallVector<mlir::Value> rowCounts;
  llvm::SmallVector<Step> steps;
  /// How many columns a thread takes at once.
  unsigned atOnce;
  /// The threads of a team, the teams of a row, the columns that are taken
  /// several at once, and all threads.
  mlir::Value lanes, groups, full, total;
  mlir::Value columns;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_NESTPOINTS_H
