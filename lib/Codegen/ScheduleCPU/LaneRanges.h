//===- LaneRanges.h - Functions that are short in a range -------*- C++ -*-===//
//
// Few vectors have a large angle, or a quotient of 2^29; a function is shorter
// where no lane has one.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_LANERANGES_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_LANERANGES_H

#include "mlir/IR/Builders.h"

namespace tally::codegen {

/// Whether `createByRange` takes `op`: a sine, a cosine, a tangent or a
/// remainder of f32 or f64.
bool hasFastRange(mlir::Operation *op);

/// Computes `op` for vectors: shortly, if all lanes are in its range, else as
/// `op` does. Both give the same results.
mlir::Value createByRange(mlir::OpBuilder &builder, mlir::Operation *op,
                          mlir::ValueRange operands);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_LANERANGES_H
