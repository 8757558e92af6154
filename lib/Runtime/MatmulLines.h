//===- MatmulLines.h - Sums over lines of two images ------------*- C++ -*-===//
//
// Where all that is summed over lies in lines, as in the gradient of the weight
// of a convolution, each element of the result is the sum of products of lines
// of both operands, which are read where they are. Lines of B whose elements
// lie apart are copied first, for some columns at once, unless they are used by
// few rows. A part of MatmulKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

/// The rows and columns of a tile, whose sums stay in registers.
constexpr int kLineRows = TALLY_MATMUL_BYTES > 32 ? 4 : 2;
constexpr int kLineColumns = TALLY_MATMUL_BYTES > 32 ? 6 : 4;
/// So many elements of each row and column are summed at once: those of a tile
/// stay in the first cache.
constexpr int64_t kLineBlock = 1024;

/// Lines of both operands, all of one length: where they are in a row and in a
/// column.
struct LineBlock {
  int64_t count, length;
  int64_t offsetsOfA[kLineBlock / kShortestLine],
      offsetsOfB[kLineBlock / kShortestLine];
};

/// Each second element of a vector and of one that begins at the last element
/// of it: nothing behind the last one is read.
template <typename Vec, int64_t... lanes>
Vec takeSpaced(Vec low, Vec high, Lanes<lanes...>) {
  constexpr int64_t half = sizeof...(lanes) / 2;
  return __builtin_shufflevector(low, high, (2 * lanes + (lanes >= half))...);
}

/// Loads elements of a line that lie `spacing` apart, 1 or 2: whole vectors,
/// and the rest of a line.
template <typename T, int spacing>
class LineLoader {
public:
  using Vec = typename Vector<T>::Type;
  static constexpr int64_t lanes = Vector<T>::lanes;

  explicit LineLoader(int64_t rest)
      : low(spacing == 1 ? rest : most(least(2 * rest - 1, lanes), 0)),
        high(most(2 * rest - lanes, 0)) {}

  Vec load(const T *from) const {
    return combine(::load(from), [&] { return ::load(from + lanes - 1); });
  }
  Vec loadRest(const T *from) const {
    return combine(low.load(from), [&] { return high.load(from + lanes - 1); });
  }

private:
  template <typename Load>
  static Vec combine(Vec first, Load loadSecond) {
    if constexpr (spacing == 1)
      return first;
    else
      return takeSpaced(first, loadSecond(),
                        typename CountLanes<lanes>::Type());
  }

  Part<T> low, high;
};

/// Adds up products of lines, for rows of A and columns of B that begin at
/// these addresses. Gives the sums row by row.
template <typename T, int M, int N, int spacing>
void multiplyLines(const T *const *rows, const T *const *columns,
                   const LineBlock &block, T *to) {
  using Vec = typename Vector<T>::Type;
  constexpr int64_t lanes = Vector<T>::lanes;
  constexpr int groups = (M * N + 3) / 4;
  Vec sums[4 * groups] = {};
  int64_t whole = block.length / lanes * lanes;
  LineLoader<T, 1> left(block.length - whole);
  LineLoader<T, spacing> right(block.length - whole);
  for (int64_t line = 0; line < block.count; ++line) {
    int64_t offsetOfA = block.offsetsOfA[line],
            offsetOfB = block.offsetsOfB[line];
    auto addStep = [&](int64_t p, auto loadLeft, auto loadRight) {
      Vec values[N];
      TALLY_UNROLL
      for (int j = 0; j < N; ++j)
        values[j] = loadRight(columns[j] + offsetOfB + p * spacing);
      TALLY_UNROLL
      for (int i = 0; i < M; ++i) {
        Vec factor = loadLeft(rows[i] + offsetOfA + p);
        TALLY_UNROLL
        for (int j = 0; j < N; ++j)
          sums[i * N + j] += factor * values[j];
      }
    };
    for (int64_t p = 0; p < whole; p += lanes)
      addStep(
          p, [&](const T *from) { return left.load(from); },
          [&](const T *from) { return right.load(from); });
    if (whole < block.length)
      addStep(
          whole, [&](const T *from) { return left.loadRest(from); },
          [&](const T *from) { return right.loadRest(from); });
  }
  TALLY_UNROLL
  for (int group = 0; group < groups; ++group) {
    Vec four[4];
    TALLY_UNROLL
    for (int i = 0; i < 4; ++i)
      four[i] = sums[4 * group + i];
    addUpAll<T>(four, to + 4 * group);
  }
}

/// A matmul of the method Lines.
template <typename T>
class LineProducts {
public:
  explicit LineProducts(const MatmulTask &task)
      : task(task), a(getIndex(task.a, task.m, task.k)),
        b(getIndex(task.b, task.n, task.k, /*isTurned=*/true)),
        dataOfA(static_cast<const T *>(task.a.data)),
        dataOfB(static_cast<const T *>(task.b.data)),
        lineLength(least(getLast(a.depth), getLast(b.depth))),
        spacing(b.depth.strides[b.depth.rank - 1]),
        copied(static_cast<T *>(task.scratch)) {}

  static size_t countBytes() { return kLineColumns * kLineBlock * sizeof(T); }

