//===- KernelGroups.h - Which operations run as one kernel ------*- C++ -*-===//
//
// Groups structured operations of a block that share an iteration space. Knows
// nothing of how a kernel is run.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_KERNELGROUPS_H
#define TALLY_LIB_CODEGEN_KERNELS_KERNELGROUPS_H

#include "Common/Fusion.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tally/Symbolic/Expr/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

#include <memory>

namespace tally::codegen {

/// How often a loop runs.
struct Extent {
  symbolic::Expr size;
  /// A number that is known to divide it; at least 1.
  int64_t divisor = 1;
};

/// How often each loop of an operation runs.
using LoopExtents =
    llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Extent>>;

/// A dimension that operations of a group run over.
struct KernelDim {
  Extent extent;
  bool isReduced = false;
};

/// Operations of one block that run over the same dimensions.
struct KernelGroup {
  /// In the order of the program.
  llvm::SmallVector<mlir::linalg::GenericOp> ops;
  llvm::SmallVector<KernelDim> dims;
  /// For each operation the dimension that each of its loops runs over.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t>> loopDims;

  bool contains(mlir::Operation *op) const { return loopDims.contains(op); }
};

/// The number that all elements of what `op` makes are, or null. Such a tensor
/// belongs to whoever reads it.
mlir::Value getFillValue(mlir::Operation *op);

/// The reason why operations do not become one group, and the value it is
/// about.
struct GroupObstacle {
  GroupObstacle(FusionObstacle kind) : kind(kind) {}

  FusionObstacle kind;
  /// Of `InBetween`: what has to run between them.
  mlir::Operation *inBetween = nullptr;
  /// Of `OtherSizes`: how often the loops run, where it is two loops.
  std::optional<std::pair<symbolic::Expr, symbolic::Expr>> sizes;
};

/// The reasons why two groups did not become one, by a producer and an
/// operation that reads its result.
using GroupObstacles =
    llvm::DenseMap<std::pair<mlir::Operation *, mlir::Operation *>,
                   GroupObstacle>;

/// The reason why the operations of a group are not one kernel; nothing if they
/// may be.
using FindGroupObstacle =
    llvm::function_ref<std::optional<FusionObstacle>(const KernelGroup &)>;

/// Finds the groups of a block and brings its operations into an order in which
/// those of a group follow each other. The order in which checks and accesses
/// run stays: nothing moves above an operation with an effect. Notes what kept
/// a producer and who reads it apart. No group arises that `findObstacle` finds
/// something against.
std::vector<KernelGroup> groupKernels(mlir::Block &block,
                                      const LoopExtents &extents,
                                      FindGroupObstacle findObstacle,
                                      GroupObstacles &obstacles);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_KERNELGROUPS_H
