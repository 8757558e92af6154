//===- SmallMatrixQR.h - One matrix by reflections --------------*- C++ -*-===//
//
// QR factors of a matrix whose columns fill the lanes, by Householder's
// reflections, with the signs of LAPACK. Elements go through the same
// operations for every number of lanes. A part of SmallMatrixKernels.h, whose
// rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

template <typename T>
class QRRun {
public:
  using Vector = typename Lanes<T>::Vector;
  using Mask = typename Lanes<T>::Mask;
  static constexpr int64_t lanes = kVectorBytes / sizeof(T);

  QRRun(const SmallMatrixTask &task, const SmallMatrixGroup &group,
        int64_t problem)
      : task(task), group(group), problem(problem), rows(task.operands[0].rows),
        columns(task.operands[0].columns), width(task.operands[1].columns),
        step(getRowStep<T>(columns)), widthStep(getRowStep<T>(width)),
        matrix(static_cast<Vector *>(group.scratch)),
        factor(matrix + rows * step),
        reflection(
            static_cast<T *>(static_cast<void *>(factor + rows * widthStep))),
        scales(reflection + rows) {}

  static size_t getScratchBytes(const SmallMatrixTask &task) {
    int64_t rows = task.operands[0].rows, columns = task.operands[0].columns;
    int64_t step = getRowStep<T>(columns),
            widthStep = getRowStep<T>(task.operands[1].columns);
    return size_t(rows * (step + widthStep) * kVectorBytes +
                  (rows + least(rows, columns)) * int64_t(sizeof(T)));
  }
  void run();

private:
  static T getMagnitude(T x) { return x < T(0) ? -x : x; }
  static T getRoot(T x) {
    return sizeof(T) == 4 ? T(__builtin_sqrtf(float(x)))
                          : T(__builtin_sqrt(double(x)));
  }
  T getNorm(int64_t k) const;
  T reflectColumn(int64_t k);
  void takeReflection(int64_t k);
  void apply(Vector *to, int64_t toStep, int64_t k, T scale, int64_t first);
  template <int64_t count>
  void applyToVectors(Vector *to, int64_t toStep, int64_t k, T scale,
                      Mask changed);

  const SmallMatrixTask &task;
  const SmallMatrixGroup &group;
  int64_t problem, rows, columns, width, step, widthStep;
  /// The matrix, with R above the diagonal and reflections below it; and Q.
  Vector *matrix, *factor;
  /// The elements of a reflection from its diagonal on, and how much of it each
  /// subtracts.
  T *reflection, *scales;
};

/// The norm of what is below the diagonal. The squares of doubles are of
/// elements over the largest one, where they might be too large or too small.
template <typename T>
T QRRun<T>::getNorm(int64_t k) const {
  double sum = 0;
  for (int64_t i = k + 1; i < rows; ++i) {
    double x = double(getOf<T>(matrix + i * step, k));
    sum += x * x;
  }
  if (sizeof(T) == 4 || (sum > 1e-280 && sum < 1e280))
    return T(__builtin_sqrt(sum));
  T largest = 0;
  for (int64_t i = k + 1; i < rows; ++i) {
    T x = getMagnitude(getOf<T>(matrix + i * step, k));
    largest = x > largest ? x : largest;
  }
  // Infinity and NaN make no reflection anyway.
  if (!(largest > T(0) && largest <= Lanes<T>::greatest))
    return T(__builtin_sqrt(sum));
  sum = 0;
  for (int64_t i = k + 1; i < rows; ++i) {
    double x = double(getOf<T>(matrix + i * step, k) / largest);
    sum += x * x;
  }
  return largest * T(__builtin_sqrt(sum));
}

