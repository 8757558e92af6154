//===- LinearAlgebraComplex.cpp - Factors of complex matrices by LAPACK ---===//
//
// The kinds that LinearAlgebra.cpp has for matrices of real numbers.
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebraComplex.h"

using namespace tally::runtime;

namespace {

/// The functions for complex numbers of parts of type T. Behind the arguments
/// come the lengths of strings, as Fortran passes them.
template <typename T>
struct ComplexLapack {
  using Number = std::complex<T>;
  using Int = const int *;
  using Text = const char *;
  void (*getrf)(Int m, Int n, Number *a, Int lda, int *pivots, int *info);
  void (*getrs)(Text trans, Int n, Int columns, const Number *a, Int lda,
                Int pivots, Number *b, Int ldb, int *info, size_t);
  void (*potrf)(Text uplo, Int n, Number *a, Int lda, int *info, size_t);
  void (*geqrf)(Int m, Int n, Number *a, Int lda, Number *tau, Number *work,
                Int lwork, int *info);
  void (*ungqr)(Int m, Int n, Int k, Number *a, Int lda, const Number *tau,
                Number *work, Int lwork, int *info);
  void (*heevd)(Text jobz, Text uplo, Int n, Number *a, Int lda, T *values,
                Number *work, Int lwork, T *rwork, Int lrwork, int *iwork,
                Int liwork, int *info, size_t, size_t);
  void (*gesdd)(Text jobz, Int m, Int n, Number *a, Int lda, T *s, Number *u,
                Int ldu, Number *vt, Int ldvt, Number *work, Int lwork,
                T *rwork, int *iwork, int *info, size_t);
  void (*trsm)(Text side, Text uplo, Text trans, Text diag, Int m, Int n,
               const Number *alpha, const Number *a, Int lda, Number *b,
               Int ldb, size_t, size_t, size_t, size_t);

  bool load(std::string &why) {
    DynamicLibrary library("the library of LAPACK");
    if (!openLapack(library, why))
      return false;
    LapackNames<Number> find(library, why);
    return find(getrf, "getrf") && find(getrs, "getrs") &&
           find(potrf, "potrf") && find(geqrf, "geqrf") &&
           find(ungqr, "ungqr") && find(heevd, "heevd") &&
           find(gesdd, "gesdd") && find(trsm, "trsm");
  }
};

/// One problem, whose operands are copied to memory of their own.
template <typename T>
class ComplexProblem : public MatrixProblem {
public:
  ComplexProblem(tally_rt_context *ctx, const Args &args);

  int32_t solve();

private:
  using Number = std::complex<T>;

  bool hasVectors() const { return args.num_matrices > 2; }
  void allocateQR();
  void allocateEigh();
  void allocateSVD();
  /// Which singular vectors gesdd computes.
  const char *getJob() const;

  int32_t factorLU();
  int32_t solveLU();
  int32_t factorCholesky();
  int32_t factorQR();
  int32_t findEigenvalues();
  int32_t findSingularValues();
  int32_t solveTriangular();

  const ComplexLapack<T> &lapack = getRequired<ComplexLapack<T>>();
  int m = rows(0), n = columns(0), lesser = std::min(m, n), info = 0;
  Number *a = nullptr, *b = nullptr, *c = nullptr;
  Number *tau = nullptr, *work = nullptr;
  T *values = nullptr, *floats = nullptr;
  int *integers = nullptr;
  int workCount = 1, floatCount = 1, integerCount = 1;
};

} // namespace

