//===- LoopNest.h - Which iterations are independent ------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_LOOPNEST_H
#define TALLY_LIB_CODEGEN_COMMON_LOOPNEST_H

#include "Common/BufferOrigins.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

/// A read or a write of one element.
struct ElementAccess {
  mlir::Value memref;
  mlir::ValueRange indices;

  /// The dimension in which the access is at an index; -1 if it is in none.
  int64_t findDim(mlir::Value index) const;
};

/// Loops that carry nothing, each of which is all that the one around it does.
class LoopNest {
public:
  /// Whether iterations may end the call.
  enum class Asserts { Excluded, Allowed };

  explicit LoopNest(mlir::scf::ForOp outermost,
                    Asserts asserts = Asserts::Excluded);

  llvm::ArrayRef<mlir::scf::ForOp> getLoops() const { return loops; }
  /// Whether all of the effects are reads and writes of elements.
  bool isKnown() const { return known; }
  llvm::ArrayRef<ElementAccess> getReads() const { return reads; }
  llvm::ArrayRef<ElementAccess> getWrites() const { return writes; }

  /// Whether no iteration of a loop accesses what another one writes, whatever
  /// those of the other loops are: all that may be in a buffer that is written
  /// is accessed where the index of the loop says.
  bool isIndependent(unsigned loop, BufferOrigins &origins) const;

  /// Whether a buffer has a place of its own for each of its elements, which it
  /// has as an allocation or a part of one.
  static bool hasOwnElements(mlir::Value memref);

private:
  bool collectAccesses(Asserts asserts);

  llvm::SmallVector<mlir::scf::ForOp> loops;
  llvm::SmallVector<ElementAccess> reads, writes;
  bool known;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_LOOPNEST_H
