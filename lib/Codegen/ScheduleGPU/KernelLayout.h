//===- KernelLayout.h - How the operands of a kernel lie --------*- C++ -*-===//
//
// What a schedule follows from: which elements of a kernel are neighbors in
// memory, and how many of them an access can take. Some of it is known where
// the kernel is compiled, the rest is asked on the host.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_KERNELLAYOUT_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_KERNELLAYOUT_H

#include "Schedules.h"

namespace tally::codegen {

/// A row that lies across memory and is not longer than this belongs to a
/// thread.
inline constexpr int64_t kMaxThreadRow = 32;

/// A kernel whose schedules are chosen, and the host code in front of it.
class KernelLayout {
public:
  explicit KernelLayout(KernelOp kernel)
      : kernel(kernel), space(kernel), host(kernel), loc(kernel.getLoc()),
        math(host, loc) {
    createExtents();
  }

protected:
  using Value = mlir::Value;

  Value compare(mlir::arith::CmpIPredicate predicate, Value a, int64_t b) {
    return host.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a,
                                                  math.constant(b));
  }
  llvm::SmallVector<KernelAccess> getContiguousAccesses(unsigned dim) const;
  unsigned chooseLanes(unsigned dim) const;
  llvm::SmallVector<PointwiseWay> getPointwiseWays() const;
  Value createFits(PointwiseWay way);
  Value createIsAligned(unsigned dim, unsigned lanes, bool needsFullRows);
  bool readsSmallWindows() const;
  bool isWalkedAlongRows() const;
  bool readsRowsByLookup() const;

  KernelOp kernel;
  KernelSpace space;
  mlir::OpBuilder host;
  mlir::Location loc;
  IndexMath math;
  /// How often each dimension of the space runs.
  llvm::SmallVector<Value> extents;

private:
  Value createIsInOrder(unsigned lanes);
  Value createIsNarrow();
  void createExtents();
  int64_t getDivisor(unsigned dim) const;
  void collectMultiples(const KernelAccess &access, unsigned dim,
                        bool hasFullRows,
                        llvm::SmallVectorImpl<mlir::OpFoldResult> &numbers);
  bool differsInRow(const KernelAccess &access) const;
  int64_t countLookupsAlong(unsigned dim) const;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_KERNELLAYOUT_H