  void run() {
    for (int64_t p = 0; p < task.k; p += block.count * block.length) {
      findLines(p);
      adds = p > 0;
      if (spacing == 1)
        runInPlace<kLineRows, 1>();
      else if (spacing == 2 && task.m < kLineRows)
        runInPlace<1, 2>();
      else
        runCopied();
    }
  }

private:
  static MatmulLayout getIndex(const MatmulMatrix<const void *> &matrix,
                               int64_t outer, int64_t depth,
                               bool isTurned = false) {
    if (matrix.layout)
      return *matrix.layout;
    int64_t outerStride = isTurned ? matrix.columnStride : matrix.rowStride;
    int64_t depthStride = isTurned ? matrix.rowStride : matrix.columnStride;
    return {{1, {outer}, {outerStride}}, {1, {depth}, {depthStride}}, 0};
  }
  static int64_t getLast(const MatmulIndex &index) {
    return index.sizes[index.rank - 1];
  }

  /// Finds lines from the summed element `p` on: whole ones, or a part of one.
  void findLines(int64_t p) {
    block.length = least(lineLength - p % lineLength, kLineBlock);
    block.count = 1;
    if (block.length == lineLength)
      block.count = least(kLineBlock / lineLength, (task.k - p) / lineLength);
    setLines(a.depth, p, block.offsetsOfA);
    setLines(b.depth, p, block.offsetsOfB);
  }

  void setLines(const MatmulIndex &depth, int64_t p, int64_t *offsets) {
    int64_t stride = depth.strides[depth.rank - 1];
    forEachRun(depth, p, block.count * block.length,
               [&](int64_t, int64_t offset, int64_t length) {
                 for (int64_t i = 0; i < length; i += block.length)
                   *offsets++ = offset + i * stride;
               });
  }

  /// Tiles of so many rows read lines where they are.
  template <int M, int apart>
  void runInPlace() {
    runRows<M>([&](auto rows, int64_t row) {
      runColumns([&](auto columns, int64_t column) {
        const T *starts[int(columns)];
        setStarts<int(columns)>(b.outer, dataOfB, task.b.start + column,
                                starts);
        runTile<int(rows), int(columns), apart>(block, row, column, starts);
      });
    });
  }

  /// Lines of some columns are copied before tiles use them.
  void runCopied() {
    runColumns([&](auto columns, int64_t column) {
      const T *starts[int(columns)];
      setStarts<int(columns)>(b.outer, dataOfB, task.b.start + column, starts);
      LineBlock here = copyLines<int(columns)>(starts);
      runRows<kLineRows>([&](auto rows, int64_t row) {
        runTile<int(rows), int(columns), 1>(here, row, column, starts);
      });
    });
  }

  template <int count>
  struct Count {
    constexpr operator int() const { return count; }
  };

  /// Calls a function for the columns of each tile, and the first of them: what
  /// is left has tiles of half as many.
  template <int N = kLineColumns, typename Use>
  void runColumns(Use use, int64_t column = 0) {
    for (; column + N <= task.n; column += N)
      use(Count<N>(), column);
    if constexpr (N > 1)
      runColumns<(N % 2 == 0 ? N / 2 : 1)>(use, column);
  }

  /// The same for rows, which are single ones at the end.
  template <int M, typename Use>
  void runRows(Use use) {
    int64_t row = 0;
    if constexpr (M > 1)
      for (; row + M <= task.m; row += M)
        use(Count<M>(), row);
    for (; row < task.m; ++row)
      use(Count<1>(), row);
  }

  /// Copies the lines of some columns, whose elements lie next to each other
  /// then. Changes where the columns start.
  template <int N>
  LineBlock copyLines(const T **starts) const {
    LineBlock copy = block;
    for (int64_t line = 0; line < block.count; ++line) {
      copy.offsetsOfB[line] = line * block.length;
      for (int j = 0; j < N; ++j)
        copySpaced(starts[j] + block.offsetsOfB[line], spacing, block.length,
                   copied + j * kLineBlock + line * block.length);
    }
    for (int j = 0; j < N; ++j)
      starts[j] = copied + j * kLineBlock;
    return copy;
  }

  template <int M, int N, int apart>
  void runTile(const LineBlock &lines, int64_t row, int64_t column,
               const T *const *columns) const {
    const T *rows[M];
    setStarts<M>(a.outer, dataOfA, task.a.start + row, rows);
    T sums[(M * N + 3) / 4 * 4];
    multiplyLines<T, M, N, apart>(rows, columns, lines, sums);
    for (int64_t i = 0; i < M; ++i)
      for (int64_t j = 0; j < N; ++j) {
        T &target =
            static_cast<T *>(task.c.data)[(row + i) * task.c.rowStride +
                                          (column + j) * task.c.columnStride];
        target = adds ? target + sums[i * N + j] : sums[i * N + j];
      }
  }

  /// Finds where some rows or columns begin.
  template <int count>
  static void setStarts(const MatmulIndex &outer, const T *data, int64_t first,
                        const T **starts) {
    int64_t stride = outer.strides[outer.rank - 1];
    forEachRun(outer, first, count,
               [&](int64_t at, int64_t offset, int64_t length) {
                 for (int64_t i = 0; i < length; ++i)
                   starts[at + i] = data + offset + i * stride;
               });
  }

  const MatmulTask &task;
  MatmulLayout a, b;
  const T *dataOfA, *dataOfB;
  /// The elements of a line, and how far apart they are in B.
  int64_t lineLength, spacing;
  T *copied;
  LineBlock block;
  /// Whether the block adds to the result of those before it.
  bool adds = false;
};

} // namespace
