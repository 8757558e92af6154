//===- Fusion.h - Why operations run as one, or do not ----------*- C++ -*-===//
//
// The answers and reports of the passes that fuse: reasons and words are the
// same for every target.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_COMMON_FUSION_H
#define TALLY_LIB_CODEGEN_COMMON_FUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tally::codegen {

/// The reason why two operations do not run as one kernel.
enum class FusionObstacle {
  // Of any two operations.
  OtherBlock,
  Reshape,
  RunAsWhole,
  UnknownLoops,
  // Of a group that they would be in.
  OtherPoints,
  SharedAtOtherPoints,
  OtherSizes,
  LookedUp,
  OtherReduction,
  Repeated,
  TooManyOps,
  TooManyOperands,
  InBetween,
  // Of the producer's elements, were they computed where they are read.
  Reduced,
  OtherUsers,
  Effect,
  InLoop,
  LosesSizes,
  NotElementwise,
  // Of a kernel of rows.
  MoreThanArithmetic,
  ScatteredRows,
  OnePass,
  // Of the products and the softmax of attention.
  OtherBatch,
  OtherTypes,
};

/// The obstacle as the end of a sentence.
llvm::StringRef toString(FusionObstacle obstacle);

/// The reason why the producer of `fused` cannot be computed where its owner
/// reads it, element by element; nothing if it can.
std::optional<FusionObstacle> findElementwiseObstacle(mlir::OpOperand *fused);

/// Whether an element takes much longer to compute than to read.
bool isExpensive(mlir::linalg::GenericOp op);

/// Whether computing an element of what `op` makes again costs next to nothing.
bool isCheapToRepeat(mlir::linalg::GenericOp op);

/// Notes in the location of a consumer that a producer is about to become part
/// of it: upstream keeps the consumer's location alone.
void noteFused(mlir::Operation *producer, mlir::Operation *consumer);

/// Describes what operations do for the program: each operator that has become
/// part of them, with its place, such as `add at model.py:41`.
llvm::SmallVector<std::string>
describeParts(llvm::ArrayRef<mlir::Operation *> ops);

/// The last part of an operation: the one that makes the results.
std::string describeLastPart(mlir::Operation *op);

/// Where that part is.
mlir::Location getLastPartLoc(mlir::Operation *op);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_FUSION_H
