//===- LinearAlgebra.cpp - Factors of matrices by LAPACK ------------------===//
//
// What there is no kernel for (SmallMatrices.h) is LAPACK's. LAPACK is opened
// when it is first needed: a compiled library runs without it as long as it
// calls nothing here. Its functions have matrices column by column, with 32-bit
// sizes; what they work on is a copy.
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebraComplex.h"
#include "MatrixFunctions.h"
#include "SmallMatrices.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

namespace {

/// The functions for a type of floats. Behind the arguments come the lengths of
/// strings, as Fortran passes them.
template <typename T>
struct Lapack {
  using Int = const int *;
  using Text = const char *;
  void (*getrf)(Int m, Int n, T *a, Int lda, int *pivots, int *info);
  void (*getrs)(Text trans, Int n, Int columns, const T *a, Int lda, Int pivots,
                T *b, Int ldb, int *info, size_t);
  void (*potrf)(Text uplo, Int n, T *a, Int lda, int *info, size_t);
  void (*geqrf)(Int m, Int n, T *a, Int lda, T *tau, T *work, Int lwork,
                int *info);
  void (*orgqr)(Int m, Int n, Int k, T *a, Int lda, const T *tau, T *work,
                Int lwork, int *info);
  void (*syevd)(Text jobz, Text uplo, Int n, T *a, Int lda, T *values, T *work,
                Int lwork, int *iwork, Int liwork, int *info, size_t, size_t);
  void (*gesdd)(Text jobz, Int m, Int n, T *a, Int lda, T *s, T *u, Int ldu,
                T *vt, Int ldvt, T *work, Int lwork, int *iwork, int *info,
                size_t);
  void (*trsm)(Text side, Text uplo, Text trans, Text diag, Int m, Int n,
               const T *alpha, const T *a, Int lda, T *b, Int ldb, size_t,
               size_t, size_t, size_t);

  bool load(std::string &why);
};

} // namespace

template <typename T>
bool Lapack<T>::load(std::string &why) {
  DynamicLibrary library("the library of LAPACK");
  if (!openLapack(library, why))
    return false;
  auto resolve = [&](auto &member, const char *name) {
    return library.find(
        member, (sizeof(T) == 4 ? "s" : "d") + std::string(name) + "_", why);
  };
  return resolve(getrf, "getrf") && resolve(getrs, "getrs") &&
         resolve(potrf, "potrf") && resolve(geqrf, "geqrf") &&
         resolve(orgqr, "orgqr") && resolve(syevd, "syevd") &&
         resolve(gesdd, "gesdd") && resolve(trsm, "trsm");
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static int32_t fail(tally_rt_context *ctx, tally_rt_status status,
                    std::string message) {
  ErrorRecord record;
  record.status = status;
  record.userMessage = std::move(message);
  ctx->fail(std::move(record));
  return status;
}

namespace {

/// More rows or columns, and the memory that LAPACK works in is not counted in
/// 32 bits.
constexpr int64_t kMostRows = 32766;

/// The problems of a batch.
template <typename T>
class LinearAlgebra {
public:
  LinearAlgebra(const tally_rt_host_linear_algebra_args &args,
                const Lapack<T> &lapack)
      : args(args), lapack(lapack), kind(args.kind & 15),
        rows(int(args.matrices[0].rows)),
        columns(int(args.matrices[0].columns)), lesser(std::min(rows, columns)),
        larger(std::max(rows, columns)) {}

  int32_t run(tally_rt_context *ctx);

private:
  /// One problem, and memory for its copies.
  class Problem;

  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *closure);
  bool hasVectors() const { return args.num_matrices > 2; }
  bool hasFlag(int64_t flag) const { return args.kind & flag; }
  /// Asks LAPACK how much memory it works in.
  void findWork();

  const tally_rt_host_linear_algebra_args &args;
  const Lapack<T> &lapack;
  int64_t kind;
  int rows, columns, lesser, larger;
  int work = 1, integers = 1;
};

template <typename T>
class LinearAlgebra<T>::Problem {
public:
  Problem(const LinearAlgebra &all, tally_rt_context *ctx)
      : all(all), lapack(all.lapack), ctx(ctx), rows(all.rows),
        columns(all.columns), lesser(all.lesser),
        leading(std::max(all.rows, 1)) {}
  ~Problem() {
    if (memory)
      ctx->release(memory);
  }

  bool allocate();
  void select(int64_t problem);
  int32_t solve();

private:
  using Matrix = tally_rt_host_matrix;

  const Matrix &matrix(int64_t i) const { return all.args.matrices[i]; }
  /// Copies an operand to its memory, column by column.
  void read(int64_t i);
  /// Copies what is in memory to an operand, `step` from column to column.
  template <typename Element>
  void write(int64_t i, const Element *from, int64_t step);
  template <typename Element>
  Element *getData(int64_t i) const {
    return static_cast<Element *>(matrix(i).data) + offsets[i];
  }
  int getRows(int64_t i) const { return int(matrix(i).rows); }
  int getColumns(int64_t i) const { return int(matrix(i).columns); }

  int32_t factorLU();
  int32_t solveLU();
  int32_t factorCholesky();
  int32_t factorQR();
  int32_t findEigenvalues();
  int32_t findSingularValues();
  int32_t solveTriangular();

  const LinearAlgebra &all;
  const Lapack<T> &lapack;
  tally_rt_context *ctx;
  int rows, columns, lesser, leading, info = 0;
  static constexpr int64_t kMostOperands = 4;
  int64_t offsets[kMostOperands] = {};
  void *memory = nullptr;
  T *copies[kMostOperands] = {}, *vector = nullptr, *work = nullptr;
  int *integers = nullptr;
};

} // namespace

