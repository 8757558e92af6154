//===- MatrixFunctions.cpp - Functions of matrices by LAPACK --------------===//
//
// Reflections, eigenvalues of any square matrix, and factors L D L^T, of
// matrices of real or complex numbers.
//
//===----------------------------------------------------------------------===//

#include "MatrixFunctions.h"

using namespace tally::runtime;

using Int = const int *;
using Text = const char *;

//===----------------------------------------------------------------------===//
// Products of reflections
//===----------------------------------------------------------------------===//

namespace {

template <typename E>
struct ReflectionFunctions {
  void (*geqrf)(Int m, Int n, E *a, Int lda, E *tau, E *work, Int lwork,
                int *info);
  void (*orgqr)(Int m, Int n, Int k, E *a, Int lda, const E *tau, E *work,
                Int lwork, int *info);

  bool load(std::string &why) {
    DynamicLibrary library("the library of LAPACK");
    LapackNames<E> find(library, why);
    return openLapack(library, why) && find(geqrf, "geqrf") &&
           find(orgqr, isComplexNumber<E> ? "ungqr" : "orgqr");
  }
};

/// The factors of a matrix as reflections, or the product of reflections.
template <typename E>
class ReflectionProblem : public MatrixProblem {
public:
  using Functions = ReflectionFunctions<E>;

  ReflectionProblem(tally_rt_context *ctx, const Args &args)
      : MatrixProblem(ctx, args) {
    // LAPACK ends the process where arguments are illegal.
    if (!isLegal())
      return;
    int ask = -1, ld = leading(0);
    E wanted = 1;
    if (isProduct())
      lapack.orgqr(&m, &n, &k, nullptr, &ld, nullptr, &wanted, &ask, &info);
    else
      lapack.geqrf(&m, &n, nullptr, &ld, nullptr, &wanted, &ask, &info);
    work = allocateWork(wanted, workCount);
    a = allocate<E>(getCount(0));
    tau = allocate<E>(k);
  }

  int32_t solve() {
    if (!isLegal())
      return fail(TALLY_RT_INVALID_ARGUMENT,
                  "linear algebra: there are more reflections than columns, or "
                  "more columns than rows");
    int ld = leading(0);
    read(0, a);
    if (!isProduct()) {
      lapack.geqrf(&m, &n, a, &ld, tau, work, &workCount, &info);
      write(1, a, m);
      write(2, tau, k);
      return TALLY_RT_OK;
    }
    read(1, tau);
    lapack.orgqr(&m, &n, &k, a, &ld, tau, work, &workCount, &info);
    write(2, a, m);
    return TALLY_RT_OK;
  }

private:
  bool isProduct() const { return getKind() == TALLY_RT_REFLECTIONS; }
  bool isLegal() const { return !isProduct() || (k <= n && n <= m); }

  const Functions &lapack = getRequired<Functions>();
  int m = rows(0), n = columns(0), info = 0, workCount = 1;
  int k = isProduct() ? rows(1) : std::min(m, n);
  E *a = nullptr, *tau = nullptr, *work = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Eigenvalues
//===----------------------------------------------------------------------===//

namespace {

/// geev has the parts of eigenvalues apart for matrices of real numbers, where
/// each pair of conjugate vectors takes two columns.
template <typename E>
struct EigenvalueFunctions {
  using T = typename RealOf<E>::Type;
  void (*real)(Text jobvl, Text jobvr, Int n, T *a, Int lda, T *re, T *im,
               T *vl, Int ldvl, T *vr, Int ldvr, T *work, Int lwork, int *info,
               size_t, size_t);
  void (*complex)(Text jobvl, Text jobvr, Int n, E *a, Int lda, E *values,
                  E *vl, Int ldvl, E *vr, Int ldvr, E *work, Int lwork,
                  T *rwork, int *info, size_t, size_t);

  bool load(std::string &why) {
    DynamicLibrary library("the library of LAPACK");
    LapackNames<E> find(library, why);
    if (!openLapack(library, why))
      return false;
    if constexpr (isComplexNumber<E>)
      return find(complex, "geev");
    else
      return find(real, "geev");
  }
};

template <typename E>
class EigenvalueProblem : public MatrixProblem {
public:
  using Functions = EigenvalueFunctions<E>;

