//===- Pools.h - Pools and their gradients ----------------------*- C++ -*-===//
//
// The part that a pool and its gradient have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_POOLS_H
#define TALLY_LIB_IMPORT_ATEN_POOLS_H

#include "Windows.h"

namespace tally::import_pt2 {

/// The windows of a pool over the last dimensions.
struct Pool {
  llvm::SmallVector<int64_t> kernel;
  Windows windows;
  /// How many windows there are along each dimension.
  Sizes counts;
  /// The elements that the last window may reach beyond the padding.
  llvm::SmallVector<int64_t> beyond;
};

/// Reads the parameters of a pool.
Pool getPool(Lowering &op, const Tensor &in, int64_t spatial);

/// The sum of each window of a tensor that is padded.
Tensor sumWindows(Lowering &op, const Tensor &in, const Pool &pool,
                  Dtype dtype);

/// How many elements each window has: those of the input, and its padding if
/// that counts, but never what is beyond.
Operand countElements(Lowering &op, const Tensor &in, const Pool &pool,
                      Dtype dtype);

/// Which elements of a dimension, now the one behind `dim`, are in which of
/// `count` parts, which overlap where the size is no multiple: part i goes from
/// i * n / count, rounded down, to (i + 1) * n / count, rounded up. The other
/// dimensions have one element.
Tensor findParts(Lowering &op, int64_t rank, int64_t dim, Expr size,
                 Expr count);

/// Calls `fn` with a tensor of which the dimensions in front of one are one,
/// and so are those behind it if there are any: the second dimension is that
/// one. Loops over few elements are slow.
Tensor mapAlong(Lowering &op, const Tensor &in, int64_t dim,
                llvm::function_ref<Tensor(const Tensor &)> fn);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_POOLS_H
