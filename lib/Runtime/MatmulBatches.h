//===- MatmulBatches.h - Batches of small matmuls ---------------*- C++ -*-===//
//
// Matrices that are so small that packing them, or a call for each, takes
// longer than to multiply them: some rows of a result stay in registers while
// rows of B are read where they are. A part of MatmulKernels.h, whose rules
// hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

/// The types that have such batches.
template <typename T>
constexpr bool isBatched = false;
template <>
constexpr bool isBatched<float> = true;
template <>
constexpr bool isBatched<double> = true;

/// An element alone.
template <typename T>
struct Single {
  using Vec = T;
  static Vec load(const T *from) { return *from; }
  static void store(T *to, Vec value) { *to = value; }
};

/// All elements of a vector that is shorter than those of the level.
template <typename T, int64_t count>
struct Short {
  typedef T Vec __attribute__((vector_size(count * sizeof(T))));
  typedef T Unaligned __attribute__((vector_size(count * sizeof(T)),
                                     aligned(alignof(T)), may_alias));
  static Vec load(const T *from) {
    return *reinterpret_cast<const Unaligned *>(from);
  }
  static void store(T *to, Vec value) {
    *reinterpret_cast<Unaligned *>(to) = value;
  }
};

/// The matmuls of a batch. The columns of c are next to each other, or there is
/// but one.
template <typename T>
class BatchProduct {
public:
  /// The task is the first of them.
  BatchProduct(const MatmulTask &task, const MatmulBatch &batch)
      : m(task.m), n(task.n), k(task.k), batch(batch), a(task.a), b(task.b),
        cRowStride(task.c.rowStride), x(static_cast<const T *>(a.data)),
        y(static_cast<const T *>(b.data)), z(static_cast<T *>(task.c.data)) {}

  void run() {
    if (n == 1 && a.columnStride == 1 && b.rowStride == 1 && 2 * k >= lanes)
      return runDots();
    if (overlapsRows())
      return runOverlapping();
    // Parts of the rows are as even as possible.
    runRows((m - 1) / ((m - 1) / mostRows + 1) + 1);
  }

private:
  static constexpr int64_t lanes = Vector<T>::lanes;
  /// The rows that are computed at once, and those of sums along memory.
  static constexpr int mostRows = 8, dotRows = 4;
  /// The most columns that are computed one at a time where they lie apart.
  static constexpr int64_t fewColumns = 3;

  /// Goes over rows, so many at a time.
  template <int together = mostRows>
  void runRows(int64_t rows) {
    if constexpr (together > 1)
      if (rows < together)
        return runRows<together - 1>(rows);
    if (n == 1 || (b.columnStride != 1 && n <= fewColumns))
      runColumns<together>();
    else
      runVectors<together>();
  }

  /// Whether rows of C are shorter than a vector, follow each other without a
  /// gap, and are so many that copying B does not matter.
  bool overlapsRows() const {
    int64_t fewRows = batch.stepB == 0 ? mostRows : 4 * mostRows;
    return n > 1 && n < lanes && cRowStride == n && m > fewRows &&
           k <= kMaxBatchDepth;
  }

  /// Stores a whole vector for each row: what is behind the row is replaced by
  /// the rows that follow. The last rows are stored without.
  template <int64_t width = 16 / sizeof(T)>
  void runOverlapping() {
    if constexpr (width < lanes)
      if (n > width)
        return runOverlapping<2 * width>();
    static_assert(width <= lanes);
    alignas(64) T panel[kMaxBatchDepth * width] = {};
    Part<T> part(n);
    for (int64_t i = 0; i < batch.count; ++i) {
      if (i == 0 || batch.stepB != 0)
        turn(y, n, width, panel);
      for (int64_t row = 0; row < m - mostRows; row += mostRows)
        multiply<mostRows>(Short<T, width>(), row, panel, width, z);
      multiply<mostRows>(part, m - mostRows, panel, width, z);
      goOn();
    }
  }

