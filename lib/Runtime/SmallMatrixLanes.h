//===- SmallMatrixLanes.h - A matrix in each lane of vectors ----*- C++ -*-===//
//
// Moves matrices between memory, where each lies by itself, and vectors with an
// element of each matrix. A part of SmallMatrixKernels.h, whose rules hold here
// too.
//
//===----------------------------------------------------------------------===//

#include <utility>

// NOLINTBEGIN(modernize-use-using): an attribute of a dependent type.
namespace {

constexpr int64_t kVectorBytes = TALLY_SMALL_MATRIX_BYTES;

/// Types of vectors of floats.
template <typename T>
struct Lanes;
template <>
struct Lanes<float> {
  typedef float Vector __attribute__((vector_size(kVectorBytes)));
  typedef int32_t Mask __attribute__((vector_size(kVectorBytes)));
  using Int = int32_t;
  static constexpr float leastNormal = 1.17549435e-38F,
                         greatest = 3.40282347e+38F;
};
template <>
struct Lanes<double> {
  typedef double Vector __attribute__((vector_size(kVectorBytes)));
  typedef int64_t Mask __attribute__((vector_size(kVectorBytes)));
  using Int = int64_t;
  static constexpr double leastNormal = 2.2250738585072014e-308,
                          greatest = 1.7976931348623157e+308;
};

/// Whether a comparison holds for a lane at least.
template <typename Mask>
bool isAny(Mask mask) {
  typedef uint64_t Words __attribute__((vector_size(kVectorBytes)));
#if __has_builtin(__builtin_reduce_or)
  return __builtin_reduce_or(Words(mask)) != 0;
#else
  uint64_t words = 0;
  for (int64_t i = 0; i < kVectorBytes / int64_t(sizeof(uint64_t)); ++i)
    words |= Words(mask)[i];
  return words != 0;
#endif
}

/// Elements of a lane, which lie a stride apart.
template <typename T>
T *getElement(void *lane, int64_t offset) {
  return static_cast<T *>(lane) + offset;
}

/// Exchanges the lanes of two vectors that differ in the bit `distance`.
template <int distance, typename Vector, int... lane>
void exchange(Vector &a, Vector &b, std::integer_sequence<int, lane...>) {
  constexpr int lanes = sizeof...(lane);
  Vector low = __builtin_shufflevector(
      a, b, ((lane & distance) ? lanes + lane - distance : lane)...);
  b = __builtin_shufflevector(
      a, b, ((lane & distance) ? lanes + lane : lane + distance)...);
  a = low;
}

/// Transposes a square of vectors.
template <typename T, int distance = 1>
void transpose(typename Lanes<T>::Vector *rows) {
  constexpr int lanes = kVectorBytes / sizeof(T);
  if constexpr (distance < lanes) {
    for (int row = 0; row < lanes; ++row)
      if ((row & distance) == 0)
        exchange<distance>(rows[row], rows[row + distance],
                           std::make_integer_sequence<int, lanes>());
    transpose<T, 2 * distance>(rows);
  }
}

/// Elements of each lane that lie a stride apart, from an offset on.
struct Run {
  void *const *lanes;
  int64_t offset, stride, count;
};

/// Makes vectors of a run, `step` apart.
template <typename T>
__attribute__((noinline)) void
readRun(const Run &run, typename Lanes<T>::Vector *to, int64_t step) {
  constexpr int64_t lanes = kVectorBytes / sizeof(T);
  using Vector = typename Lanes<T>::Vector;
  if (run.stride == 1 && run.count >= lanes) {
    Vector rows[lanes];
    // What is left at the end is read together with what is before it.
    for (int64_t i = 0; i < run.count; i += lanes) {
      int64_t begin = least(i, run.count - lanes);
      for (int64_t lane = 0; lane < lanes; ++lane)
        __builtin_memcpy(&rows[lane],
                         getElement<T>(run.lanes[lane], run.offset + begin),
                         sizeof(Vector));
      transpose<T>(rows);
      for (int64_t row = 0; row < lanes; ++row)
        to[(begin + row) * step] = rows[row];
    }
    return;
  }
  for (int64_t i = 0; i < run.count; ++i) {
    T elements[lanes];
    for (int64_t lane = 0; lane < lanes; ++lane)
      elements[lane] =
          *getElement<T>(run.lanes[lane], run.offset + i * run.stride);
    __builtin_memcpy(&to[i * step], elements, sizeof(Vector));
  }
}

/// Writes vectors, `step` apart, to a run of the first `count` lanes.
template <typename T>
__attribute__((noinline)) void writeRun(const Run &run,
                                        const typename Lanes<T>::Vector *from,
                                        int64_t step, int64_t count) {
  constexpr int64_t lanes = kVectorBytes / sizeof(T);
  using Vector = typename Lanes<T>::Vector;
  if (run.stride == 1 && run.count >= lanes) {
    Vector rows[lanes];
    for (int64_t i = 0; i < run.count; i += lanes) {
      int64_t begin = least(i, run.count - lanes);
      for (int64_t row = 0; row < lanes; ++row)
        rows[row] = from[(begin + row) * step];
      transpose<T>(rows);
      for (int64_t lane = 0; lane < count; ++lane)
        __builtin_memcpy(getElement<T>(run.lanes[lane], run.offset + begin),
                         &rows[lane], sizeof(Vector));
    }
    return;
  }
  for (int64_t i = 0; i < run.count; ++i) {
    T elements[lanes];
    __builtin_memcpy(elements, &from[i * step], sizeof(Vector));
    for (int64_t lane = 0; lane < count; ++lane)
      *getElement<T>(run.lanes[lane], run.offset + i * run.stride) =
          elements[lane];
  }
}

/// Calls `use(run, begin, step)` with the runs of an operand: from `begin` on
/// the vectors of a run are `step` apart, where those of a matrix lie row by
/// row. Runs go along the elements that lie together.
template <typename Use>
void forEachRun(const SmallMatrixTask::Operand &matrix, void *const *lanes,
                Use use) {
  int64_t rows = matrix.rows, columns = matrix.columns;
  if (matrix.columnStride == 1 && matrix.rowStride == columns) {
    use(Run{lanes, 0, 1, rows * columns}, 0, 1);
  } else if (matrix.rowStride == 1) {
    for (int64_t j = 0; j < columns; ++j)
      use(Run{lanes, j * matrix.columnStride, 1, rows}, j, columns);
  } else {
    for (int64_t i = 0; i < rows; ++i)
      use(Run{lanes, i * matrix.rowStride, matrix.columnStride, columns},
          i * columns, 1);
  }
}

} // namespace
// NOLINTEND(modernize-use-using)
