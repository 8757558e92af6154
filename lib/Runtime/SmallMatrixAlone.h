//===- SmallMatrixAlone.h - One matrix in the lanes of vectors --*- C++ -*-===//
//
// Factors a matrix whose columns fill the lanes: one alone, or one of more rows
// than others of a batch are taken side by side with. An element goes through
// the same operations, in the same order, as in a lane of its own. A part of
// SmallMatrixKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

//===----------------------------------------------------------------------===//
// Rows of vectors
//===----------------------------------------------------------------------===//

/// The vectors of a row.
template <typename T>
int64_t getRowStep(int64_t columns) {
  constexpr int64_t lanes = kVectorBytes / sizeof(T);
  return (columns + lanes - 1) / lanes;
}

/// Calls `move(run, vector, count, areTogether)` with the columns of an operand
/// that are in the lanes of a vector of each row, how many there are, and
/// whether they are a vector in memory. Behind them is the first one again. Of
/// a transposed operand, columns are rows.
template <typename T, typename Move>
void forEachVector(const SmallMatrixTask::Operand &own, void *data,
                   bool isTransposed, Move move) {
  constexpr int64_t lanes = kVectorBytes / sizeof(T);
  int64_t apart = isTransposed ? own.rowStride : own.columnStride;
  int64_t along = isTransposed ? own.columnStride : own.rowStride;
  int64_t rows = isTransposed ? own.columns : own.rows;
  int64_t columns = isTransposed ? own.rows : own.columns;
  for (int64_t first = 0; first < columns; first += lanes) {
    int64_t count = least(lanes, columns - first);
    void *begins[lanes];
    for (int64_t i = 0; i < lanes; ++i)
      begins[i] = getElement<T>(data, (first + (i < count ? i : 0)) * apart);
    move(Run{begins, 0, along, rows}, first / lanes, count,
         apart == 1 && count == lanes);
  }
}

/// Reads an operand as rows of vectors.
template <typename T>
void readRows(const SmallMatrixTask::Operand &own, void *data,
              bool isTransposed, typename Lanes<T>::Vector *to, int64_t step) {
  forEachVector<T>(
      own, data, isTransposed,
      [&](const Run &run, int64_t vector, int64_t, bool areTogether) {
        if (!areTogether)
          return readRun<T>(run, to + vector, step);
        for (int64_t i = 0; i < run.count; ++i)
          __builtin_memcpy(&to[i * step + vector],
                           getElement<T>(run.lanes[0], i * run.stride),
                           kVectorBytes);
      });
}

template <typename T>
void writeRows(const SmallMatrixTask::Operand &own, void *data,
               bool isTransposed, const typename Lanes<T>::Vector *from,
               int64_t step) {
  forEachVector<T>(
      own, data, isTransposed,
      [&](const Run &run, int64_t vector, int64_t count, bool areTogether) {
        if (!areTogether)
          return writeRun<T>(run, from + vector, step, count);
        for (int64_t i = 0; i < run.count; ++i)
          __builtin_memcpy(getElement<T>(run.lanes[0], i * run.stride),
                           &from[i * step + vector], kVectorBytes);
      });
}

/// An element of rows of vectors. Those behind the last column are anything.
template <typename T>
T getOf(const typename Lanes<T>::Vector *row, int64_t column) {
  T element;
  __builtin_memcpy(&element,
                   reinterpret_cast<const char *>(row) +
                       column * int64_t(sizeof(T)),
                   sizeof(T));
  return element;
}

template <typename T>
void setOf(typename Lanes<T>::Vector *row, int64_t column, T element) {
  __builtin_memcpy(reinterpret_cast<char *>(row) + column * int64_t(sizeof(T)),
                   &element, sizeof(T));
}

/// Nothing is subtracted, so that -0 stays what it is.
template <typename T>
typename Lanes<T>::Vector broadcast(T x) {
  return x - typename Lanes<T>::Vector{};
}

/// Which lanes of a vector of a row are of columns behind this one.
template <typename T>
typename Lanes<T>::Mask getColumnsBehind(int64_t vector, int64_t column) {
  using Mask = typename Lanes<T>::Mask;
  using Int = typename Lanes<T>::Int;
  constexpr int64_t lanes = kVectorBytes / sizeof(T);
  Int numbers[lanes];
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers[lane] = Int(vector * lanes + lane);
  Mask own;
  __builtin_memcpy(&own, numbers, sizeof(Mask));
  return own > Mask{} + Int(column);
}

//===----------------------------------------------------------------------===//
// LU and Cholesky
//===----------------------------------------------------------------------===//