template <typename T>
ComplexProblem<T>::ComplexProblem(tally_rt_context *ctx, const Args &args)
    : MatrixProblem(ctx, args) {
  // All columns of Q may take the place of the factored matrix.
  a = allocate<Number>(int64_t(m) * std::max(m, n));
  switch (getKind()) {
  case TALLY_RT_LU:
    integers = allocate<int>(lesser);
    break;
  case TALLY_RT_SOLVE_LU:
    integers = allocate<int>(n);
    b = allocate<Number>(getCount(2));
    break;
  case TALLY_RT_QR:
    allocateQR();
    break;
  case TALLY_RT_EIGH:
    allocateEigh();
    break;
  case TALLY_RT_SVD:
    allocateSVD();
    break;
  case TALLY_RT_SOLVE_TRIANGULAR:
    b = allocate<Number>(getCount(1));
    break;
  default:
    break;
  }
}

template <typename T>
void ComplexProblem<T>::allocateQR() {
  int ask = -1, width = columns(1), ld = leading(0);
  Number wanted[2] = {1, 1};
  lapack.geqrf(&m, &n, nullptr, &ld, nullptr, &wanted[0], &ask, &info);
  lapack.ungqr(&m, &width, &lesser, nullptr, &ld, nullptr, &wanted[1], &ask,
               &info);
  Number most = std::max(wanted[0].real(), wanted[1].real());
  work = allocateWork(most, workCount);
  tau = allocate<Number>(lesser);
  b = allocate<Number>(getCount(2));
}

template <typename T>
void ComplexProblem<T>::allocateEigh() {
  int ask = -1, ld = leading(0);
  Number wanted = 1;
  T wantedFloats = 1;
  lapack.heevd(hasVectors() ? "V" : "N", "L", &n, nullptr, &ld, nullptr,
               &wanted, &ask, &wantedFloats, &ask, &integerCount, &ask, &info,
               1, 1);
  work = allocateWork(wanted, workCount);
  floats = allocateWork(wantedFloats, floatCount);
  integerCount = std::max(integerCount, 1);
  integers = allocate<int>(integerCount);
  values = allocate<T>(n);
}

template <typename T>
const char *ComplexProblem<T>::getJob() const {
  if (!hasVectors())
    return "N";
  return columns(2) == m && rows(3) == n ? "A" : "S";
}

template <typename T>
void ComplexProblem<T>::allocateSVD() {
  values = allocate<T>(lesser);
  integers = allocate<int>(int64_t(8) * lesser);
  int64_t larger = std::max(m, n), least = lesser;
  floats = allocate<T>(
      std::max(least * (5 * least + 7), least * (2 * larger + 2 * least + 1)));
  int ask = -1, ld = leading(0), ldvt = 1;
  if (hasVectors()) {
    b = allocate<Number>(getCount(2));
    c = allocate<Number>(getCount(3));
    ldvt = leading(3);
  }
  Number wanted = 1;
  if (lesser > 0)
    lapack.gesdd(getJob(), &m, &n, nullptr, &ld, nullptr, nullptr, &ld, nullptr,
                 &ldvt, &wanted, &ask, nullptr, nullptr, &info, 1);
  work = allocateWork(wanted, workCount);
}

template <typename T>
int32_t ComplexProblem<T>::factorLU() {
  int ld = leading(0);
  read(0, a);
  lapack.getrf(&m, &n, a, &ld, integers, &info);
  write(1, a, m);
  write(2, integers, lesser);
  write(3, &info, 1);
  return TALLY_RT_OK;
}

template <typename T>
int32_t ComplexProblem<T>::solveLU() {
  int ld = leading(0), count = columns(2);
  read(0, a);
  read(1, integers);
  read(2, b);
  // Others are rows of somebody else's memory.
  if (std::any_of(integers, integers + n,
                  [this](int pivot) { return pivot < 1 || pivot > n; }))
    return failForPivot();
  lapack.getrs(hasFlag(TALLY_RT_TRANSPOSED) ? "T" : "N", &n, &count, a, &ld,
               integers, b, &ld, &info, 1);
  write(3, b, n);
  return TALLY_RT_OK;
}

template <typename T>
int32_t ComplexProblem<T>::factorCholesky() {
  int ld = leading(0);
  read(0, a);
  lapack.potrf("L", &n, a, &ld, &info, 1);
  for (int64_t column = 1; column < n; ++column)
    std::fill_n(a + column * n, column, Number(0));
  write(1, a, n);
  write(2, &info, 1);
  return TALLY_RT_OK;
}