  EigenvalueProblem(tally_rt_context *ctx, const Args &args);

  int32_t solve();

private:
  using T = typename RealOf<E>::Type;
  using Number = std::complex<T>;

  bool hasVectors() const { return args.num_matrices > 2; }
  /// Asks for the size of `work` where that is -1.
  void call(E *to, int count);
  /// Makes complex numbers of what geev gives for real ones.
  void join();

  const Functions &lapack = getRequired<Functions>();
  int n = rows(0), info = 0, workCount = 1;
  E *a = nullptr, *own = nullptr, *work = nullptr;
  T *parts = nullptr;
  Number *values = nullptr, *vectors = nullptr;
};

} // namespace

template <typename E>
EigenvalueProblem<E>::EigenvalueProblem(tally_rt_context *ctx, const Args &args)
    : MatrixProblem(ctx, args) {
  a = allocate<E>(getCount(0));
  parts = allocate<T>(std::max<int64_t>(2 * int64_t(n), 1));
  values = allocate<Number>(n);
  vectors = allocate<Number>(hasVectors() ? getCount(0) : 0);
  if constexpr (!isComplexNumber<E>)
    own = allocate<E>(hasVectors() ? getCount(0) : 0);
  if (!hasMemory())
    return;
  // zgeev writes to rwork when it is asked, too.
  E wanted = 1;
  call(&wanted, -1);
  work = allocateWork(wanted, workCount);
}

template <typename E>
void EigenvalueProblem<E>::call(E *to, int count) {
  int ld = leading(0);
  const char *job = hasVectors() ? "V" : "N";
  if constexpr (isComplexNumber<E>)
    lapack.complex("N", job, &n, a, &ld, values, nullptr, &ld, vectors, &ld, to,
                   &count, parts, &info, 1, 1);
  else
    lapack.real("N", job, &n, a, &ld, parts, parts + n, nullptr, &ld, own, &ld,
                to, &count, &info, 1, 1);
}

template <typename E>
void EigenvalueProblem<E>::join() {
  if constexpr (!isComplexNumber<E>) {
    const T *im = parts + n;
    for (int i = 0; i < n; ++i)
      values[i] = Number(parts[i], im[i]);
    for (int64_t i = 0; i < n && hasVectors(); ++i) {
      const E *column = own + i * n;
      // The second of a pair is the first one's conjugate.
      bool isPair = im[i] > 0 && i + 1 < n;
      for (int64_t row = 0; row < n; ++row) {
        vectors[i * n + row] =
            Number(column[row], isPair ? column[n + row] : 0);
        if (isPair)
          vectors[(i + 1) * n + row] = std::conj(vectors[i * n + row]);
      }
      i += isPair;
    }
  }
}

template <typename E>
int32_t EigenvalueProblem<E>::solve() {
  read(0, a);
  bool isFinite = std::all_of(a, a + getCount(0), [](const E &element) {
    return std::isfinite(std::real(element)) &&
           std::isfinite(std::imag(element));
  });
  if (!isFinite && hasVectors())
    return fail(TALLY_RT_CHECK_FAILED, "torch.linalg.eig: input tensor should "
                                       "not contain infs or NaNs.");
  if (!isFinite) {
    T nan = std::numeric_limits<T>::quiet_NaN();
    std::fill_n(values, n, Number(nan, nan));
    write(1, values, n);
    return TALLY_RT_OK;
  }
  call(work, workCount);
  if (info != 0)
    return failToConverge("linalg.eig", info);
  join();
  write(1, values, n);
  if (hasVectors())
    write(2, vectors, n);
  return TALLY_RT_OK;
}

//===----------------------------------------------------------------------===//
// Factors L D L^T
//===----------------------------------------------------------------------===//

namespace {

/// The functions for matrices that are symmetric, or equal to their conjugate
/// transpose.
template <typename E>
struct SymmetricFunctions {
  using Factor = void(Text uplo, Int n, E *a, Int lda, int *pivots, E *work,
                      Int lwork, int *info, size_t);
  using Solve = void(Text uplo, Int n, Int columns, const E *a, Int lda,
                     Int pivots, E *b, Int ldb, int *info, size_t);
  Factor *factor[2] = {};
  Solve *solve[2] = {};