/// Factors one matrix.
template <typename T>
class AloneRun {
public:
  using Vector = typename Lanes<T>::Vector;
  using Mask = typename Lanes<T>::Mask;
  using Int = typename Lanes<T>::Int;
  using Kind = SmallMatrixTask::Kind;
  static constexpr int64_t lanes = kVectorBytes / sizeof(T);
  /// The rows that others are reduced by at once, and their vectors.
  static constexpr int64_t kPanel = lanes > 8 ? lanes : 8;
  static constexpr int64_t kPanelVectors = kPanel / lanes;

  AloneRun(const SmallMatrixTask &task, const SmallMatrixGroup &group,
           int64_t problem)
      : task(task), group(group), problem(problem), rows(task.operands[0].rows),
        columns(task.operands[0].columns), step(getRowStep<T>(columns)),
        matrix(static_cast<Vector *>(group.scratch)) {}

  static size_t getScratchBytes(const SmallMatrixTask &task) {
    int64_t columns = task.operands[0].columns;
    // Behind the matrix are the rows of a panel as they were.
    return size_t((task.operands[0].rows + kPanel) * getRowStep<T>(columns) *
                  kVectorBytes);
  }
  void run() {
    if (task.kind == Kind::LU)
      factorLU();
    else
      factorCholesky();
  }

private:
  T get(int64_t row, int64_t column) const {
    return getOf<T>(matrix + row * step, column);
  }
  void set(int64_t row, int64_t column, T element) {
    setOf<T>(matrix + row * step, column, element);
  }
  void read(int64_t operand, bool isTransposed) {
    readRows<T>(task.operands[operand], group.data[operand][problem],
                isTransposed, matrix, step);
  }
  void write(int64_t operand, bool isTransposed) {
    writeRows<T>(task.operands[operand], group.data[operand][problem],
                 isTransposed, matrix, step);
  }
  static T getMagnitude(T x) { return x < T(0) ? -x : x; }

  void writeNumber(int64_t operand, int64_t row, int64_t number) {
    *getElement<int32_t>(group.data[operand][problem],
                         row * task.operands[operand].rowStride) =
        int32_t(number);
  }

  template <int64_t width, int64_t height, typename Get>
  void reduceBlock(int64_t row, int64_t vector, int64_t from, int64_t to,
                   Get getFactor);
  template <typename Get>
  void reduceRows(int64_t begin, int64_t end, int64_t vector, int64_t from,
                  int64_t to, Get getFactor);

  int64_t findPivot(int64_t k) const;
  bool eliminate(int64_t k, int64_t firstVector);
  void factorLU();
  void factorCholesky();
  bool factorRows(int64_t begin, int64_t end, int64_t &info);

  const SmallMatrixTask &task;
  const SmallMatrixGroup &group;
  int64_t problem, rows, columns;
  /// The vectors of a row.
  int64_t step;
  Vector *matrix;
};

//===----------------------------------------------------------------------===//
// Multiples of rows
//===----------------------------------------------------------------------===//

/// Subtracts multiples of the rows [from, to) from some rows, in their order.
template <typename T>
template <int64_t width, int64_t height, typename Get>
void AloneRun<T>::reduceBlock(int64_t row, int64_t vector, int64_t from,
                              int64_t to, Get getFactor) {
  Vector sums[height][width];
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j)
      sums[i][j] = matrix[(row + i) * step + vector + j];
  for (int64_t k = from; k < to; ++k) {
    const Vector *own = matrix + k * step + vector;
    for (int64_t i = 0; i < height; ++i) {
      Vector factor = broadcast<T>(getFactor(row + i, k));
      for (int64_t j = 0; j < width; ++j)
        sums[i][j] -= factor * own[j];
    }
  }
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = 0; j < width; ++j)
      matrix[(row + i) * step + vector + j] = sums[i][j];
}

