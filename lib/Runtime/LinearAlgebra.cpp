//===- LinearAlgebra.cpp - Factors of matrices by LAPACK ------------------===//
//
// What there is no kernel for (SmallMatrices.h) is LAPACK's. LAPACK is opened
// when it is first needed: a compiled library runs without it as long as it
// calls nothing here. Its functions have matrices column by column, with 32-bit
// sizes; what they work on is a copy.
//
//===----------------------------------------------------------------------===//

#include "MatrixFunctions.h"
#include "MatrixProblem.h"
#include "SmallMatrices.h"

using namespace tally::runtime;

namespace {

/// The functions for numbers of type E, real or complex. Behind the arguments
/// come the lengths of strings, as Fortran passes them. Functions for complex
/// numbers take memory for real numbers as well.
template <typename E>
struct Lapack {
  using T = typename RealOf<E>::Type;
  using Int = const int *;
  using Text = const char *;
  using RealEigh = void(Text jobz, Text uplo, Int n, E *a, Int lda, T *values,
                        E *work, Int lwork, int *iwork, Int liwork, int *info,
                        size_t, size_t);
  using ComplexEigh = void(Text jobz, Text uplo, Int n, E *a, Int lda,
                           T *values, E *work, Int lwork, T *rwork, Int lrwork,
                           int *iwork, Int liwork, int *info, size_t, size_t);
  using RealSVD = void(Text jobz, Int m, Int n, E *a, Int lda, T *s, E *u,
                       Int ldu, E *vt, Int ldvt, E *work, Int lwork, int *iwork,
                       int *info, size_t);
  using ComplexSVD = void(Text jobz, Int m, Int n, E *a, Int lda, T *s, E *u,
                          Int ldu, E *vt, Int ldvt, E *work, Int lwork,
                          T *rwork, int *iwork, int *info, size_t);

  void (*getrf)(Int m, Int n, E *a, Int lda, int *pivots, int *info);
  void (*getrs)(Text trans, Int n, Int columns, const E *a, Int lda, Int pivots,
                E *b, Int ldb, int *info, size_t);
  void (*potrf)(Text uplo, Int n, E *a, Int lda, int *info, size_t);
  void (*geqrf)(Int m, Int n, E *a, Int lda, E *tau, E *work, Int lwork,
                int *info);
  void (*formQ)(Int m, Int n, Int k, E *a, Int lda, const E *tau, E *work,
                Int lwork, int *info);
  std::conditional_t<isComplexNumber<E>, ComplexEigh, RealEigh> *eigh;
  std::conditional_t<isComplexNumber<E>, ComplexSVD, RealSVD> *gesdd;
  void (*trsm)(Text side, Text uplo, Text trans, Text diag, Int m, Int n,
               const E *alpha, const E *a, Int lda, E *b, Int ldb, size_t,
               size_t, size_t, size_t);

  bool load(std::string &why) {
    DynamicLibrary library("the library of LAPACK");
    if (!openLapack(library, why))
      return false;
    LapackNames<E> find(library, why);
    return find(getrf, "getrf") && find(getrs, "getrs") &&
           find(potrf, "potrf") && find(geqrf, "geqrf") &&
           find(formQ, isComplexNumber<E> ? "ungqr" : "orgqr") &&
           find(eigh, isComplexNumber<E> ? "heevd" : "syevd") &&
           find(gesdd, "gesdd") && find(trsm, "trsm");
  }
};

/// One problem, whose operands are copied to memory of their own.
template <typename E>
class FactorProblem : public MatrixProblem {
public:
  FactorProblem(tally_rt_context *ctx, const Args &args);

  int32_t solve();

private:
  using T = typename RealOf<E>::Type;

  bool hasVectors() const { return args.num_matrices > 2; }
  void allocateQR();
  void allocateEigh();
  void allocateSVD();
  /// Calls gesdd with `a`, or asks it how much memory it works in.
  void callSVD(E *work, int workCount);
  /// Calls the function for eigenvalues with `a`, or asks it how much memory it
  /// works in.
  void callEigh(E *work, int workCount, T *floats, int floatCount,
                int *integers, int integerCount);

