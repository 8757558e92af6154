//===- NarrowIndices.h - Indices that fit 32 bits ---------------*- C++ -*-===//
//
// A GPU has no instructions for integers of 64 bits: a product takes four, a
// comparison with its choice four. Indices of which the host knows that they
// are less than 2^31 are computed with 32 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_NARROWINDICES_H
#define TALLY_LIB_CODEGEN_KERNELS_NARROWINDICES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <utility>

namespace tally::codegen {

/// Indices and distances are less than this where they are narrow.
inline constexpr int64_t kMaxNarrow = int64_t(1) << 31;

/// Emits an operation on indices, with 32 bits if operands and result are
/// `narrow`. Flags are those of an operation of 64 bits.
template <typename Op, typename... Flags>
mlir::Value createOnIndices(mlir::OpBuilder &builder, mlir::Location loc,
                            bool isNarrow, mlir::Value a, mlir::Value b,
                            Flags... flags) {
  if (!isNarrow)
    return builder.createOrFold<Op>(loc, a, b, flags...);
  auto cast = [&](mlir::Type type, mlir::Value value) {
    return builder.createOrFold<mlir::arith::IndexCastUIOp>(loc, type, value);
  };
  mlir::Type narrow = builder.getI32Type();
  mlir::Value result =
      builder.createOrFold<Op>(loc, cast(narrow, a), cast(narrow, b));
  return cast(builder.getIndexType(), result);
}

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_NARROWINDICES_H
