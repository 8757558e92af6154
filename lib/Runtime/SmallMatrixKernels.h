//===- SmallMatrixKernels.h - Small matrices, for one level -----*- C++ -*-===//
//
// Included by one file for each level of processors, which defines
//
//   TALLY_SMALL_MATRIX_LEVEL   the name of the SmallMatrixLevel
//   TALLY_SMALL_MATRIX_TITLE   its name for people, a string
//   TALLY_SMALL_MATRIX_BYTES   the bytes of its vectors
//
// Everything is in an anonymous namespace, and nothing inline of another header
// is called: the linker keeps one copy of such a function for all, and it may
// be the one for the newest processor. Products are not fused with sums.
//
//===----------------------------------------------------------------------===//

#include "SmallMatrices.h"

namespace {

using namespace tally::runtime;

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

} // namespace

// What follows uses it.
#include "SmallMatrixLanes.h"

namespace {

//===----------------------------------------------------------------------===//
// Substitution
//===----------------------------------------------------------------------===//

/// Solves A X = B for `width` columns of each lane, whose vectors lie next to
/// each other in each row; rows are `step` vectors apart. `get(i, j)` is an
/// element of the triangle A. What is 0 is not multiplied with anything.
template <typename T, int64_t width, typename Get>
void substitute(int64_t n, bool isUpper, bool isUnit, Get get,
                typename Lanes<T>::Vector *x, int64_t step) {
  using Vector = typename Lanes<T>::Vector;
  using Mask = typename Lanes<T>::Mask;
  for (int64_t done = 0; done < n; ++done) {
    int64_t k = isUpper ? n - 1 - done : done;
    Vector own[width];
    Mask counts[width];
    for (int64_t column = 0; column < width; ++column) {
      Vector &element = x[k * step + column];
      counts[column] = element != Vector{};
      if (!isUnit)
        element = counts[column] ? element / get(k, k) : element;
      own[column] = element;
    }
    int64_t begin = isUpper ? 0 : k + 1, end = isUpper ? k : n;
    for (int64_t i = begin; i < end; ++i) {
      Vector factor = get(i, k);
      for (int64_t column = 0; column < width; ++column)
        x[i * step + column] -=
            Vector(Mask(own[column] * factor) & counts[column]);
    }
  }
}

/// The same for A^T X = B.
template <typename T, int64_t width, typename Get>
void substituteTransposed(int64_t n, bool isUpper, bool isUnit, Get get,
                          typename Lanes<T>::Vector *x, int64_t step) {
  using Vector = typename Lanes<T>::Vector;
  for (int64_t done = 0; done < n; ++done) {
    int64_t i = isUpper ? done : n - 1 - done;
    int64_t begin = isUpper ? 0 : i + 1, end = isUpper ? i : n;
    Vector own[width];
    for (int64_t column = 0; column < width; ++column)
      own[column] = x[i * step + column];
    for (int64_t k = begin; k < end; ++k) {
      Vector factor = get(k, i);
      for (int64_t column = 0; column < width; ++column)
        own[column] -= factor * x[k * step + column];
    }
    for (int64_t column = 0; column < width; ++column)
      x[i * step + column] = isUnit ? own[column] : own[column] / get(i, i);
  }
}

/// So many columns are solved for at once, at most.
constexpr int64_t kMostColumns = 4;

/// Calls `use(first, std::integral_constant<int64_t, width>())` with columns
/// that are solved for at once.
template <typename Use>
void forEachColumns(int64_t count, Use use) {
  int64_t first = 0;
  for (; first + kMostColumns <= count; first += kMostColumns)
    use(first, std::integral_constant<int64_t, kMostColumns>());
  for (; first + 2 <= count; first += 2)
    use(first, std::integral_constant<int64_t, 2>());
  if (first < count)
    use(first, std::integral_constant<int64_t, 1>());
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

/// A problem in each lane.
template <typename T>
class GroupRun {
public:
  using Vector = typename Lanes<T>::Vector;
  using Mask = typename Lanes<T>::Mask;
  using Int = typename Lanes<T>::Int;
  using Kind = SmallMatrixTask::Kind;
  static constexpr int64_t lanes = kVectorBytes / sizeof(T);

  GroupRun(const SmallMatrixTask &task, const SmallMatrixGroup &group)
      : task(task), group(group), rows(task.operands[0].rows),
        columns(task.operands[0].columns),
        matrix(static_cast<Vector *>(group.scratch)) {}

  static size_t getScratchBytes(const SmallMatrixTask &task);
  bool run();

private:
  /// Whether the columns of a right side fill the lanes, one problem after the
  /// other; of few, those of several problems are faster.
  static bool hasColumns(const SmallMatrixTask &task) {
    int64_t rows = task.operands[0].rows;
    int64_t columns = task.operands[getRightSide(task)].columns;
    return rows > kMostEquationsAside ||
           (columns >= lanes && (columns > 4 || rows > 4));
  }
  static int64_t getRightSide(const SmallMatrixTask &task) {
    return task.kind == Kind::SolveLU ? 2 : 1;
  }

  void read(int64_t operand, Vector *to) const {
    forEachRun(task.operands[operand], group.data[operand],
               [&](const Run &run, int64_t begin, int64_t step) {
                 readRun<T>(run, to + begin, step);
               });
  }
  void write(int64_t operand, const Vector *from) const {
    forEachRun(task.operands[operand], group.data[operand],
               [&](const Run &run, int64_t begin, int64_t step) {
                 writeRun<T>(run, from + begin, step, group.count);
               });
  }
  /// Writes numbers of 32 bits, one for each row of the operand.
  void writeNumbers(int64_t operand, const Mask *from) const;

  void factorLU();
  Mask findPivots(int64_t k) const;
  void exchangeRows(Vector *x, int64_t width, int64_t row, int64_t begin,
                    int64_t end, Mask other) const;
  Mask eliminate(int64_t k);
  void factorCholesky();
  void reduceColumn(int64_t j);

  bool checkPivots() const;
  template <int64_t width, typename Get>
  void solveTriangles(Get get, Vector *x, int64_t step) const;
  void solveLanes();
  void exchangeLanes(Vector *x, int64_t width, int64_t k) const;
  void solveColumns();
  template <int64_t width>
  void solveBlock(int64_t lane, int64_t first);
  template <typename Move>
  void moveColumns(int64_t operand, int64_t lane, int64_t first,
                   Move move) const;
  void readColumns(int64_t operand, int64_t lane, int64_t first, Vector *to,
                   int64_t step) const;
  void writeColumns(int64_t operand, int64_t lane, int64_t first,
                    const Vector *from, int64_t step) const;
  template <int64_t width>
  void exchangeBlock(int64_t lane) const;

  const SmallMatrixTask &task;
  const SmallMatrixGroup &group;
  int64_t rows, columns;
  /// The vectors of the first operand, row by row; or, where columns fill the
  /// lanes, those of a block of a right side.
  Vector *matrix;
};

template <typename T>
size_t GroupRun<T>::getScratchBytes(const SmallMatrixTask &task) {
  int64_t rows = task.operands[0].rows, columns = task.operands[0].columns;
  int64_t vectors = rows * columns;
  if (task.kind == Kind::SolveLU || task.kind == Kind::SolveTriangular)
    vectors = hasColumns(task)
                  ? kMostColumns * rows
                  : vectors + rows * task.operands[getRightSide(task)].columns;
  return size_t(vectors * kVectorBytes);
}

template <typename T>
void GroupRun<T>::writeNumbers(int64_t operand, const Mask *from) const {
  const SmallMatrixTask::Operand &to = task.operands[operand];
  for (int64_t i = 0; i < to.rows; ++i) {
    Int numbers[lanes];
    __builtin_memcpy(numbers, &from[i], sizeof(Mask));
    for (int64_t lane = 0; lane < group.count; ++lane)
      *getElement<int32_t>(group.data[operand][lane], i * to.rowStride) =
          int32_t(numbers[lane]);
  }
}

//===----------------------------------------------------------------------===//
// LU
//===----------------------------------------------------------------------===//

/// The row, counted from 0, of the largest magnitude of a column, from the
/// diagonal on; the first of equal ones. A NaN is the largest only if it is the
/// first.
template <typename T>
typename GroupRun<T>::Mask GroupRun<T>::findPivots(int64_t k) const {
  auto getMagnitude = [&](int64_t row) {
    Vector x = matrix[row * columns + k];
    return x < Vector{} ? -x : x;
  };
  Vector largest = getMagnitude(k);
  Mask found = Mask{} + Int(k);
  for (int64_t i = k + 1; i < rows; ++i) {
    Vector magnitude = getMagnitude(i);
    Mask isLarger = magnitude > largest;
    largest = isLarger ? magnitude : largest;
    found = isLarger ? Mask{} + Int(i) : found;
  }
  return found;
}

/// Exchanges a row with another one in each lane, which is in [begin, end).
template <typename T>
void GroupRun<T>::exchangeRows(Vector *x, int64_t width, int64_t row,
                               int64_t begin, int64_t end, Mask other) const {
  Vector *own = x + row * width;
  for (int64_t i = begin; i < end; ++i) {
    Mask isOther = other == Int(i);
    if (!isAny(isOther))
      continue;
    Vector *theirs = x + i * width;
    // Choices would become masked stores, which some processors are slow at.
    for (int64_t j = 0; j < width; ++j) {
      Mask difference = (Mask(own[j]) ^ Mask(theirs[j])) & isOther;
      own[j] = Vector(Mask(own[j]) ^ difference);
      theirs[j] = Vector(Mask(theirs[j]) ^ difference);
    }
  }
}

/// Subtracts multiples of row k from those below it. Returns where the pivot is
/// 0: there the column is left as it is.
template <typename T>
typename GroupRun<T>::Mask GroupRun<T>::eliminate(int64_t k) {
  const Vector *own = matrix + k * columns;
  Vector pivot = own[k], inverse = T(1) / pivot;
  Mask isZero = pivot == Vector{};
  // The inverse of a subnormal may be infinite.
  Mask isTiny = (pivot < Vector{} ? -pivot : pivot) < Lanes<T>::leastNormal;
  bool isAnyTiny = isAny(isTiny);
  for (int64_t i = k + 1; i < rows; ++i) {
    Vector *row = matrix + i * columns;
    Vector factor = row[k] * inverse;
    if (isAnyTiny) {
      Vector quotient = isZero ? row[k] : row[k] / pivot;
      factor = isTiny ? quotient : factor;
    }
    row[k] = factor;
    for (int64_t j = k + 1; j < columns; ++j)
      row[j] -= factor * own[j];
  }
  return isZero;
}

template <typename T>
void GroupRun<T>::factorLU() {
  read(0, matrix);
  Mask info = {}, pivots[kMostRowsAside];
  for (int64_t k = 0; k < least(rows, columns); ++k) {
    Mask found = findPivots(k);
    exchangeRows(matrix, columns, k, k + 1, rows, found);
    pivots[k] = found + Int(1);
    Mask isFirst = eliminate(k) & (info == Mask{});
    info = isFirst ? Mask{} + Int(k + 1) : info;
  }
  write(1, matrix);
  writeNumbers(2, pivots);
  writeNumbers(3, &info);
}

//===----------------------------------------------------------------------===//
// Cholesky
//===----------------------------------------------------------------------===//

/// Subtracts from a column what the columns before it make, from the diagonal
/// on: a few rows at once.
template <typename T>
void GroupRun<T>::reduceColumn(int64_t j) {
  constexpr int64_t together = 4;
  const Vector *own = matrix + j * columns;
  auto reduce = [&](Vector *first, auto count) {
    Vector sums[count.value];
    for (int64_t i = 0; i < count.value; ++i)
      sums[i] = first[i * columns + j];
    for (int64_t k = 0; k < j; ++k)
      for (int64_t i = 0; i < count.value; ++i)
        sums[i] -= first[i * columns + k] * own[k];
    for (int64_t i = 0; i < count.value; ++i)
      first[i * columns + j] = sums[i];
  };
  int64_t i = j;
  for (; i + together <= rows; i += together)
    reduce(matrix + i * columns, std::integral_constant<int64_t, together>());
  for (; i < rows; ++i)
    reduce(matrix + i * columns, std::integral_constant<int64_t, 1>());
}

template <typename T>
void GroupRun<T>::factorCholesky() {
  read(0, matrix);
  Mask info = {};
  for (int64_t j = 0; j < rows; ++j) {
    // From where the matrix is not positive on, a lane stays as it is.
    Vector before[kMostRowsAside];
    for (int64_t i = j; i < rows; ++i)
      before[i] = matrix[i * columns + j];
    reduceColumn(j);
    Vector &diagonal = matrix[j * columns + j];
    Mask isOver = info != Mask{};
    Mask isFailed = ~(diagonal > Vector{});
    info = (isFailed & ~isOver) ? Mask{} + Int(j + 1) : info;
    Vector root;
    for (int64_t lane = 0; lane < lanes; ++lane)
      root[lane] = sizeof(T) == 4 ? T(__builtin_sqrtf(float(diagonal[lane])))
                                  : T(__builtin_sqrt(double(diagonal[lane])));
    Vector inverse = T(1) / root;
    diagonal = isOver ? before[j] : isFailed ? diagonal : root;
    for (int64_t i = j + 1; i < rows; ++i) {
      Vector &element = matrix[i * columns + j];
      element = (isOver | isFailed) ? before[i] : element * inverse;
    }
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i + 1; j < columns; ++j)
      matrix[i * columns + j] = Vector{};
  write(1, matrix);
  writeNumbers(2, &info);
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

template <typename T>
bool GroupRun<T>::checkPivots() const {
  int64_t stride = task.operands[1].rowStride;
  for (int64_t lane = 0; lane < group.count; ++lane)
    for (int64_t k = 0; k < rows; ++k) {
      int32_t pivot = *getElement<int32_t>(group.data[1][lane], k * stride);
      if (pivot < 1 || pivot > rows)
        return false;
    }
  return true;
}

/// Solves for columns of each lane; rows have been exchanged, or will be.
template <typename T>
template <int64_t width, typename Get>
void GroupRun<T>::solveTriangles(Get get, Vector *x, int64_t step) const {
  if (task.kind == Kind::SolveTriangular)
    return substitute<T, width>(rows, task.isUpper, task.isUnit, get, x, step);
  if (task.isTransposed) {
    substituteTransposed<T, width>(rows, true, false, get, x, step);
    return substituteTransposed<T, width>(rows, false, true, get, x, step);
  }
  substitute<T, width>(rows, false, true, get, x, step);
  substitute<T, width>(rows, true, false, get, x, step);
}

/// Exchanges row k of a right side with that of the pivot, in each lane.
template <typename T>
void GroupRun<T>::exchangeLanes(Vector *x, int64_t width, int64_t k) const {
  Int numbers[lanes];
  int64_t stride = task.operands[1].rowStride, begin = rows;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    numbers[lane] =
        Int(*getElement<int32_t>(group.data[1][lane], k * stride) - 1);
    begin = least(begin, numbers[lane]);
  }
  Mask other;
  __builtin_memcpy(&other, numbers, sizeof(Mask));
  // What a factorization makes is never before the diagonal.
  for (int64_t i = begin; i < k; ++i)
    exchangeRows(x, width, k, i, i + 1, other);
  exchangeRows(x, width, k, k + 1, rows, other);
}

/// A problem in each lane.
template <typename T>
void GroupRun<T>::solveLanes() {
  int64_t side = getRightSide(task), width = task.operands[side].columns;
  Vector *x = matrix + rows * columns;
  read(0, matrix);
  read(side, x);
  bool hasPivots = task.kind == Kind::SolveLU;
  for (int64_t k = 0; k < rows && hasPivots && !task.isTransposed; ++k)
    exchangeLanes(x, width, k);
  auto get = [&](int64_t i, int64_t j) { return matrix[i * columns + j]; };
  forEachColumns(width, [&](int64_t first, auto count) {
    solveTriangles<count.value>(get, x + first, width);
  });
  for (int64_t k = rows; k-- > 0 && hasPivots && task.isTransposed;)
    exchangeLanes(x, width, k);
  write(side + 1, x);
}

/// Exchanges the rows of a block of one problem.
template <typename T>
template <int64_t width>
void GroupRun<T>::exchangeBlock(int64_t lane) const {
  int64_t stride = task.operands[1].rowStride;
  for (int64_t done = 0; done < rows; ++done) {
    int64_t k = task.isTransposed ? rows - 1 - done : done;
    int64_t other = *getElement<int32_t>(group.data[1][lane], k * stride) - 1;
    for (int64_t column = 0; column < width; ++column) {
      Vector own = matrix[k * width + column];
      matrix[k * width + column] = matrix[other * width + column];
      matrix[other * width + column] = own;
    }
  }
}

/// Calls `move(run, count)` with the columns of a right side that are in the
/// lanes, from one on, and how many there are. Behind them is the first one
/// again.
template <typename T>
template <typename Move>
void GroupRun<T>::moveColumns(int64_t operand, int64_t lane, int64_t first,
                              Move move) const {
  const SmallMatrixTask::Operand &side = task.operands[operand];
  int64_t count = least(lanes, side.columns - first);
  void *columns[lanes];
  for (int64_t i = 0; i < lanes; ++i)
    columns[i] =
        getElement<T>(group.data[operand][lane],
                      (first + (i < count ? i : 0)) * side.columnStride);
  move(Run{columns, 0, side.rowStride, rows}, count);
}

template <typename T>
void GroupRun<T>::readColumns(int64_t operand, int64_t lane, int64_t first,
                              Vector *to, int64_t step) const {
  bool isTogether = task.operands[operand].columnStride == 1;
  moveColumns(operand, lane, first, [&](const Run &run, int64_t count) {
    if (!isTogether || count < lanes)
      return readRun<T>(run, to, step);
    for (int64_t i = 0; i < rows; ++i)
      __builtin_memcpy(&to[i * step],
                       getElement<T>(run.lanes[0], i * run.stride),
                       sizeof(Vector));
  });
}

template <typename T>
void GroupRun<T>::writeColumns(int64_t operand, int64_t lane, int64_t first,
                               const Vector *from, int64_t step) const {
  bool isTogether = task.operands[operand].columnStride == 1;
  moveColumns(operand, lane, first, [&](const Run &run, int64_t count) {
    if (!isTogether || count < lanes)
      return writeRun<T>(run, from, step, count);
    for (int64_t i = 0; i < rows; ++i)
      __builtin_memcpy(getElement<T>(run.lanes[0], i * run.stride),
                       &from[i * step], sizeof(Vector));
  });
}

/// Some columns of the right side of a problem: as many as the lanes of `width`
/// vectors, or all that are left.
template <typename T>
template <int64_t width>
void GroupRun<T>::solveBlock(int64_t lane, int64_t first) {
  int64_t side = getRightSide(task);
  const SmallMatrixTask::Operand &factors = task.operands[0];
  const T *elements = getElement<T>(group.data[0][lane], 0);
  for (int64_t i = 0; i < width; ++i)
    readColumns(side, lane, first + i * lanes, matrix + i, width);
  if (task.kind == Kind::SolveLU && !task.isTransposed)
    exchangeBlock<width>(lane);
  solveTriangles<width>(
      [&](int64_t i, int64_t j) {
        return Vector{} +
               elements[i * factors.rowStride + j * factors.columnStride];
      },
      matrix, width);
  if (task.kind == Kind::SolveLU && task.isTransposed)
    exchangeBlock<width>(lane);
  for (int64_t i = 0; i < width; ++i)
    writeColumns(side + 1, lane, first + i * lanes, matrix + i, width);
}

template <typename T>
void GroupRun<T>::solveColumns() {
  int64_t vectors =
      (task.operands[getRightSide(task)].columns + lanes - 1) / lanes;
  for (int64_t lane = 0; lane < group.count; ++lane)
    forEachColumns(vectors, [&](int64_t first, auto count) {
      solveBlock<count.value>(lane, first * lanes);
    });
}

template <typename T>
bool GroupRun<T>::run() {
  switch (task.kind) {
  case Kind::LU:
    factorLU();
    return true;
  case Kind::Cholesky:
    factorCholesky();
    return true;
  case Kind::SolveLU:
    if (!checkPivots())
      return false;
    break;
  case Kind::SolveTriangular:
    break;
  case Kind::QR:
    __builtin_unreachable();
  }
  if (hasColumns(task))
    solveColumns();
  else
    solveLanes();
  return true;
}

} // namespace

// What follows uses it.
#include "SmallMatrixAlone.h"
#include "SmallMatrixQR.h"

namespace {

template <typename T>
size_t getScratchBytesOf(const SmallMatrixTask &task) {
  if (task.kind == SmallMatrixTask::Kind::QR)
    return QRRun<T>::getScratchBytes(task);
  return task.isAlone ? AloneRun<T>::getScratchBytes(task)
                      : GroupRun<T>::getScratchBytes(task);
}

template <typename T>
bool runOf(const SmallMatrixTask &task, const SmallMatrixGroup &group) {
  if (!task.isAlone)
    return GroupRun<T>(task, group).run();
  for (int64_t problem = 0; problem < group.count; ++problem)
    if (task.kind == SmallMatrixTask::Kind::QR)
      QRRun<T>(task, group, problem).run();
    else
      AloneRun<T>(task, group, problem).run();
  return true;
}

size_t getScratchBytes(const SmallMatrixTask &task) {
  return task.isDouble ? getScratchBytesOf<double>(task)
                       : getScratchBytesOf<float>(task);
}

bool run(const SmallMatrixTask &task, const SmallMatrixGroup &group) {
  return task.isDouble ? runOf<double>(task, group) : runOf<float>(task, group);
}

} // namespace

const SmallMatrixLevel tally::runtime::TALLY_SMALL_MATRIX_LEVEL = {
    TALLY_SMALL_MATRIX_TITLE, kVectorBytes, getScratchBytes, run};
