//===- MatrixProblem.h - Problems of a batch of matrices --------*- C++ -*-===//
//
// What the functions of linear algebra have in common: LAPACK works on copies
// of matrices, column by column, with 32-bit sizes. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_MATRIXPROBLEM_H
#define TALLY_LIB_RUNTIME_MATRIXPROBLEM_H

#include "Context.h"
#include "DynamicLibrary.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tally::runtime {

/// The type of a number's parts.
template <typename E>
struct RealOf {
  using Type = E;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename E>
constexpr bool isComplexNumber = !std::is_same_v<typename RealOf<E>::Type, E>;

/// What is said of wrong pivots.
constexpr const char *kWrongPivot =
    "linear algebra: a pivot is no row of the matrix";

/// Opens the library of LAPACK. Returns false after saying why it could not.
bool openLapack(DynamicLibrary &library, std::string &why);

/// Looks up functions for a type of numbers.
template <typename E>
class LapackNames {
public:
  LapackNames(const DynamicLibrary &library, std::string &why)
      : library(library), why(why) {}

  template <typename Function>
  bool operator()(Function *&function, const char *name) const {
    constexpr bool isSingle = sizeof(typename RealOf<E>::Type) == 4;
    const char *letter =
        isComplexNumber<E> ? (isSingle ? "c" : "z") : (isSingle ? "s" : "d");
    return library.find(function, letter + std::string(name) + "_", why);
  }

private:
  const DynamicLibrary &library;
  std::string &why;
};

/// One problem of a batch, and memory for copies of its matrices.
class MatrixProblem {
public:
  using Args = tally_rt_host_linear_algebra_args;

  MatrixProblem(tally_rt_context *ctx, const Args &args);
  ~MatrixProblem();
  MatrixProblem(const MatrixProblem &) = delete;
  MatrixProblem &operator=(const MatrixProblem &) = delete;

  /// Makes this the problem at a place of the batch.
  void select(int64_t problem);
  bool hasMemory() const { return !isOutOfMemory; }

protected:
  int rows(int64_t i) const { return int(args.matrices[i].rows); }
  int columns(int64_t i) const { return int(args.matrices[i].columns); }
  /// The step from column to column that LAPACK wants of a copy.
  int leading(int64_t i) const { return std::max(rows(i), 1); }
  int64_t getCount(int64_t i) const {
    return args.matrices[i].rows * args.matrices[i].columns;
  }
  bool hasFlag(int64_t flag) const { return (args.kind & flag) != 0; }
  /// The kind without flags.
  int64_t getKind() const { return args.kind & 15; }

  /// Memory as long as the problem lives. Where there is none, hasMemory turns
  /// false.
  template <typename E>
  E *allocate(int64_t count) {
    return static_cast<E *>(allocateBytes(count * int64_t(sizeof(E))));
  }
  /// As many numbers as a function of LAPACK has asked for.
  template <typename E>
  E *allocateWork(E wanted, int &count) {
    double most =
        double(std::real(wanted)) *
        (1 + std::numeric_limits<typename RealOf<E>::Type>::epsilon());
    count = int(std::clamp(std::ceil(most), 1.0, 2147483647.0));
    return allocate<E>(count);
  }

  /// Copies an operand, column by column.
  template <typename E>
  void read(int64_t i, E *to) const;
  /// Copies to an operand, `step` from column to column.
  template <typename E>
  void write(int64_t i, const E *from, int64_t step) const;

  int32_t fail(tally_rt_status status, std::string message) const;
  /// Reports a pivot that is a row of somebody else's memory.
  int32_t failForPivot() const;
  /// Reports that an algorithm did not converge.
  int32_t failToConverge(const char *name, int info) const;

  const Args &args;

private:
  void *allocateBytes(int64_t count);
  int64_t getPartStride(int64_t i) const {
    return args.batch[args.batch_rank * (args.num_matrices + 1) + i];
  }