/// The same for the rows [begin, end), from a vector of them on.
template <typename T>
template <typename Get>
void AloneRun<T>::reduceRows(int64_t begin, int64_t end, int64_t vector,
                             int64_t from, int64_t to, Get getFactor) {
  constexpr int64_t height = 4, width = 2;
  int64_t row = begin;
  for (; row + height <= end; row += height) {
    int64_t at = vector;
    for (; at + width <= step; at += width)
      reduceBlock<width, height>(row, at, from, to, getFactor);
    if (at < step)
      reduceBlock<1, height>(row, at, from, to, getFactor);
  }
  for (; row < end; ++row)
    for (int64_t at = vector; at < step; ++at)
      reduceBlock<1, 1>(row, at, from, to, getFactor);
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

/// As `GroupRun::findPivots` does.
template <typename T>
int64_t AloneRun<T>::findPivot(int64_t k) const {
  T largest = getMagnitude(get(k, k));
  int64_t found = k;
  for (int64_t i = k + 1; i < rows; ++i) {
    T magnitude = getMagnitude(get(i, k));
    if (magnitude > largest) {
      largest = magnitude;
      found = i;
    }
  }
  return found;
}

/// As `GroupRun::eliminate` does, in the vectors of a panel. Returns whether
/// the pivot is 0.
template <typename T>
bool AloneRun<T>::eliminate(int64_t k, int64_t firstVector) {
  T pivot = get(k, k), inverse = T(1) / pivot;
  bool isZero = pivot == T(0);
  bool isTiny = getMagnitude(pivot) < Lanes<T>::leastNormal;
  int64_t count = least(kPanelVectors, step - firstVector);
  Vector own[kPanelVectors];
  Mask isAfter[kPanelVectors], isBefore[kPanelVectors];
  for (int64_t j = 0; j < count; ++j) {
    own[j] = matrix[k * step + firstVector + j];
    isAfter[j] = getColumnsBehind<T>(firstVector + j, k);
    isBefore[j] = ~getColumnsBehind<T>(firstVector + j, k - 1);
  }
  for (int64_t i = k + 1; i < rows; ++i) {
    Vector *row = matrix + i * step + firstVector;
    T element = get(i, k);
    T factor = !isTiny ? element * inverse : isZero ? element : element / pivot;
    for (int64_t j = 0; j < count; ++j) {
      Vector before = row[j], after = before - broadcast<T>(factor) * own[j];
      Mask kept = isBefore[j] & Mask(before), made = isAfter[j] & Mask(after),
           stored = ~(isBefore[j] | isAfter[j]) & Mask(broadcast<T>(factor));
      row[j] = Vector(kept | made | stored);
    }
  }
  return isZero;
}

template <typename T>
void AloneRun<T>::factorLU() {
  read(0, /*isTransposed=*/false);
  auto getFactor = [this](int64_t row, int64_t k) { return get(row, k); };
  int64_t count = least(rows, columns), info = 0;
  for (int64_t begin = 0; begin < count; begin += kPanel) {
    int64_t end = least(begin + kPanel, count), vector = begin / lanes;
    for (int64_t k = begin; k < end; ++k) {
      int64_t other = findPivot(k);
      writeNumber(2, k, other + 1);
      for (int64_t j = 0; j < step && other != k; ++j) {
        Vector own = matrix[k * step + j];
        matrix[k * step + j] = matrix[other * step + j];
        matrix[other * step + j] = own;
      }
      if (eliminate(k, vector) && info == 0)
        info = k + 1;
    }
    // What is right of the panel, in its rows and in those below it.
    vector += kPanelVectors;
    for (int64_t row = begin + 1; row < end; ++row)
      reduceRows(row, row + 1, vector, begin, row, getFactor);
    reduceRows(end, rows, vector, begin, end, getFactor);
  }
  write(1, /*isTransposed=*/false);
  writeNumber(3, 0, info);
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// Factors the rows of a panel, of which multiples of those above it have been
/// subtracted. Returns false where the matrix is not positive.
template <typename T>
bool AloneRun<T>::factorRows(int64_t begin, int64_t end, int64_t &info) {
  auto getFactor = [this](int64_t row, int64_t k) { return get(k, row); };
  const Vector *before = matrix + rows * step;
  for (int64_t k = begin; k < end; ++k) {
    int64_t vector = k / lanes;
    reduceRows(k, k + 1, vector, begin, k, getFactor);
    T diagonal = get(k, k);
    if (!(diagonal > T(0))) {
      // From there on, all stays as it was.
      info = k + 1;
      __builtin_memcpy(matrix + k * step, before + (k - begin) * step,
                       size_t((end - k) * step * kVectorBytes));
      set(k, k, diagonal);
      return false;
    }
    T root = sizeof(T) == 4 ? T(__builtin_sqrtf(float(diagonal)))
                            : T(__builtin_sqrt(double(diagonal)));
    T inverse = T(1) / root;
    for (int64_t j = vector; j < step; ++j)
      matrix[k * step + j] *= inverse;
    set(k, k, root);
  }
  return true;
}

/// Rows are columns of the lower triangle.
template <typename T>
void AloneRun<T>::factorCholesky() {
  read(0, /*isTransposed=*/true);
  auto getFactor = [this](int64_t row, int64_t k) { return get(k, row); };
  int64_t info = 0;
  for (int64_t begin = 0; begin < rows; begin += kPanel) {
    int64_t end = least(begin + kPanel, rows);
    __builtin_memcpy(matrix + rows * step, matrix + begin * step,
                     size_t((end - begin) * step * kVectorBytes));
    reduceRows(begin, end, begin / lanes, 0, begin, getFactor);
    if (!factorRows(begin, end, info))
      break;
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < i; ++j)
      set(i, j, T(0));
  write(1, /*isTransposed=*/true);
  writeNumber(2, 0, info);
}

} // namespace
