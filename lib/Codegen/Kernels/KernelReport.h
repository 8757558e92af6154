//===- KernelReport.h - Which kernels there are, and why --------*- C++ -*-===//
//
// Tells users what runs as one kernel, and what kept a producer apart from what
// reads its result: as remarks of MLIR's engine, in the same words for every
// target.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_KERNELREPORT_H
#define TALLY_LIB_CODEGEN_KERNELS_KERNELREPORT_H

#include "KernelGroups.h"
#include "tally/Analysis/SymbolicShapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace tally::codegen {

/// The report on one function: blocks one by one, before kernels are made of
/// their groups.
class KernelReport {
public:
  /// A report on anything needs someone who listens. Where the runtime does
  /// not sort, kernels do.
  KernelReport(mlir::func::FuncOp function, SymbolicShapes &shapes,
               bool runtimeSorts);

  /// Tells the kernels of a block in their order, and what was not fused.
  void reportBlock(mlir::Block &block, llvm::ArrayRef<KernelGroup> groups,
                   const GroupObstacles &obstacles,
                   FindGroupObstacle findGroupObstacle);

private:
  void reportKernel(llvm::ArrayRef<mlir::Operation *> ops,
                    llvm::StringRef kind);
  void reportLoop(mlir::Operation *loop);
  void reportLookups(mlir::linalg::GenericOp op);
  void reportObstacle(mlir::Operation *producer, mlir::Operation *consumer,
                      const GroupObstacle &obstacle);
  /// The obstacle as the end of a sentence.
  std::string describe(const GroupObstacle &obstacle);

  mlir::func::FuncOp function;
  SymbolicShapes &shapes;
  bool runtimeSorts;
  bool isWanted;
  /// The reports so far: several uses may have the same words.
  llvm::StringSet<> told;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_KERNELREPORT_H