  int32_t factorLU();
  int32_t solveLU();
  int32_t factorCholesky();
  int32_t factorQR();
  int32_t findEigenvalues();
  int32_t findSingularValues();
  int32_t solveTriangular();

  const Lapack<E> &lapack = getRequired<Lapack<E>>();
  int m = rows(0), n = columns(0), lesser = std::min(m, n), info = 0;
  E *a = nullptr, *b = nullptr, *c = nullptr, *tau = nullptr, *work = nullptr;
  T *values = nullptr, *floats = nullptr;
  int *integers = nullptr;
  int workCount = 1, floatCount = 1, integerCount = 1;
};

} // namespace

template <typename E>
FactorProblem<E>::FactorProblem(tally_rt_context *ctx, const Args &args)
    : MatrixProblem(ctx, args) {
  // All columns of Q may take the place of the factored matrix.
  bool hasMoreColumns = getKind() == TALLY_RT_QR && columns(1) > n;
  a = allocate<E>(int64_t(m) * (hasMoreColumns ? columns(1) : n));
  switch (getKind()) {
  case TALLY_RT_LU:
    integers = allocate<int>(lesser);
    break;
  case TALLY_RT_SOLVE_LU:
    integers = allocate<int>(n);
    b = allocate<E>(getCount(2));
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
    b = allocate<E>(getCount(1));
    break;
  default:
    break;
  }
}

template <typename E>
void FactorProblem<E>::allocateQR() {
  int ask = -1, width = columns(1), ld = leading(0);
  E wanted[2] = {1, 1};
  lapack.geqrf(&m, &n, nullptr, &ld, nullptr, &wanted[0], &ask, &info);
  lapack.formQ(&m, &width, &lesser, nullptr, &ld, nullptr, &wanted[1], &ask,
               &info);
  T most = std::max(std::real(wanted[0]), std::real(wanted[1]));
  work = allocateWork(E(most), workCount);
  tau = allocate<E>(lesser);
  b = allocate<E>(getCount(2));
}

template <typename E>
void FactorProblem<E>::allocateEigh() {
  E wanted = 1;
  T wantedFloats = 1;
  callEigh(&wanted, -1, &wantedFloats, -1, &integerCount, -1);
  work = allocateWork(wanted, workCount);
  floats = allocateWork(wantedFloats, floatCount);
  integerCount = std::max(integerCount, 1);
  integers = allocate<int>(integerCount);
  values = allocate<T>(n);
}

template <typename E>
void FactorProblem<E>::callEigh(E *work, int workCount, T *floats,
                                int floatCount, int *integers,
                                int integerCount) {
  int ld = leading(0);
  const char *job = hasVectors() ? "V" : "N";
  if constexpr (isComplexNumber<E>)
    lapack.eigh(job, "L", &n, a, &ld, values, work, &workCount, floats,
                &floatCount, integers, &integerCount, &info, 1, 1);
  else
    lapack.eigh(job, "L", &n, a, &ld, values, work, &workCount, integers,
                &integerCount, &info, 1, 1);
}

template <typename E>
void FactorProblem<E>::callSVD(E *work, int workCount) {
  int ld = leading(0), ldvt = hasVectors() ? leading(3) : 1;
  const char *job = "N";
  if (hasVectors())
    job = columns(2) == m && rows(3) == n ? "A" : "S";
  if constexpr (isComplexNumber<E>)
    lapack.gesdd(job, &m, &n, a, &ld, values, b, &ld, c, &ldvt, work,
                 &workCount, floats, integers, &info, 1);
  else
    lapack.gesdd(job, &m, &n, a, &ld, values, b, &ld, c, &ldvt, work,
                 &workCount, integers, &info, 1);
}

template <typename E>
void FactorProblem<E>::allocateSVD() {
  values = allocate<T>(lesser);
  integers = allocate<int>(int64_t(8) * lesser);
  if constexpr (isComplexNumber<E>) {
    int64_t larger = std::max(m, n), least = lesser;
    floats = allocate<T>(std::max(least * (5 * least + 7),
                                  least * (2 * larger + 2 * least + 1)));
  }
  if (hasVectors()) {
    b = allocate<E>(getCount(2));
    c = allocate<E>(getCount(3));
  }
  E wanted = 1;
  if (lesser > 0)
    callSVD(&wanted, -1);
  work = allocateWork(wanted, workCount);
}