template <typename T>
bool LinearAlgebra<T>::Problem::allocate() {
  int64_t sizes[kMostOperands], floats = lesser + all.work;
  for (int64_t i = 0; i < all.args.num_matrices; ++i) {
    sizes[i] = int64_t(getRows(i)) * getColumns(i);
    // All columns of Q may take the place of the factored matrix.
    if (i == 0 && all.kind == TALLY_RT_QR)
      sizes[i] = int64_t(rows) * std::max(rows, columns);
    floats += sizes[i];
  }
  int64_t count = std::max(all.larger, all.integers);
  memory = ctx->allocateOnHost(
      floats * int64_t(sizeof(T)) + count * int64_t(sizeof(int)), 64);
  if (!memory)
    return false;
  T *next = static_cast<T *>(memory);
  for (int64_t i = 0; i < all.args.num_matrices; ++i) {
    copies[i] = next;
    next += sizes[i];
  }
  vector = next;
  work = next + lesser;
  integers = reinterpret_cast<int *>(work + all.work);
  return true;
}

template <typename T>
void LinearAlgebra<T>::Problem::select(int64_t problem) {
  int64_t rank = all.args.batch_rank;
  const int64_t *sizes = all.args.batch, *strides = sizes + rank;
  for (int64_t &offset : offsets)
    offset = 0;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    int64_t index = problem % sizes[dim];
    problem /= sizes[dim];
    for (int64_t i = 0; i < all.args.num_matrices; ++i)
      offsets[i] += index * strides[i * rank + dim];
  }
}

template <typename T>
void LinearAlgebra<T>::Problem::read(int64_t i) {
  const Matrix &from = matrix(i);
  const T *data = getData<T>(i);
  for (int64_t column = 0; column < from.columns; ++column)
    for (int64_t row = 0; row < from.rows; ++row)
      copies[i][column * from.rows + row] =
          data[row * from.row_stride + column * from.column_stride];
}

