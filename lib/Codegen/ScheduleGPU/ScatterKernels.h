//===- ScatterKernels.h - Writes in the order of their places ---*- C++ -*-===//
//
// See the description of tally-schedule-loops in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERKERNELS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERKERNELS_H

#include "Emitter.h"
#include "Kernels/Kernels.h"
#include "NestDivision.h"
#include "Schedules.h"

namespace tally::codegen {

/// Sorts the iterations of a nest by the elements that they write, and runs
/// those of each element. The iterations of loops that are not independent are
/// items; of these there is a row for each iteration of independent loops that
/// the places depend on. Other independent loops are columns.
class ScatterKernels {
public:
  ScatterKernels(const NestDivision &division, mlir::OpBuilder &host,
                 llvm::StringRef function);

  /// Whether there are so many items, and so few threads that each could go
  /// through all of them, that sorting is worth it; on the host.
  mlir::Value createIsWorth();
  void run();

private:
  using Value = mlir::Value;
  struct Thread;
  struct Run;

  Value compare(mlir::arith::CmpIPredicate predicate, Value a, Value b) {
    return host.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a, b);
  }
  Value allocate(mlir::Type element, mlir::ValueRange sizes);
  void free(Value buffer) {
    mlir::memref::DeallocOp::create(host, loc, buffer);
  }
  /// Whether values are combined that do not depend on elements.
  bool hasSums() const {
    return division.getUpdate() && division.getUpdate()->slice;
  }
  Kernel make(llvm::StringRef suffix, llvm::ArrayRef<Value> buffers,
              mlir::ValueRange numbers, int64_t numThreads);
  void forTeams(Thread &thread, Value from, Value to, Value stride, Value first,
                bool hasColumns, llvm::function_ref<void(Thread &)> fill);
  void launch(llvm::StringRef suffix, llvm::ArrayRef<Value> buffers,
              Value number, Value teams, bool hasColumns,
              llvm::function_ref<void(Thread &)> fill);

  void launchBlocks();
  void createOrder();
  Value allocatePartials();
  void launchWhole();
  void launchSums();
  void launchJoins(Value partials, Value stride);

  void fillBlock(Kernel &kernel, Value digits, Value partials, Value stride);
  Value getKey(Thread &thread, Value item);
  void fillKey(Thread &thread, Value keys);
  void fillWhole(Thread &thread);
  void fillSums(Thread &thread, Value partials);
  void fillJoins(Thread &thread, Value partials, Value stride);

  const NestDivision &division;
  mlir::OpBuilder &host;
  mlir::Location loc;
  IndexMath math;
  std::string function;
  llvm::SmallVector<mlir::scf::ForOp> rowLoops, columnLoops;
  llvm::SmallVector<Value> rowCounts, columnCounts, itemCounts;
  Value rows, columns, items;
  /// How many places there are.
  Value places;
  /// How many threads, and columns, a team has.
  Value lanes, width, groups;
  /// The keys of each row, in order, and the items that have them.
  Value sorted, order;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCATTERKERNELS_H
