//===- Accumulators.h - What reductions of rows combine ---------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_ACCUMULATORS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_ACCUMULATORS_H

#include "Common/Choices.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// The operation that combines two partial results of a reduction, if it is
/// one.
mlir::Operation *getCombiner(mlir::linalg::GenericOp op, unsigned result);

/// The choice of an element and its index that an operation makes, if it does.
std::optional<Choice> getPlacedChoice(mlir::linalg::GenericOp op);

/// Results of reductions of the phase that is being emitted that are combined
/// at once: one, an element and its index, or a maximum and the sum that is
/// joined with it.
struct Accumulator {
  llvm::SmallVector<mlir::Value> results;
  /// Of each result: one, or one for each lane where lanes are rows.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> inits;
  /// None of both where a thread reduces all of a row. That of a maximum, where
  /// a sum is joined with it.
  mlir::Operation *combiner = nullptr;
  std::optional<Choice> choice;

  bool isExponentialSum() const { return combiner && results.size() == 2; }

  llvm::SmallVector<mlir::Value> getInits(unsigned lane) const {
    return llvm::map_to_vector(inits, [&](llvm::ArrayRef<mlir::Value> lanes) {
      return lanes[lanes.size() == 1 ? 0 : lane];
    });
  }
  /// What a part starts from: what is chosen is better than the init, so that
  /// it may be that of all parts.
  llvm::SmallVector<mlir::Value> createStart(mlir::OpBuilder &builder,
                                             mlir::Location loc,
                                             unsigned lane) const;
  /// Combines two partial results.
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &builder,
                                         mlir::Location loc, mlir::ValueRange a,
                                         mlir::ValueRange b) const;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_ACCUMULATORS_H
