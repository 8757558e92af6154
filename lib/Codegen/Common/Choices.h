//===- Choices.h - The best element, and where it is ------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_CHOICES_H
#define TALLY_LIB_CODEGEN_COMMON_CHOICES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// A reduction to the first of the best elements, and often its index, as
/// argmax is.
struct Choice {
  /// How an element compares with the best one so far where it is better: a
  /// strict comparison of floats or of integers.
  mlir::Operation *compare;
  /// Whether NaN is better than what is none.
  bool takesNaN;
  /// How many elements are compared at once.
  int64_t lanes;
  /// The element that is compared, and whether it is taken.
  mlir::Value element, takes;
  /// Whether the index is a result as well.
  bool hasIndex;
};

/// Reads the body of an operation that makes a choice along its last loop, over
/// neighbors in memory of types that processors have vectors of.
std::optional<Choice> matchChoice(mlir::linalg::GenericOp op);

/// Reads the body of an operation that makes a choice along one of its loops;
/// indices are those of that loop.
std::optional<Choice> matchChoiceAlong(mlir::linalg::GenericOp op,
                                       unsigned loop);

/// Whether f16 and bf16 count as types that processors have vectors of.
enum class Halves { Excluded, Allowed };

/// Whether the elements of the inputs are neighbors along the last loop, or the
/// same, of types that processors have vectors of, and the body can be computed
/// by lanes.
bool hasLanes(mlir::linalg::GenericOp op, Halves halves = Halves::Excluded);

/// Whether the largest element is the best one, not the smallest.
bool isOfLargest(const Choice &choice);

/// Whether one of some floats, whose extremum is given, may be better than the
/// best one so far.
mlir::Value createMayBeBetter(mlir::OpBuilder &builder, mlir::Location loc,
                              const Choice &choice, mlir::Value extremum,
                              mlir::Value best);

/// The better one of two elements, or the first of them where none is, and its
/// index.
llvm::SmallVector<mlir::Value>
joinChoices(mlir::OpBuilder &builder, mlir::Location loc, const Choice &choice,
            mlir::ValueRange one, mlir::ValueRange other);

/// The element and the index that are chosen from those of the lanes.
llvm::SmallVector<mlir::Value> joinLanes(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         const Choice &choice,
                                         mlir::ValueRange lanes);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_CHOICES_H
