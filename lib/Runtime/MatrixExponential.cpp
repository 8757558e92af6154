//===- MatrixExponential.cpp - The exponential function of matrices -------===//
//
// Of matrices of real numbers, by the matmuls of the runtime, or of complex
// ones, by those of LAPACK's library.
//
//===----------------------------------------------------------------------===//

#include "MatrixFunctions.h"

#include "Matmul.h"

using namespace tally::runtime;

using Int = const int *;
using Text = const char *;

namespace {

/// Numbers that are computed with: those with parts of f64.
template <typename E>
struct Wide {
  using Type = double;
};
template <typename T>
struct Wide<std::complex<T>> {
  using Type = std::complex<double>;
};

/// Products of complex matrices; the runtime has those of real ones itself.
template <typename E>
struct ExponentialFunctions {
  using W = typename Wide<E>::Type;
  void (*gemm)(Text transa, Text transb, Int m, Int n, Int k, const W *alpha,
               const W *a, Int lda, const W *b, Int ldb, const W *beta, W *c,
               Int ldc, size_t, size_t);

  bool load(std::string &why) {
    if constexpr (!isComplexNumber<W>)
      return true;
    DynamicLibrary library("the library of LAPACK");
    LapackNames<W> find(library, why);
    return openLapack(library, why) && find(gemm, "gemm");
  }
};

/// Scaling and squaring: exp(A) is exp(A / 2^s)^(2^s), and the exponential of a
/// small matrix is the polynomial of Taylor's series, of a degree for its norm,
/// by as few products as there can be (Bader, Blanes and Casas, 2019).
template <typename E>
class ExponentialProblem : public MatrixProblem {
public:
  using Functions = ExponentialFunctions<E>;

  ExponentialProblem(tally_rt_context *ctx, const Args &args)
      : MatrixProblem(ctx, args), given(allocate<E>(count)) {
    for (W *&matrix : matrices)
      matrix = allocate<W>(count);
    if constexpr (!isComplexNumber<W>) {
      matmul.method = chooseMatmulMethod(matmul, level);
      matmul.scratch = allocate<char>(int64_t(level.getScratchBytes(matmul)));
    }
  }

  int32_t solve();

private:
  using W = typename Wide<E>::Type;

  /// to = a b; `to` is none of the operands.
  void multiply(const W *a, const W *b, W *to) {
    if constexpr (isComplexNumber<W>) {
      int ld = leading(0);
      W one = 1, zero = 0;
      lapack.gemm("N", "N", &n, &n, &n, &one, a, &ld, b, &ld, &zero, to, &ld, 1,
                  1);
    } else {
      // Columns lie along memory: they are rows of the transposes.
      MatmulTask task = matmul;
      task.a.data = b;
      task.b.data = a;
      task.c.data = to;
      level.run(task);
    }
  }
  /// to = f0 + f1 A + f2 A^2 + f3 A^3 + f4 A^6, up to the last factor, or what
  /// is there and that.
  void combine(std::initializer_list<double> factors, W *to, bool adds = false);
  /// to += factor from
  void add(double factor, const W *from, W *to) {
    for (int64_t i = 0; i < count; ++i)
      to[i] += factor * from[i];
  }
  /// Set `x` to Taylor's polynomial of A.
  void sumFour();
  void sumEight();
  void sumTwelve();
  void sumEighteen();
  /// The largest sum of a column's magnitudes.
  double getNorm() const;
  void writeResult(const W *from);

  const Functions &lapack = getRequired<Functions>();
  int n = rows(0);
  int64_t count = getCount(0);
  E *given;
  /// A, A^2, A^3, A^6, and three more.
  W *matrices[7] = {};
  W *&a = matrices[0], *&a2 = matrices[1], *&a3 = matrices[2],
    *&a6 = matrices[3], *&x = matrices[4], *&y = matrices[5], *&z = matrices[6];
  /// A product of real matrices, without these.
  const MatmulLevel &level = getMatmulLevel(MatmulType::F64);
  MatmulTask matmul{n,
                    n,
                    n,
                    {nullptr, n, 1},
                    {nullptr, n, 1},
                    {nullptr, n, 1},
                    MatmulType::F64,
                    MatmulMethod::Packed,
                    nullptr};
};

} // namespace

template <typename E>
void ExponentialProblem<E>::combine(std::initializer_list<double> factors,
                                    W *to, bool adds) {
  const double *factor = factors.begin();
  if (!adds)
    std::fill_n(to, count, W(0));
  for (size_t i = 1; i < factors.size(); ++i)
    if (factor[i] != 0)
      add(factor[i], matrices[i - 1], to);
  for (int64_t i = 0; i < n; ++i)
    to[i * n + i] += factor[0];
}

template <typename E>
void ExponentialProblem<E>::sumFour() {
  multiply(a, a, a2);
  combine({1.0 / 2, 1.0 / 6, 1.0 / 24}, y);
  multiply(a2, y, x);
  combine({1, 1}, x, /*adds=*/true);
}