template <typename T>
int32_t ComplexProblem<T>::factorQR() {
  int ld = leading(0), width = columns(1);
  read(0, a);
  lapack.geqrf(&m, &n, a, &ld, tau, work, &workCount, &info);
  int64_t height = rows(2);
  for (int64_t column = 0; column < n; ++column)
    for (int64_t row = 0; row < height; ++row)
      b[column * height + row] =
          row <= column ? a[column * m + row] : Number(0);
  write(2, b, height);
  lapack.ungqr(&m, &width, &lesser, a, &ld, tau, work, &workCount, &info);
  write(1, a, m);
  return TALLY_RT_OK;
}

template <typename T>
int32_t ComplexProblem<T>::findEigenvalues() {
  int ld = leading(0);
  read(0, a);
  lapack.heevd(hasVectors() ? "V" : "N", "L", &n, a, &ld, values, work,
               &workCount, floats, &floatCount, integers, &integerCount, &info,
               1, 1);
  if (info != 0)
    return failToConverge("linalg.eigh", info);
  write(1, values, n);
  if (hasVectors())
    write(2, a, n);
  return TALLY_RT_OK;
}

/// Sets the first `size` columns to those of the identity.
template <typename E>
static void setIdentity(E *data, int64_t size) {
  std::fill_n(data, size * size, E(0));
  for (int64_t i = 0; i < size; ++i)
    data[i * size + i] = E(1);
}

template <typename T>
int32_t ComplexProblem<T>::findSingularValues() {
  int ld = leading(0), ldvt = hasVectors() ? leading(3) : 1;
  read(0, a);
  if (lesser == 0 && hasVectors()) {
    if (columns(2) == m)
      setIdentity(b, m);
    if (rows(3) == n)
      setIdentity(c, n);
  } else if (lesser > 0) {
    lapack.gesdd(getJob(), &m, &n, a, &ld, values, b, &ld, c, &ldvt, work,
                 &workCount, floats, integers, &info, 1);
  }
  std::string matrix = "contained non-finite values.";
  if (info > 0)
    matrix = "is ill-conditioned or has too many repeated singular values "
             "(error code: " +
             std::to_string(info) + ").";
  if (info != 0)
    return fail(TALLY_RT_CHECK_FAILED,
                "linalg.svd: The algorithm failed to converge because the "
                "input matrix " +
                    matrix);
  write(1, values, lesser);
  if (hasVectors()) {
    write(2, b, m);
    write(3, c, rows(3));
  }
  return TALLY_RT_OK;
}

template <typename T>
int32_t ComplexProblem<T>::solveTriangular() {
  int ld = leading(0), count = columns(1);
  read(0, a);
  read(1, b);
  Number one = 1;
  lapack.trsm("L", hasFlag(TALLY_RT_UPPER) ? "U" : "L", "N",
              hasFlag(TALLY_RT_UNIT) ? "U" : "N", &n, &count, &one, a, &ld, b,
              &ld, 1, 1, 1, 1);
  write(2, b, n);
  return TALLY_RT_OK;
}

template <typename T>
int32_t ComplexProblem<T>::solve() {
  switch (getKind()) {
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
static int32_t runOf(tally_rt_context *ctx, const MatrixProblem::Args &args) {
  if (int32_t status = requireFunctions<ComplexLapack<T>>(ctx))
    return status;
  return solveProblems<ComplexProblem<T>>(ctx, args);
}

int32_t
tally::runtime::runComplexLinearAlgebra(tally_rt_context *ctx,
                                        const MatrixProblem::Args &args) {
  if (args.dtype == TALLY_RT_DATA_TYPE(kDLComplex, 64))
    return runOf<float>(ctx, args);
  return runOf<double>(ctx, args);
}