template <typename T>
template <typename Element>
void LinearAlgebra<T>::Problem::write(int64_t i, const Element *from,
                                      int64_t step) {
  const Matrix &to = matrix(i);
  auto *data = getData<Element>(i);
  for (int64_t row = 0; row < to.rows; ++row)
    for (int64_t column = 0; column < to.columns; ++column)
      data[row * to.row_stride + column * to.column_stride] =
          from[column * step + row];
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::factorLU() {
  read(0);
  lapack.getrf(&rows, &columns, copies[0], &leading, integers, &info);
  write(1, copies[0], rows);
  write(2, integers, lesser);
  write(3, &info, 1);
  return TALLY_RT_OK;
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::solveLU() {
  read(0);
  read(2);
  const auto *pivots = getData<int32_t>(1);
  for (int row = 0; row < rows; ++row) {
    integers[row] = pivots[row * matrix(1).row_stride];
    // Others are rows of somebody else's memory.
    if (integers[row] < 1 || integers[row] > rows)
      return fail(ctx, TALLY_RT_CHECK_FAILED, kWrongPivot);
  }
  int count = getColumns(2);
  lapack.getrs(all.hasFlag(TALLY_RT_TRANSPOSED) ? "T" : "N", &rows, &count,
               copies[0], &leading, integers, copies[2], &leading, &info, 1);
  write(3, copies[2], rows);
  return TALLY_RT_OK;
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::factorCholesky() {
  read(0);
  lapack.potrf("L", &rows, copies[0], &leading, &info, 1);
  for (int64_t column = 1; column < columns; ++column)
    std::fill_n(copies[0] + column * rows, column, T(0));
  write(1, copies[0], rows);
  write(2, &info, 1);
  return TALLY_RT_OK;
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::factorQR() {
  read(0);
  lapack.geqrf(&rows, &columns, copies[0], &leading, vector, work, &all.work,
               &info);
  int64_t height = getRows(2);
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < height; ++row)
      copies[2][column * height + row] =
          row <= column ? copies[0][column * rows + row] : T(0);
  write(2, copies[2], height);
  int width = getColumns(1);
  lapack.orgqr(&rows, &width, &lesser, copies[0], &leading, vector, work,
               &all.work, &info);
  write(1, copies[0], rows);
  return TALLY_RT_OK;
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::findEigenvalues() {
  read(0);
  lapack.syevd(all.hasVectors() ? "V" : "N", "L", &rows, copies[0], &leading,
               copies[1], work, &all.work, integers, &all.integers, &info, 1,
               1);
  if (info != 0)
    return fail(ctx, TALLY_RT_CHECK_FAILED,
                "linalg.eigh: The algorithm failed to converge because the "
                "input matrix is ill-conditioned or has too many repeated "
                "eigenvalues (error code: " +
                    std::to_string(info) + ").");
  write(1, copies[1], rows);
  if (all.hasVectors())
    write(2, copies[0], rows);
  return TALLY_RT_OK;
}

/// Sets the first `size` columns to those of the identity.
template <typename T>
static void setIdentity(T *data, int64_t size) {
  std::fill_n(data, size * size, T(0));
  for (int64_t i = 0; i < size; ++i)
    data[i * size + i] = T(1);
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::findSingularValues() {
  read(0);
  // Columns of U and rows of V^T.
  int width = all.hasVectors() ? getColumns(2) : 0;
  int height = all.hasVectors() ? getRows(3) : 0, step = std::max(height, 1);
  if (lesser == 0 && all.hasVectors()) {
    if (width == rows)
      setIdentity(copies[2], rows);
    if (height == columns)
      setIdentity(copies[3], columns);
  } else if (lesser > 0) {
    const char *job = !all.hasVectors()                    ? "N"
                      : width == rows && height == columns ? "A"
                                                           : "S";
    lapack.gesdd(job, &rows, &columns, copies[0], &leading, copies[1],
                 copies[2], &leading, copies[3], &step, work, &all.work,
                 integers, &info, 1);
  }
  std::string matrix = "contained non-finite values.";
  if (info > 0)
    matrix = "is ill-conditioned or has too many repeated singular values "
             "(error code: " +
             std::to_string(info) + ").";
  if (info != 0)
    return fail(ctx, TALLY_RT_CHECK_FAILED,
                "linalg.svd: The algorithm failed to converge because the "
                "input matrix " +
                    matrix);
  write(1, copies[1], lesser);
  if (all.hasVectors()) {
    write(2, copies[2], rows);
    write(3, copies[3], height);
  }
  return TALLY_RT_OK;
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::solveTriangular() {
  read(0);
  read(1);
  int count = getColumns(1);
  T one = 1;
  lapack.trsm("L", all.hasFlag(TALLY_RT_UPPER) ? "U" : "L", "N",
              all.hasFlag(TALLY_RT_UNIT) ? "U" : "N", &rows, &count, &one,
              copies[0], &leading, copies[1], &leading, 1, 1, 1, 1);
  write(2, copies[1], rows);
  return TALLY_RT_OK;
}

template <typename T>
int32_t LinearAlgebra<T>::Problem::solve() {
  switch (all.kind) {
  case TALLY_RT_LU:
    return factorLU();
  case TALLY_RT_SOLVE_LU:
    return solveLU();
  case TALLY_RT_CHOLESKY:
    return factorCholesky();
  case TALLY_RT_QR:
    return factorQR();
  case TALLY_RT_EIGH:
    return findEigenvalues();
  case TALLY_RT_SVD:
    return findSingularValues();
  default:
    return solveTriangular();
  }
}

template <typename T>
void LinearAlgebra<T>::findWork() {
  int ask = -1, info = 0, leading = std::max(rows, 1);
  T wanted[2] = {1, 1};
  auto take = [&] {
    // A float may be less than the integer that it stands for.
    double most = double(wanted[0]) * (1 + std::numeric_limits<T>::epsilon());
    work = std::max(work, int(std::min(std::ceil(most), 2147483647.0)));
  };
  auto columnsOf = [&](int64_t i) { return int(args.matrices[i].columns); };
  if (kind == TALLY_RT_QR) {
    int width = columnsOf(1);
    lapack.geqrf(&rows, &columns, nullptr, &leading, nullptr, wanted, &ask,
                 &info);
    take();
    lapack.orgqr(&rows, &width, &lesser, nullptr, &leading, nullptr, wanted,
                 &ask, &info);
    take();
  } else if (kind == TALLY_RT_EIGH) {
    lapack.syevd(hasVectors() ? "V" : "N", "L", &rows, nullptr, &leading,
                 nullptr, wanted, &ask, &integers, &ask, &info, 1, 1);
    take();
  } else if (kind == TALLY_RT_SVD) {
    int height = hasVectors() ? std::max(int(args.matrices[3].rows), 1) : 1;
    const char *job = !hasVectors()                               ? "N"
                      : columnsOf(2) == rows && height == columns ? "A"
                                                                  : "S";
    lapack.gesdd(job, &rows, &columns, nullptr, &leading, nullptr, nullptr,
                 &leading, nullptr, &height, wanted, &ask, &integers, &info, 1);
    take();
    integers = 8 * lesser;
  }
}

template <typename T>
int32_t LinearAlgebra<T>::runChunk(tally_rt_context *ctx, int64_t begin,
                                   int64_t end, void *closure) {
  Problem problem(*static_cast<const LinearAlgebra *>(closure), ctx);
  if (!problem.allocate())
    return TALLY_RT_OUT_OF_MEMORY;
  int32_t status = TALLY_RT_OK;
  for (int64_t i = begin; i < end && status == TALLY_RT_OK; ++i) {
    problem.select(i);
    status = problem.solve();
  }
  return status;
}

template <typename T>
int32_t LinearAlgebra<T>::run(tally_rt_context *ctx) {
  int64_t count = 1;
  for (int64_t dim = 0; dim < args.batch_rank; ++dim)
    count *= args.batch[dim];
  if (count == 0)
    return TALLY_RT_OK;
  for (int64_t i = 0; i < args.num_matrices; ++i)
    if (std::max(args.matrices[i].rows, args.matrices[i].columns) > kMostRows)
      return fail(ctx, TALLY_RT_INVALID_ARGUMENT,
                  "linear algebra of matrices of more than " +
                      std::to_string(kMostRows) + " rows or columns");
  findWork();
  double steps = double(rows) * columns * larger + 1;
  auto grain = int64_t(std::max(1.0, 20000 / steps));
  return tally_rt_parallel_for(ctx, 0, count, grain, runChunk, this);
}

//===----------------------------------------------------------------------===//
// Function of the C interface
//===----------------------------------------------------------------------===//

template <typename T>
static int32_t run(tally_rt_context *ctx,
                   const tally_rt_host_linear_algebra_args &args) {
  std::string why;
  const auto *lapack = getFunctions<Lapack<T>>(why);
  if (!lapack)
    return fail(ctx, TALLY_RT_DEVICE_ERROR, why);
  return LinearAlgebra<T>(args, *lapack).run(ctx);
}

int32_t
tally_rt_host_linear_algebra(tally_rt_context *ctx,
                             const tally_rt_host_linear_algebra_args *args) {
  bool isComplex = args->dtype == TALLY_RT_DATA_TYPE(kDLComplex, 64) ||
                   args->dtype == TALLY_RT_DATA_TYPE(kDLComplex, 128);
  bool isDouble = args->dtype == TALLY_RT_DATA_TYPE(kDLFloat, 64);
  if (!isComplex && !isDouble &&
      args->dtype != TALLY_RT_DATA_TYPE(kDLFloat, 32))
    return fail(ctx, TALLY_RT_INVALID_ARGUMENT,
                "linear algebra of a type that LAPACK does not know");
  if ((args->kind & 15) >= TALLY_RT_GEQRF)
    return runMatrixFunction(ctx, *args);
  if (isComplex)
    return runComplexLinearAlgebra(ctx, *args);
  if (areSmallMatrices(*args))
    return runSmallMatrices(ctx, *args, getSmallMatrixLevel());
  return isDouble ? run<double>(ctx, *args) : run<float>(ctx, *args);
}
