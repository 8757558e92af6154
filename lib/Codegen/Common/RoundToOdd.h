//===- RoundToOdd.h - Rounding that can be done twice -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_ROUNDTOODD_H
#define TALLY_LIB_CODEGEN_COMMON_ROUNDTOODD_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tally::codegen {

/// Rounds a value to odd, given the float that is nearest to it: one that is
/// inexact and ends in an even bit becomes its other neighbor. Rounding that
/// again, to a narrower format, gives what one rounding of the value would. The
/// method is that of S. Boldo and G. Melquiond, "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd", 2008.
mlir::Value roundToOdd(mlir::ImplicitLocOpBuilder &b, mlir::Value nearest,
                       mlir::Value isInexact, mlir::Value isBelow);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_ROUNDTOODD_H