  bool load(std::string &why) {
    DynamicLibrary library("the library of LAPACK");
    LapackNames<E> find(library, why);
    constexpr bool isComplex = isComplexNumber<E>;
    return openLapack(library, why) && find(factor[0], "sytrf") &&
           find(solve[0], "sytrs") &&
           find(factor[1], isComplex ? "hetrf" : "sytrf") &&
           find(solve[1], isComplex ? "hetrs" : "sytrs");
  }
};

template <typename E>
class SymmetricProblem : public MatrixProblem {
public:
  using Functions = SymmetricFunctions<E>;

  SymmetricProblem(tally_rt_context *ctx, const Args &args)
      : MatrixProblem(ctx, args) {
    a = allocate<E>(getCount(0));
    pivots = allocate<int>(n);
    if (getKind() == TALLY_RT_SOLVE_LDL) {
      b = allocate<E>(getCount(2));
      return;
    }
    int ask = -1, ld = leading(0);
    E wanted = 1;
    lapack.factor[isHermitian()]("L", &n, nullptr, &ld, nullptr, &wanted, &ask,
                                 &info, 1);
    work = allocateWork(wanted, workCount);
  }

  int32_t solve() {
    read(0, a);
    return getKind() == TALLY_RT_SOLVE_LDL ? solveFactored() : factor();
  }

private:
  bool isHermitian() const { return hasFlag(TALLY_RT_HERMITIAN); }
  int32_t factor();
  int32_t solveFactored();
  bool arePivots() const;

  const Functions &lapack = getRequired<Functions>();
  int n = rows(0), info = 0, workCount = 1;
  E *a = nullptr, *b = nullptr, *work = nullptr;
  int *pivots = nullptr;
};

} // namespace

template <typename E>
int32_t SymmetricProblem<E>::factor() {
  int ld = leading(0);
  for (int64_t column = 1; column < n; ++column)
    std::fill_n(a + column * n, column, E(0));
  lapack.factor[isHermitian()]("L", &n, a, &ld, pivots, work, &workCount, &info,
                               1);
  write(1, a, n);
  write(2, pivots, n);
  write(3, &info, 1);
  return TALLY_RT_OK;
}

/// Others are rows of somebody else's memory: each is a row, and two with a
/// minus stand for a block of two rows.
template <typename E>
bool SymmetricProblem<E>::arePivots() const {
  for (int i = 0; i < n; ++i) {
    bool isBlock = pivots[i] < 0;
    if (isBlock && (++i == n || pivots[i] >= 0 || -pivots[i - 1] > n))
      return false;
    int row = isBlock ? -pivots[i] : pivots[i];
    if (row < 1 || row > n)
      return false;
  }
  return true;
}

template <typename E>
int32_t SymmetricProblem<E>::solveFactored() {
  int ld = leading(0), count = columns(2);
  read(1, pivots);
  read(2, b);
  if (!arePivots())
    return failForPivot();
  lapack.solve[isHermitian()]("L", &n, &count, a, &ld, pivots, b, &ld, &info,
                              1);
  write(3, b, n);
  return TALLY_RT_OK;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

int32_t tally::runtime::runMatrixFunction(tally_rt_context *ctx,
                                          const MatrixProblem::Args &args) {
  switch (args.kind & 15) {
  case TALLY_RT_GEQRF:
  case TALLY_RT_REFLECTIONS:
    return runOfType<ReflectionProblem>(ctx, args);
  case TALLY_RT_EIG:
    return runOfType<EigenvalueProblem>(ctx, args);
  case TALLY_RT_LDL:
  case TALLY_RT_SOLVE_LDL:
    return runOfType<SymmetricProblem>(ctx, args);
  case TALLY_RT_MATRIX_EXP:
    return runMatrixExponential(ctx, args);
  default:
    return failCall(ctx, TALLY_RT_INVALID_ARGUMENT,
                    "linear algebra of an unknown kind");
  }
}