  tally_rt_context *ctx;
  static constexpr int64_t kMostOperands = 4;
  int64_t offsets[kMostOperands] = {};
  std::vector<void *> blocks;
  bool isOutOfMemory = false;
};

template <typename E>
void MatrixProblem::read(int64_t i, E *to) const {
  using T = typename RealOf<E>::Type;
  const tally_rt_host_matrix &from = args.matrices[i];
  const T *data = static_cast<const T *>(from.data) + offsets[i];
  for (int64_t column = 0; column < from.columns; ++column)
    for (int64_t row = 0; row < from.rows; ++row) {
      const T *element =
          data + row * from.row_stride + column * from.column_stride;
      if constexpr (isComplexNumber<E>)
        *to++ = E(element[0], element[getPartStride(i)]);
      else
        *to++ = *element;
    }
}

template <typename E>
void MatrixProblem::write(int64_t i, const E *from, int64_t step) const {
  using T = typename RealOf<E>::Type;
  const tally_rt_host_matrix &to = args.matrices[i];
  T *data = static_cast<T *>(to.data) + offsets[i];
  for (int64_t row = 0; row < to.rows; ++row)
    for (int64_t column = 0; column < to.columns; ++column) {
      T *element = data + row * to.row_stride + column * to.column_stride;
      const E &number = from[column * step + row];
      if constexpr (isComplexNumber<E>) {
        element[0] = number.real();
        element[getPartStride(i)] = number.imag();
      } else {
        *element = number;
      }
    }
}

/// Reports an error of a call; returns its status.
int32_t failCall(tally_rt_context *ctx, tally_rt_status status,
                 std::string message);

/// Reports functions that cannot be looked up.
template <typename Functions>
int32_t requireFunctions(tally_rt_context *ctx) {
  std::string why;
  if (getFunctions<Functions>(why))
    return TALLY_RT_OK;
  return failCall(ctx, TALLY_RT_DEVICE_ERROR, why);
}

/// Functions that have been required.
template <typename Functions>
const Functions &getRequired() {
  std::string why;
  return *getFunctions<Functions>(why);
}

/// Refuses matrices that LAPACK cannot count in 32 bits.
int32_t checkMatrixSizes(tally_rt_context *ctx,
                         const MatrixProblem::Args &args);
/// How many problems there are, and how many of them one thread should take.
int64_t countProblems(const MatrixProblem::Args &args);
int64_t getProblemGrain(const MatrixProblem::Args &args);

/// Solves all problems of a batch. A problem allocates memory when it is made;
/// its member solve() returns a status.
template <typename Problem>
int32_t solveProblems(tally_rt_context *ctx, const MatrixProblem::Args &args) {
  int64_t count = countProblems(args);
  if (count == 0)
    return TALLY_RT_OK;
  if (int32_t status = checkMatrixSizes(ctx, args); status != TALLY_RT_OK)
    return status;
  auto run = [](tally_rt_context *chunk, int64_t begin, int64_t end,
                void *closure) -> int32_t {
    Problem problem(chunk, *static_cast<const MatrixProblem::Args *>(closure));
    int32_t status = problem.hasMemory() ? TALLY_RT_OK : TALLY_RT_OUT_OF_MEMORY;
    for (int64_t i = begin; i < end && status == TALLY_RT_OK; ++i) {
      problem.select(i);
      status = problem.solve();
    }
    return status;
  };
  return tally_rt_parallel_for(ctx, 0, count, getProblemGrain(args), run,
                               const_cast<MatrixProblem::Args *>(&args));
}

/// Solves all problems of a batch by functions that are looked up first.
template <template <typename> class Problem, typename E>
int32_t runWithFunctions(tally_rt_context *ctx,
                         const MatrixProblem::Args &args) {
  if (int32_t status = requireFunctions<typename Problem<E>::Functions>(ctx))
    return status;
  return solveProblems<Problem<E>>(ctx, args);
}

/// The same with a type for the numbers of a call.
template <template <typename> class Problem>
int32_t runOfType(tally_rt_context *ctx, const MatrixProblem::Args &args) {
  switch (args.dtype) {
  case TALLY_RT_DATA_TYPE(kDLFloat, 32):
    return runWithFunctions<Problem, float>(ctx, args);
  case TALLY_RT_DATA_TYPE(kDLFloat, 64):
    return runWithFunctions<Problem, double>(ctx, args);
  case TALLY_RT_DATA_TYPE(kDLComplex, 64):
    return runWithFunctions<Problem, std::complex<float>>(ctx, args);
  default:
    return runWithFunctions<Problem, std::complex<double>>(ctx, args);
  }
}

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_MATRIXPROBLEM_H
