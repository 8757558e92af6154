//===- NestDivision.h - What threads share of a nest ------------*- C++ -*-===//
//
// See the description of tally-schedule-loops in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_NESTDIVISION_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_NESTDIVISION_H

#include "Common/LoopNest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

namespace tally::codegen {

/// Operations of the innermost loop, each after those that it uses.
using Slice = llvm::SetVector<mlir::Operation *>;

/// How the one buffer that is written is divided among owners of its elements.
struct Ownership {
  mlir::Value buffer;
  /// The indices of the element.
  mlir::ValueRange indices;
  /// Those that are not of independent loops, and in which dimensions.
  llvm::SmallVector<mlir::Value> places;
  llvm::SmallVector<int64_t> dims;
  /// What computes them.
  Slice slice;
};

/// The one write of a nest, where it combines an element with a value in a way
/// whose order does not matter, or only because sums are rounded.
struct ElementUpdate {
  mlir::Operation *load, *combiner, *store;
  mlir::arith::AtomicRMWKind kind;
  /// What computes the value, where that is known not to depend on the buffer.
  std::optional<Slice> slice;

  mlir::Value getOperand() const {
    bool isFirst = combiner->getOperand(0).getDefiningOp() == load;
    return combiner->getOperand(isFirst ? 1 : 0);
  }
  mlir::Value getBuffer() const {
    return mlir::cast<mlir::memref::StoreOp>(store).getMemRef();
  }
  mlir::Type getType() const { return combiner->getResult(0).getType(); }
  /// Whether there is an instruction, and the order does not matter at all.
  bool isAtomic() const;
  /// Whether there is an instruction, and the order matters only because sums
  /// of floats are rounded.
  bool isRoundedSum() const;
};

/// Which iterations and elements of a nest are divided among threads.
class NestDivision {
public:
  /// Where updates may come in any order, more of them are atomic.
  NestDivision(const LoopNest &nest, BufferOrigins &origins,
               bool inAnyOrder = false);

  const LoopNest &getNest() const { return nest; }
  mlir::Block *getBody() const { return body; }
  llvm::ArrayRef<mlir::scf::ForOp> getIndependent() const {
    return independent;
  }
  /// The loops whose iterations a thread runs in their order.
  llvm::ArrayRef<mlir::scf::ForOp> getOthers() const { return others; }
  const std::optional<Ownership> &getOwnership() const { return ownership; }
  /// How elements are updated: atomically, as iterations that are not
  /// independent are divided, or by their owners.
  const std::optional<ElementUpdate> &getUpdate() const { return update; }
  bool isAtomic() const {
    return update &&
           (update->isAtomic() || (inAnyOrder && update->isRoundedSum()));
  }
  /// Whether iterations write elements anew, in any order: the writes are
  /// atomic, and one of them stays.
  bool writesInAnyOrder() const { return anyStays; }
  /// Whether the last iteration that writes an element is all that counts.
  bool isOverwriting() const;
  /// Whether a buffer lies apart from all that the nest writes.
  bool isOnlyRead(mlir::Value memref) const {
    return llvm::all_of(nest.getWrites(), [&](const ElementAccess &write) {
      return isDistinct(memref, write.memref);
    });
  }
  /// Tells the compiler of a kernel which of the buffers that it gets lie
  /// apart, and which of them are only read.
  void annotatePointers(mlir::gpu::GPUFuncOp function,
                        llvm::ArrayRef<mlir::Value> buffers) const;

private:
  bool isDistinct(mlir::Value memref, mlir::Value written) const {
    return origins.relate(memref, written) == BufferOrigins::Relation::Distinct;
  }
  bool isIndependentIndex(mlir::Value index) const;
  void findUpdate();
  void findOwnership();
  bool writesAnew() const;
  bool canAnyStay() const;
  bool addToSlice(Slice &slice, mlir::Value value, mlir::Value written) const;

  const LoopNest &nest;
  BufferOrigins &origins;
  bool inAnyOrder;
  bool anyStays = false;
  mlir::Block *body;
  llvm::SmallVector<mlir::scf::ForOp> independent, others;
  std::optional<Ownership> ownership;
  std::optional<ElementUpdate> update;
};

/// How often a loop runs, on the host.
mlir::Value createTripCount(mlir::OpBuilder &host, mlir::scf::ForOp loop);

/// What the iterations of a nest use of the host.
llvm::SetVector<mlir::Value> collectCaptures(mlir::scf::ForOp outer);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_NESTDIVISION_H
