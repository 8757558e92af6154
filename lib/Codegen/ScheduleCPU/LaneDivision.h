//===- LaneDivision.h - Division of integers by vectors ---------*- C++ -*-===//
//
// Processors divide integers one by one, but floats by vectors.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_LANEDIVISION_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_LANEDIVISION_H

#include "mlir/IR/Builders.h"

namespace tally::codegen {

/// Whether `op` divides integers, or tells what is left.
bool isIntegerDivision(mlir::Operation *op);

/// Whether `createLaneDivision` takes `op`.
bool isLaneDivision(mlir::Operation *op);

/// The result of a division in each lane, and whether it is right in all of
/// them.
struct LaneDivision {
  mlir::Value result, isExact;
};

/// Divides vectors as `op` divides numbers. It is right where no divisor is 0,
/// and all lie in -2^51..2^51.
LaneDivision createLaneDivision(mlir::OpBuilder &builder, mlir::Operation *op,
                                mlir::Value dividend, mlir::Value divisor);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_LANEDIVISION_H