template <typename E>
int32_t FactorProblem<E>::factorLU() {
  int ld = leading(0);
  read(0, a);
  lapack.getrf(&m, &n, a, &ld, integers, &info);
  write(1, a, m);
  write(2, integers, lesser);
  write(3, &info, 1);
  return TALLY_RT_OK;
}

template <typename E>
int32_t FactorProblem<E>::solveLU() {
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

template <typename E>
int32_t FactorProblem<E>::factorCholesky() {
  int ld = leading(0);
  read(0, a);
  lapack.potrf("L", &n, a, &ld, &info, 1);
  for (int64_t column = 1; column < n; ++column)
    std::fill_n(a + column * n, column, E(0));
  write(1, a, n);
  write(2, &info, 1);
  return TALLY_RT_OK;
}

template <typename E>
int32_t FactorProblem<E>::factorQR() {
  int ld = leading(0), width = columns(1);
  read(0, a);
  lapack.geqrf(&m, &n, a, &ld, tau, work, &workCount, &info);
  int64_t height = rows(2);
  for (int64_t column = 0; column < n; ++column)
    for (int64_t row = 0; row < height; ++row)
      b[column * height + row] = row <= column ? a[column * m + row] : E(0);
  write(2, b, height);
  lapack.formQ(&m, &width, &lesser, a, &ld, tau, work, &workCount, &info);
  write(1, a, m);
  return TALLY_RT_OK;
}

template <typename E>
int32_t FactorProblem<E>::findEigenvalues() {
  read(0, a);
  callEigh(work, workCount, floats, floatCount, integers, integerCount);
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

template <typename E>
int32_t FactorProblem<E>::findSingularValues() {
  read(0, a);
  if (lesser == 0 && hasVectors()) {
    if (columns(2) == m)
      setIdentity(b, m);
    if (rows(3) == n)
      setIdentity(c, n);
  } else if (lesser > 0) {
    callSVD(work, workCount);
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

template <typename E>
int32_t FactorProblem<E>::solveTriangular() {
  int ld = leading(0), count = columns(1);
  read(0, a);
  read(1, b);
  E one = 1;
  lapack.trsm("L", hasFlag(TALLY_RT_UPPER) ? "U" : "L", "N",
              hasFlag(TALLY_RT_UNIT) ? "U" : "N", &n, &count, &one, a, &ld, b,
              &ld, 1, 1, 1, 1);
  write(2, b, n);
  return TALLY_RT_OK;
}

template <typename E>
int32_t FactorProblem<E>::solve() {
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

template <typename E>
static int32_t runOf(tally_rt_context *ctx, const MatrixProblem::Args &args) {
  if (int32_t status = requireFunctions<Lapack<E>>(ctx))
    return status;
  return solveProblems<FactorProblem<E>>(ctx, args);
}

int32_t
tally_rt_host_linear_algebra(tally_rt_context *ctx,
                             const tally_rt_host_linear_algebra_args *args) {
  bool isComplex = args->dtype == TALLY_RT_DATA_TYPE(kDLComplex, 64) ||
                   args->dtype == TALLY_RT_DATA_TYPE(kDLComplex, 128);
  bool isDouble = args->dtype == TALLY_RT_DATA_TYPE(kDLFloat, 64) ||
                  args->dtype == TALLY_RT_DATA_TYPE(kDLComplex, 128);
  if (!isComplex && !isDouble &&
      args->dtype != TALLY_RT_DATA_TYPE(kDLFloat, 32))
    return failCall(ctx, TALLY_RT_INVALID_ARGUMENT,
                    "linear algebra of a type that LAPACK does not know");
  if ((args->kind & 15) >= TALLY_RT_GEQRF)
    return runMatrixFunction(ctx, *args);
  if (isComplex)
    return isDouble ? runOf<std::complex<double>>(ctx, *args)
                    : runOf<std::complex<float>>(ctx, *args);
  if (areSmallMatrices(*args))
    return runSmallMatrices(ctx, *args, getSmallMatrixLevel());
  return isDouble ? runOf<double>(ctx, *args) : runOf<float>(ctx, *args);
}
