//===- SmallMatrices.h - Factors of small matrices on the CPU ---*- C++ -*-===//
//
// The matrices of a batch are factored side by side: each lane of a vector
// holds the elements of another one; or one after the other, with columns in
// the lanes. Every lane does what the reference
// implementation of LAPACK does, in its order and without fused products, so
// that a matrix has the same factors alone, in any batch and on any processor.
// (QR factors are those of LAPACK up to rounding.)
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_SMALLMATRICES_H
#define TALLY_LIB_RUNTIME_SMALLMATRICES_H

#include "tally/Runtime/tally_runtime.h"

#include <cstddef>
#include <cstdint>

namespace tally::runtime {

/// Matrices with more rows or columns are LAPACK's.
constexpr int64_t kMostRows = 256;
/// Those that are factored and have more rows or columns have columns in the
/// lanes, and so does one alone; equations with more rows have those of a right
/// side.
constexpr int64_t kMostRowsAside = 32, kMostEquationsAside = 64;

/// What all problems of a batch have in common.
struct SmallMatrixTask {
  enum class Kind { LU, SolveLU, Cholesky, SolveTriangular, QR };
  static constexpr int64_t mostOperands = 4;

  /// How the elements of an operand lie. Where there is one column or one row,
  /// strides are those of elements that lie together.
  struct Operand {
    int64_t rows, columns, rowStride, columnStride;
  };

  Kind kind;
  bool isDouble, isTransposed, isUpper, isUnit;
  /// Whether problems are solved one after the other. Only what is factored,
  /// and always for QR.
  bool isAlone;
  /// The operands of a `tally.linear_algebra`, in order.
  Operand operands[mostOperands];
};

/// A problem for each lane.
struct SmallMatrixGroup {
  static constexpr int64_t mostLanes = 16;

  int64_t count;
  /// Where each operand of each problem begins; behind those of `count`
  /// problems, lanes have those of the first one, whose results are not
  /// written again.
  void *data[SmallMatrixTask::mostOperands][mostLanes];
  /// Memory of `getScratchBytes` bytes, aligned to 64.
  void *scratch;
};

/// The functions for a level of processors.
struct SmallMatrixLevel {
  const char *title;
  int64_t vectorBytes;
  size_t (*getScratchBytes)(const SmallMatrixTask &);
  /// Solves at most as many problems as a vector has lanes. Returns false where
  /// a pivot is no row.
  bool (*run)(const SmallMatrixTask &, const SmallMatrixGroup &);
};

extern const SmallMatrixLevel smallMatrixBaseline;
#if defined(__x86_64__)
extern const SmallMatrixLevel smallMatrixV3, smallMatrixV4;
#endif

/// The best level that the processor supports.
const SmallMatrixLevel &getSmallMatrixLevel();

/// Whether there are kernels for such problems.
bool areSmallMatrices(const tally_rt_host_linear_algebra_args &args);

/// Solves the problems of a batch, of `areSmallMatrices`. Fails where a pivot
/// is no row.
int32_t runSmallMatrices(tally_rt_context *ctx,
                         const tally_rt_host_linear_algebra_args &args,
                         const SmallMatrixLevel &level);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_SMALLMATRICES_H
