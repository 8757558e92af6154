//===- LaneAnalysis.h - What differs between lanes --------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_LANEANALYSIS_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_LANEANALYSIS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tally::codegen {

/// The fewest lanes that are taken at once; they take what more lanes leave.
inline constexpr int64_t kFewLanes = 8;

/// Finds out what differs between the lanes of a loop, and whether vectors can
/// have it.
class LaneAnalysis {
public:
  explicit LaneAnalysis(mlir::scf::ParallelOp loop)
      : loop(loop), lane(loop.getInductionVars().back()) {
    varying.insert(lane);
  }

  /// Whether all of the loop can be computed by vectors, and LLVM would not do
  /// it.
  bool run();

  bool isVarying(mlir::Value value) const { return varying.contains(value); }
  bool hasInnerLoops() const { return !innerLoops.empty(); }
  int64_t getNumLanes() const;

private:
  bool visit(mlir::Block *block);
  bool visit(mlir::Operation &op);
  bool visitLoop(mlir::scf::ForOp inner);
  bool visitWhile(mlir::scf::WhileOp inner);
  bool visitAccess(mlir::Value memref, mlir::ValueRange indices, bool isStore,
                   bool &isAlong);

  mlir::scf::ParallelOp loop;
  mlir::Value lane;
  llvm::DenseSet<mlir::Value> varying;
  llvm::SmallPtrSet<mlir::Operation *, 4> innerLoops;
  bool divides = false, hasFastRanges = false, hasWhiles = false;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_LANEANALYSIS_H