  void goOn() {
    x += batch.stepA;
    y += batch.stepB;
    z += batch.stepC;
  }

  /// Some rows of a result, and a vector of its columns.
  template <int rows, typename Columns>
  void multiply(const Columns &columns, int64_t row, const T *right,
                int64_t rightStride, T *to) const {
    typename Columns::Vec sums[rows];
    TALLY_UNROLL
    for (int i = 0; i < rows; ++i)
      sums[i] = typename Columns::Vec{};
    const T *left = x + row * a.rowStride;
    for (int64_t p = 0; p < k; ++p) {
      auto line = columns.load(right);
      TALLY_UNROLL
      for (int i = 0; i < rows; ++i)
        sums[i] += left[i * a.rowStride] * line;
      left += a.columnStride;
      right += rightStride;
    }
    to += row * cRowStride;
    TALLY_UNROLL
    for (int i = 0; i < rows; ++i)
      columns.store(to + i * cRowStride, sums[i]);
  }

  /// All rows of a vector of columns. The last ones are computed with some in
  /// front of them once more.
  template <int rows, typename Columns>
  void multiplyAll(const Columns &columns, const T *right, int64_t rightStride,
                   T *to) const {
    for (int64_t row = 0; row < m; row += rows)
      multiply<rows>(columns, least(row, m - rows), right, rightStride, to);
  }

  template <int rows>
  void runColumns() {
    for (int64_t i = 0; i < batch.count; ++i) {
      for (int64_t j = 0; j < n; ++j)
        multiplyAll<rows>(Single<T>(), y + j * b.columnStride, b.rowStride,
                          z + j);
      goOn();
    }
  }

  /// Copies columns of B as rows of `width` elements.
  __attribute__((noinline)) void turn(const T *from, int64_t columns,
                                      int64_t width, T *panel) const {
    copyPanel(columns, width, k, from, b.columnStride, b.rowStride, panel);
  }

  template <int rows>
  void runVectors() {
    int64_t whole = n / lanes * lanes;
    Part<T> all(lanes), part(n - whole);
    alignas(64) T panel[kMaxBatchDepth * lanes];
    bool isTurned = b.columnStride != 1;
    for (int64_t i = 0; i < batch.count; ++i) {
      for (int64_t j = 0; j < n; j += lanes) {
        const T *right = y + j * b.columnStride;
        int64_t stride = b.rowStride;
        if (isTurned) {
          if (i == 0 || batch.stepB != 0 || n > lanes)
            turn(right, least(lanes, n - j), lanes, panel);
          right = panel;
          stride = lanes;
        }
        multiplyAll<rows>(j < whole ? all : part, right, stride, z + j);
      }
      goOn();
    }
  }

  /// Sums of some rows that run along memory.
  template <int rows>
  void addDots(int64_t row) const {
    Part<T> all(lanes), part(k % lanes);
    typename Vector<T>::Type sums[dotRows] = {};
    const T *left = x + row * a.rowStride;
    int64_t p = 0;
    auto add = [&](const auto &columns) {
      auto line = columns.load(y + p);
      TALLY_UNROLL
      for (int i = 0; i < rows; ++i)
        sums[i] += columns.load(left + i * a.rowStride + p) * line;
    };
    for (; p + lanes <= k; p += lanes)
      add(all);
    if (p < k)
      add(part);
    T results[dotRows];
    addUpAll<T>(sums, results);
    TALLY_UNROLL
    for (int i = 0; i < rows; ++i)
      z[(row + i) * cRowStride] = results[i];
  }

  void runDots() {
    for (int64_t i = 0; i < batch.count; ++i) {
      int64_t row = 0;
      for (; row + dotRows <= m; row += dotRows)
        addDots<dotRows>(row);
      for (; row < m; ++row)
        addDots<1>(row);
      goOn();
    }
  }

  int64_t m, n, k;
  MatmulBatch batch;
  MatmulMatrix<const void *> a, b;
  int64_t cRowStride;
  const T *x, *y;
  T *z;
};

} // namespace