/// Makes the reflection that leaves the diagonal alone of a column, and stores
/// it in the column's place; its first element is 1. Returns how much of it is
/// subtracted.
template <typename T>
T QRRun<T>::reflectColumn(int64_t k) {
  T norm = getNorm(k), first = getOf<T>(matrix + k * step, k);
  if (norm == T(0))
    return T(0);
  T larger = getMagnitude(first) > norm ? getMagnitude(first) : norm;
  T a = first / larger, b = norm / larger;
  T length = larger * getRoot(a * a + b * b);
  T diagonal = first < T(0) ? length : -length;
  setOf<T>(matrix + k * step, k, diagonal);
  T difference = first - diagonal;
  double sum = 1;
  for (int64_t i = k + 1; i < rows; ++i) {
    T x = getOf<T>(matrix + i * step, k) / difference;
    setOf<T>(matrix + i * step, k, x);
    sum += double(x) * double(x);
  }
  // Close to the smallest numbers, elements have few digits, and what is a
  // reflection follows from them as they are.
  if (length < Lanes<T>::leastNormal * T(1e8))
    return T(2 / sum);
  return -difference / diagonal;
}

template <typename T>
void QRRun<T>::takeReflection(int64_t k) {
  reflection[0] = T(1);
  for (int64_t i = k + 1; i < rows; ++i)
    reflection[i - k] = getOf<T>(matrix + i * step, k);
}

/// Reflects some vectors of columns, of the first one those that are changed.
template <typename T>
template <int64_t count>
void QRRun<T>::applyToVectors(Vector *to, int64_t toStep, int64_t k, T scale,
                              Mask changed) {
  Vector sums[count];
  for (int64_t j = 0; j < count; ++j)
    sums[j] = Vector{};
  for (int64_t i = k; i < rows; ++i) {
    Vector own = broadcast<T>(reflection[i - k]);
    for (int64_t j = 0; j < count; ++j)
      sums[j] += own * to[i * toStep + j];
  }
  for (int64_t j = 0; j < count; ++j)
    sums[j] *= scale;
  sums[0] = Vector(Mask(sums[0]) & changed);
  for (int64_t i = k; i < rows; ++i) {
    Vector own = broadcast<T>(reflection[i - k]);
    for (int64_t j = 0; j < count; ++j)
      to[i * toStep + j] -= own * sums[j];
  }
}

/// Reflects the columns of a matrix from one on.
template <typename T>
void QRRun<T>::apply(Vector *to, int64_t toStep, int64_t k, T scale,
                     int64_t first) {
  if (scale == T(0))
    return;
  constexpr int64_t together = 4;
  int64_t vector = first / lanes;
  Mask changed = getColumnsBehind<T>(vector, first - 1);
  for (; vector + together <= toStep; vector += together, changed = ~Mask{})
    applyToVectors<together>(to + vector, toStep, k, scale, changed);
  for (; vector < toStep; ++vector, changed = ~Mask{})
    applyToVectors<1>(to + vector, toStep, k, scale, changed);
}

template <typename T>
void QRRun<T>::run() {
  void *const *data = group.data[0];
  readRows<T>(task.operands[0], data[problem], false, matrix, step);
  int64_t count = least(rows, columns);
  for (int64_t k = 0; k < count; ++k) {
    scales[k] = reflectColumn(k);
    takeReflection(k);
    apply(matrix, step, k, scales[k], k + 1);
  }
  // Q reflects the columns of the identity, from the last reflection on.
  for (int64_t i = 0; i < rows * widthStep; ++i)
    factor[i] = Vector{};
  for (int64_t i = 0; i < least(rows, width); ++i)
    setOf<T>(factor + i * widthStep, i, T(1));
  for (int64_t k = count; k-- > 0;) {
    takeReflection(k);
    apply(factor, widthStep, k, scales[k], k);
  }
  writeRows<T>(task.operands[1], group.data[1][problem], false, factor,
               widthStep);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < least(i, columns); ++j)
      setOf<T>(matrix + i * step, j, T(0));
  writeRows<T>(task.operands[2], group.data[2][problem], false, matrix, step);
}

} // namespace
