//===- RegionFlow.h - How values go through regions -------------*- C++ -*-===//
//
// The ways into regions, around loops and out of operations, as
// RegionBranchOpInterface, LoopLikeOpInterface and HigherOrderOpInterface tell.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_ANALYSIS_REGIONFLOW_H
#define TALLY_ANALYSIS_REGIONFLOW_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace tally {

/// A condition that decides which way is taken.
struct BranchDecision {
  /// A value of type i1, or null if none is known to decide.
  mlir::Value condition;
  /// The value of the condition where the way is taken.
  bool holds = true;
};

/// One way by which a value comes about.
struct RegionPredecessor {
  mlir::Value value;
  /// The decision by which a region is left this way.
  BranchDecision decision;
};

/// The values that a result of `op`, or an argument of one of its regions, may
/// be; empty if no interface tells.
llvm::SmallVector<RegionPredecessor> getPredecessors(mlir::Operation *op,
                                                     mlir::Value input);

/// The values of these.
llvm::SmallVector<mlir::Value> getPredecessorValues(mlir::Operation *op,
                                                    mlir::Value input);

/// The operand with the value that `region` is entered for; null where no
/// operand alone decides that.
BranchDecision getEntryDecision(mlir::RegionBranchOpInterface branch,
                                mlir::Region &region);

/// The regions that may run first, given constants for some of the operands.
llvm::SmallVector<mlir::Region *>
getEntryRegions(mlir::RegionBranchOpInterface branch,
                llvm::ArrayRef<mlir::Attribute> operands);

/// Returns true if one of the interfaces says that the operation may run a
/// region several times.
bool isLoop(mlir::Operation *op);

/// Returns true for a loop of which RegionBranchOpInterface tells how values go
/// round: one that has several regions, or no other interface of loops.
bool isBranchLoop(mlir::Operation *op);

/// Returns true for a loop whose iterations run at once: what they make is put
/// into the outputs, which keep their sizes.
bool isParallelLoop(mlir::Operation *op);

/// A value that goes around a loop.
struct LoopCarry {
  mlir::Value init;
  mlir::Value argument;
  mlir::Value yielded;
  /// The decision by which another iteration follows.
  BranchDecision decision;
};

/// The values that a loop carries, as its interfaces tell; empty if they do
/// not. Where there are as many as results, these are what is carried.
llvm::SmallVector<LoopCarry> getLoopCarries(mlir::Operation *op);

} // namespace tally

#endif // TALLY_ANALYSIS_REGIONFLOW_H
