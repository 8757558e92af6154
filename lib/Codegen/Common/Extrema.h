//===- Extrema.h - The largest and the smallest float -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_EXTREMA_H
#define TALLY_LIB_CODEGEN_COMMON_EXTREMA_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// What is known of the bits of floats, or of vectors of them lane by lane,
/// whose extremum is looked for. An extremum of floats that is NaN where one of
/// them is, and the zero that it has to be, takes several instructions that
/// wait for each other; one of integers takes one, and three of them tell all
/// about the floats.
struct BitRange {
  /// The largest and the smallest one as signed integers: these are the extrema
  /// of the floats where all of them are positive, or negative.
  mlir::Value largest, smallest;
  /// The largest one as an unsigned integer: the negative float that is
  /// farthest from zero, if one is negative.
  mlir::Value farthest;

  /// As values that a loop carries, and back.
  static constexpr unsigned kNumValues = 3;
  llvm::SmallVector<mlir::Value> getValues() const {
    return {largest, smallest, farthest};
  }
  static BitRange get(mlir::ValueRange values) {
    return {values[0], values[1], values[2]};
  }
};

/// Returns the operation that joins an element with the largest or smallest
/// float so far, where a reduction does nothing else with that one; or null.
mlir::Operation *matchExtremum(mlir::linalg::GenericOp op);

/// What is known of one value, a float or a vector of floats.
BitRange createBitRange(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value floats);

/// What is known with one value more.
BitRange extendBitRange(mlir::OpBuilder &builder, mlir::Location loc,
                        const BitRange &range, mlir::Value floats);

/// What is known of all lanes of vectors.
BitRange reduceBitRange(mlir::OpBuilder &builder, mlir::Location loc,
                        const BitRange &lanes);

/// The extremum that `join`, a maximum or a minimum, makes of what is known.
mlir::Value createExtremum(mlir::OpBuilder &builder, mlir::Location loc,
                           const BitRange &range, mlir::FloatType type,
                           mlir::Operation *join);

/// The same, of the largest or of the smallest float.
mlir::Value createExtremum(mlir::OpBuilder &builder, mlir::Location loc,
                           const BitRange &range, mlir::FloatType type,
                           bool isMax);

/// What is known of doubles when the largest or the smallest one of them is
/// looked for: processors have no extrema of integers of 64 bits before
/// AVX-512.
struct DoubleRange {
  /// The best one, if none is NaN, but for the sign of a zero.
  mlir::Value best;
  /// A bit each that all doubles have, or that one has: the sign tells which
  /// zero is the best one.
  mlir::Value bits;
  /// NaN if one is NaN, or infinite; else zero.
  mlir::Value special;

  /// As values that a loop carries, and back.
  llvm::SmallVector<mlir::Value> getValues() const {
    return {best, bits, special};
  }
  static DoubleRange get(mlir::ValueRange values) {
    return {values[0], values[1], values[2]};
  }
};

/// What is known of nothing, for each of some lanes.
DoubleRange createDoubleRange(mlir::OpBuilder &builder, mlir::Location loc,
                              int64_t lanes, mlir::Operation *join);

/// The same with one double more, or one for each lane.
DoubleRange extendDoubleRange(mlir::OpBuilder &builder, mlir::Location loc,
                              const DoubleRange &range, mlir::Value floats,
                              mlir::Operation *join);

/// The extremum that `join` finds among the doubles of all lanes, and whether
/// it is known: none of them is NaN or infinite.
std::pair<mlir::Value, mlir::Value> createExtremum(mlir::OpBuilder &builder,
                                                   mlir::Location loc,
                                                   const DoubleRange &lanes,
                                                   mlir::Operation *join);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_EXTREMA_H
