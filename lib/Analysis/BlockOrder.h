//===- BlockOrder.h - Which operation comes first ---------------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_BLOCKORDER_H
#define TALLY_LIB_ANALYSIS_BLOCKORDER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tally {

/// Tells which of two operations of a block comes first, as `isBeforeInBlock`
/// does, which numbers the whole block again for nearly every operation that
/// was inserted and is asked about. Here there is room between the numbers.
class BlockOrder {
public:
  bool isBefore(mlir::Operation *a, mlir::Operation *b) {
    getPosition(a);
    getPosition(b);
    // The second question may have numbered the block anew.
    return positions.lookup(a) < positions.lookup(b);
  }
  /// An operation is going to be erased.
  void forget(mlir::Operation *op) { positions.erase(op); }

private:
  uint64_t getPosition(mlir::Operation *op);
  void number(mlir::Block *block);
  template <typename Step>
  std::optional<uint64_t> findNumber(mlir::Operation *op, uint64_t end,
                                     Step step);

  llvm::DenseMap<mlir::Operation *, uint64_t> positions;
};

} // namespace tally

#endif // TALLY_LIB_ANALYSIS_BLOCKORDER_H