template <typename E>
void ExponentialProblem<E>::sumEight() {
  // With the root of 177 and c = 2/3.
  const double root = 13.30413469565007072504, c = 2.0 / 3;
  multiply(a, a, a2);
  combine({0, c * (1 + root) / 88, c * (1 + root) / 352}, y);
  multiply(a2, y, z);
  combine({0, 0, c}, y);
  add(1, z, y);
  combine({(-271 + 29 * root) / (315 * c), (-11 + 11 * root) / (1260 * c),
           (-99 + 11 * root) / (5040 * c)},
          a3);
  add((89 - root) / (5040 * c * c), z, a3);
  multiply(y, a3, x);
  combine({1, 1, (857 - 58 * root) / 630}, x, /*adds=*/true);
}

template <typename E>
void ExponentialProblem<E>::sumTwelve() {
  multiply(a, a, a2);
  multiply(a2, a, a3);
  combine({-2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079,
           -0.00675951846863086359},
          y);
  multiply(y, y, z);
  combine({0.18188869982170434744, 0.05502798439925399070,
           0.09351590770535414968, 0.00610700528898058230},
          z, /*adds=*/true);
  combine({5.31597895759871264183, 1.19926790417132231573,
           0.01179296240992997031, 0.01108844528519167989},
          y);
  add(1, z, y);
  multiply(y, z, x);
  combine({9.0198e-16, 0.46932117595418237389, -0.20099424927047284052,
           -0.04623946134063071740},
          x, /*adds=*/true);
}

template <typename E>
void ExponentialProblem<E>::sumEighteen() {
  multiply(a, a, a2);
  multiply(a2, a, a3);
  multiply(a3, a3, a6);
  combine({0, -1.00365581030144618291e-01, -8.02924648241156932449e-03,
           -8.92138498045729985177e-04},
          x);
  combine({0, 0, -9.23364619367118555360e-02, -1.69364939002081722752e-02,
           -1.40086798182036094347e-05},
          y);
  multiply(x, y, z);
  combine({-9.04316832390810593223e-02, -6.76404519071381882256e-02,
           6.75961301770459654925e-02, 2.95552570429315521194e-02,
           -1.39180257516060693404e-05},
          z, /*adds=*/true);
  combine({-1.09676396052962061844e+01, 1.68015813878906206114e+00,
           5.71779846478865511061e-02, -6.98210122488052056106e-03,
           3.34975017086070470649e-05},
          y);
  add(1, z, y);
  multiply(y, z, x);
  combine({0, 3.97849749499645077844e-01, 1.36783778460411720168e+00,
           4.98289622525382669416e-01, -6.37898194594723280150e-04},
          x, /*adds=*/true);
}

template <typename E>
double ExponentialProblem<E>::getNorm() const {
  double norm = 0;
  for (int64_t column = 0; column < n; ++column) {
    double sum = 0;
    for (int64_t row = 0; row < n; ++row)
      sum += std::abs(W(given[column * n + row]));
    // A sum that is no number stays one.
    norm = sum <= norm ? norm : sum;
  }
  return norm;
}

template <typename E>
void ExponentialProblem<E>::writeResult(const W *from) {
  for (int64_t i = 0; i < count; ++i)
    given[i] = E(from[i]);
  write(1, given, n);
}

template <typename E>
int32_t ExponentialProblem<E>::solve() {
  // Up to these norms, what the polynomials of degree 4, 8, 12 and 18 leave out
  // is less than what rounding an operand of f64 changes, and a thousandth of
  // that for f32, whose results are rounded once.
  constexpr bool isSingle =
      sizeof(E) == (isComplexNumber<E> ? 2 : 1) * sizeof(float);
  constexpr double singleNorms[] = {0.009, 0.24, 0.82, 2},
                   doubleNorms[] = {
                       3.397168839976962e-04, 4.991228871115323e-02,
                       2.996158913811580e-01, 1.090863719290036e+00};
  const double (&mostNorms)[4] = isSingle ? singleNorms : doubleNorms;
  read(0, given);
  double norm = getNorm();
  if (!std::isfinite(norm)) {
    std::fill_n(a, count, W(std::numeric_limits<double>::quiet_NaN()));
    writeResult(a);
    return TALLY_RT_OK;
  }
  int squarings =
      norm > mostNorms[3] ? int(std::ceil(std::log2(norm / mostNorms[3]))) : 0;
  for (int64_t i = 0; i < count; ++i)
    a[i] = W(given[i]) * std::ldexp(1.0, -squarings);
  if (norm <= mostNorms[0])
    sumFour();
  else if (norm <= mostNorms[1])
    sumEight();
  else if (norm <= mostNorms[2])
    sumTwelve();
  else
    sumEighteen();
  for (int i = 0; i < squarings; ++i) {
    multiply(x, x, y);
    std::swap(x, y);
  }
  writeResult(x);
  return TALLY_RT_OK;
}

int32_t tally::runtime::runMatrixExponential(tally_rt_context *ctx,
                                             const MatrixProblem::Args &args) {
  return runOfType<ExponentialProblem>(ctx, args);
}
