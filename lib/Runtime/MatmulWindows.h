//===- MatmulWindows.h - Columns that are read in place ---------*- C++ -*-===//
//
// Where the columns of B are the windows of an image that move by one element,
// each row of B is the image itself, from another element on. Nothing is
// packed: the micro kernel runs over the image as if it had no ends of rows,
// and what it computes for windows across them is left out. A part of
// MatmulKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

/// A tile of the result has so many vectors of columns, and rows. Most vectors
/// that are read cross a line of the cache, which takes twice as long; where
/// there are registers for three of them, fewer elements of A are read for as
/// many products.
constexpr int kWindowVectors = TALLY_MATMUL_BYTES > 32 ? 3 : 2;
constexpr int kWindowRows = kMaxRows * 2 / kWindowVectors;

/// tile = a b, for M rows and some vectors of columns, which lie next to each
/// other: row p of b begins at `offsets[p]`. If it `adds`, tile += a b. If
/// `kept` is not null, the tile has only the columns that are kept.
template <typename T, int M>
void multiplyWindows(int64_t depth, const T *a, const T *b,
                     const int64_t *offsets, T *tile, int64_t stride, bool adds,
                     const KeptColumns<T, kWindowVectors> *kept) {
  using Vec = typename Vector<T>::Type;
  constexpr int64_t lanes = Vector<T>::lanes;
  Vec sums[M][kWindowVectors];
  TALLY_UNROLL
  for (int i = 0; i < M; ++i)
    TALLY_UNROLL
  for (int v = 0; v < kWindowVectors; ++v)
    sums[i][v] = adds ? load(tile + i * stride + v * lanes) : Vec{};
  TALLY_UNROLL_TWICE
  for (int64_t p = 0; p < depth; ++p) {
    const T *row = b + offsets[p];
    Vec values[kWindowVectors];
    TALLY_UNROLL
    for (int v = 0; v < kWindowVectors; ++v)
      values[v] = load(row + v * lanes);
    TALLY_UNROLL
    for (int i = 0; i < M; ++i)
      TALLY_UNROLL
    for (int v = 0; v < kWindowVectors; ++v)
      sums[i][v] += a[i] * values[v];
    a += M;
  }
  if constexpr (KeptColumns<T, kWindowVectors>::isSupported)
    if (kept) {
      KeptColumns<T, kWindowVectors> columns = *kept;
      TALLY_UNROLL
      for (int i = 0; i < M; ++i)
        columns.store(tile + i * stride, sums[i]);
      return;
    }
  TALLY_UNROLL
  for (int i = 0; i < M; ++i)
    TALLY_UNROLL
  for (int v = 0; v < kWindowVectors; ++v)
    store(tile + i * stride + v * lanes, sums[i][v]);
}

/// Copies the elements of a tile's row, in whole vectors where there are as
/// many: the last one begins as far before the end.
template <typename T>
void copyLine(const T *from, int64_t count, T *to) {
  constexpr int64_t lanes = Vector<T>::lanes, half = 16 / sizeof(T);
  typedef T Half
      __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
  if (count >= lanes) {
    auto last = load(from + count - lanes);
    for (int64_t i = 0; i + lanes < count; i += lanes)
      store(to + i, load(from + i));
    return store(to + count - lanes, last);
  }
  int64_t i = 0;
  for (; i + half <= count; i += half)
    *reinterpret_cast<Half *>(to + i) =
        *reinterpret_cast<const Half *>(from + i);
  for (; i < count; ++i)
    to[i] = from[i];
}

template <typename T>
using WindowFunction = void (*)(int64_t, const T *, const T *, const int64_t *,
                                T *, int64_t, bool,
                                const KeptColumns<T, kWindowVectors> *);

template <typename T, int M = kWindowRows>
WindowFunction<T> getWindowFunction(int64_t rows) {
  if constexpr (M == 1) {
    return multiplyWindows<T, 1>;
  } else {
    if (rows == M)
      return multiplyWindows<T, M>;
    return getWindowFunction<T, M - 1>(rows);
  }
}

/// A matmul whose columns of B are windows. Where they move by more than one
/// element, lines of the image are copied first, each to one line for each
/// remainder of positions by the stride.
template <typename T>
class WindowedMatmul {
public:
  explicit WindowedMatmul(const MatmulTask &task)
      : task(task), outer(task.b.layout->outer), depth(task.b.layout->depth),
        width(outer.sizes[outer.rank - 1]),
        height(outer.rank > 1 ? outer.sizes[outer.rank - 2] : 1),
        stride(outer.strides[outer.rank - 1]),
        sourcePitch(outer.rank > 1 ? outer.strides[outer.rank - 2] : width),
        pitch(stride == 1 ? sourcePitch : width + getReach()),
        image(static_cast<const T *>(task.b.data)),
        result(static_cast<T *>(task.c.data)),
        offsets(static_cast<int64_t *>(task.scratch)),
        packedHere(static_cast<T *>(task.scratch) +
                   countOffsetBytes() / int64_t(sizeof(T))),
        panelRows(getPanelRows(task.m, task.panelRows, kWindowRows)),
        rowsOfA(task.packedA ? static_cast<const T *>(task.packedA)
                             : packedHere),
        lines(packedHere + countElementsOfA()) {
    if (stride == 1)
      return;
    splitLines();
    // About a quarter of the second cache, but enough columns to use A for, and
    // lines that two blocks have are few.
    int64_t size = countPlanes() * pitch * int64_t(sizeof(T));
    int64_t fewest =
        most(divideUp(kWindowBlockPanels * columns, pitch), 4 * lineReach);
    blockHeight = least(height, most(fewest, kBlockBytes / 2 / size));
    planeSize = (blockHeight + lineReach) * pitch;
  }

  size_t countBytes() const {
    int64_t elements = countElementsOfA();
    if (stride != 1)
      elements += countPlanes() * planeSize + columns + lanes;
    return size_t(countOffsetBytes()) + size_t(elements) * sizeof(T);
  }

  void run() const {
    setUp();
    int64_t end = task.b.start + task.n, size = width * height;
    for (int64_t first = task.b.start; first < end;) {
      int64_t plane = first / size, last = least(end, (plane + 1) * size);
      runPlane(plane, first - plane * size, last - plane * size);
      first = last;
    }
  }

private:
  static constexpr int64_t lanes = Vector<T>::lanes,
                           columns = kWindowVectors * lanes;
  using Kept = KeptColumns<T, kWindowVectors>;
  /// Sums are as long at once as the rows of B stay in the first cache, and so
  /// many panels of rows use them then. Wider vectors read each row less often.
  static constexpr int64_t blockDepth =
      TALLY_MATMUL_BYTES > 32 ? INT64_MAX : 192;
  static constexpr int64_t blockRowPanels = 16;

  int64_t countOffsetBytes() const {
    return divideUp(task.k, 8) * 8 * int64_t(sizeof(int64_t));
  }
  /// Of those that are packed here.
  int64_t countElementsOfA() const {
    return task.packedA ? 0 : task.m * task.k + lanes;
  }

  /// The elements of a line of a window, the distance between two of them, and
  /// how many windows farther the last one is.
  int64_t taps() const { return depth.sizes[depth.rank - 1]; }
  int64_t tapStride() const { return depth.strides[depth.rank - 1]; }
  int64_t getReach() const { return (taps() - 1) * tapStride() / stride; }
  /// Finds what lines of the image several lines of a window share.
  void splitLines();
  /// The planes of lines that are copied.
  int64_t countPlanes() const {
    return task.k / (taps() * windowLines) * lineStride * stride;
  }

  /// Finds the rows of B, and packs A unless it is packed.
  void setUp() const;
  /// Computes the columns from `first` to `end` of a plane: of one value of
  /// all loops but the last two.
  void runPlane(int64_t plane, int64_t first, int64_t end) const;
  /// The same, where the line of windows `line` is at `base`, and no tile may
  /// begin behind the element `last`.
  void runLines(const T *base, int64_t line, int64_t last, int64_t plane,
                int64_t first, int64_t end) const;
  /// Copies so many lines of windows, for one value of all summed loops but
  /// those over a window's lines and elements.
  void copyGroup(const T *source, int64_t count, T *to) const;
  /// Copies lines of a plane, from one to another.
  void copyLines(const T *plane, int64_t first, int64_t end) const;
  /// Some columns of a plane, and where its line of windows 0 would be.
  struct Part {
    const T *base;
    int64_t plane, first, end;
    /// No tile may begin behind this element.
    int64_t last;
  };
  /// Adds the summed elements from `p` on, of a block's depth, to some rows of
  /// the tile at the element `at` of the plane.
  void runTile(Part part, int64_t at, int64_t row, int64_t rows,
               int64_t p) const;
  /// Calls `use(first column of the tile, columns, first column of the result)`
  /// for each line of a tile at the element `start` of the plane, of what
  /// belongs to the part.
  template <typename Use>
  void forEachLine(int64_t start, const Part &part, Use use) const;
  /// Finds the columns of a tile that belong to the part. Returns the first
  /// one, in the result, or -1 where the result does not have them one behind
  /// the other.
  int64_t findKept(int64_t start, const Part &part, Kept &kept) const;
  /// Copies what belongs to the part from a tile to the result, or back.
  template <bool isBack>
  void copyTile(T *tile, int64_t rows, int64_t row, int64_t start,
                const Part &part) const;

  /// Where a column of a plane starts in it.
  int64_t getElement(int64_t column) const {
    return column / width * pitch + column % width;
  }
  T *getTarget(int64_t row, int64_t column) const {
    T *target = result + row * task.c.rowStride;
    column -= task.b.start;
    if (!task.groupColumns)
      return target + column * task.c.columnStride;
    return target + column / task.groupColumns * task.groupStride +
           column % task.groupColumns * task.c.columnStride;
  }

  const MatmulTask &task;
  const MatmulIndex &outer, &depth;
  int64_t width, height, stride, sourcePitch, pitch;
  const T *image;
  T *result;
  int64_t *offsets;
  T *packedHere;
  int64_t panelRows;
  const T *rowsOfA;
  T *lines;
  /// Where lines of the image are copied: those of a window, if they are taken
  /// from the lines that a plane of windows begins with; by how many lines the
  /// windows, and the lines of one, move; how many of the former the last line
  /// of a window is behind the first; and the distance of two lines.
  int64_t windowLines = 1, lineStride = 1, tapLines = 0, lineReach = 0,
          linePitch = 0;
  /// So many lines of windows are copied at once, to planes of so many
  /// elements.
  int64_t blockHeight = 0, planeSize = 0;
};

template <typename T>
void WindowedMatmul<T>::splitLines() {
  linePitch = sourcePitch;
  if (outer.rank < 2 || depth.rank < 2)
    return;
  int64_t step = depth.strides[depth.rank - 2];
  int64_t count = depth.sizes[depth.rank - 2];
  if (step <= 0 || sourcePitch <= 0)
    return;
  // The greatest common divisor.
  int64_t unit = sourcePitch;
  for (int64_t rest = step; rest != 0;) {
    int64_t next = unit % rest;
    unit = rest;
    rest = next;
  }
  // Loops of other kinds, as over channels, have no such lines in common.
  int64_t reach = (count - 1) * step / sourcePitch;
  if (sourcePitch / unit > stride || reach > height)
    return;
  windowLines = count;
  lineStride = sourcePitch / unit;
  tapLines = step / unit;
  lineReach = reach;
  linePitch = unit;
}

template <typename T>
void WindowedMatmul<T>::setUp() const {
  if (!task.packedA)
    packAllRows<T, T>(task, panelRows, packedHere);
  Offsets rows;
  for (int64_t p = 0; p < task.k; p += kMaxDepth) {
    int64_t count = least(kMaxDepth, task.k - p);
    setOffsets(depth, p, count, rows);
    for (int64_t i = 0; i < count; ++i)
      offsets[p + i] = rows.values[i];
  }
  if (stride == 1)
    return;
  for (int64_t p = 0; p < task.k; ++p) {
    int64_t at = p % taps() * tapStride(), line = p / taps() % windowLines;
    int64_t group = p / taps() / windowLines;
    int64_t plane = group * lineStride + line * tapLines % lineStride;
    plane = plane * stride + at % stride;
    offsets[p] =
        plane * planeSize + line * tapLines / lineStride * pitch + at / stride;
  }
}

/// The last of `count` multiples of `step`, from 0 on, that has a remainder; -1
/// if none has.
int64_t findLast(int64_t count, int64_t step, int64_t divisor,
                 int64_t remainder) {
  int64_t last = count - 1;
  while (last >= 0 && last * step % divisor != remainder)
    --last;
  return last < 0 ? -1 : last * step;
}

template <typename T>
void WindowedMatmul<T>::copyGroup(const T *source, int64_t count, T *to) const {
  for (int64_t phase = 0; phase < lineStride; ++phase) {
    int64_t lastLine = findLast(windowLines, tapLines, lineStride, phase);
    int64_t number = lastLine < 0 ? 0 : count + lastLine / lineStride;
    for (int64_t rest = 0; rest < stride; ++rest) {
      int64_t lastTap = findLast(taps(), tapStride(), stride, rest);
      const T *from = source + phase * linePitch + rest;
      for (int64_t line = 0; lastTap >= 0 && line < number; ++line)
        copySpaced(from + line * sourcePitch, stride, width + lastTap / stride,
                   to + line * pitch);
      to += planeSize;
    }
  }
}

template <typename T>
void WindowedMatmul<T>::copyLines(const T *plane, int64_t first,
                                  int64_t end) const {
  // The summed loops around lines of windows.
  int64_t inner = depth.rank - (windowLines == 1 ? 1 : 2), groups = 1;
  for (int64_t loop = 0; loop < inner; ++loop)
    groups *= depth.sizes[loop];
  int64_t positions[TALLY_RT_MAX_CONTRACT_RANK] = {};
  const T *source = plane + first * sourcePitch;
  for (int64_t group = 0; group < groups; ++group) {
    copyGroup(source, end - first,
              lines + group * lineStride * stride * planeSize);
    // Their next values.
    for (int64_t loop = inner - 1; loop >= 0; --loop) {
      source += depth.strides[loop];
      if (++positions[loop] < depth.sizes[loop])
        break;
      source -= positions[loop] * depth.strides[loop];
      positions[loop] = 0;
    }
  }
}

template <typename T>
template <typename Use>
void WindowedMatmul<T>::forEachLine(int64_t start, const Part &part,
                                    Use use) const {
  int64_t line = start / pitch, x = start % pitch;
  for (int64_t at = 0; at < columns; x = 0, ++line) {
    int64_t here = at - x;
    at = here + pitch;
    // The columns of this line that are in the tile, and are wanted.
    int64_t from = most(x, part.first - line * width);
    int64_t to = least(least(width, columns - here), part.end - line * width);
    if (from < to)
      use(here + from, to - from,
          part.plane * width * height + line * width + from);
  }
}

template <typename T>
template <bool isBack>
void WindowedMatmul<T>::copyTile(T *tile, int64_t rows, int64_t row,
                                 int64_t start, const Part &part) const {
  forEachLine(start, part, [&](int64_t at, int64_t length, int64_t column) {
    T *target = getTarget(row, column), *source = tile + at;
    for (int64_t i = 0; i < rows; ++i) {
      if (task.c.columnStride == 1)
        isBack ? copyLine(target, length, source)
               : copyLine(source, length, target);
      else
        for (int64_t j = 0; j < length; ++j) {
          T &wanted = target[j * task.c.columnStride];
          isBack ? source[j] = wanted : wanted = source[j];
        }
      target += task.c.rowStride;
      source += columns;
    }
  });
}

template <typename T>
int64_t WindowedMatmul<T>::findKept(int64_t start, const Part &part,
                                    Kept &kept) const {
  int64_t first = -1;
  bool isContiguous = task.c.columnStride == 1;
  forEachLine(start, part, [&](int64_t at, int64_t length, int64_t column) {
    kept.add(at, length);
    if (first < 0)
      first = column;
    if (getTarget(0, column + length - 1) !=
        getTarget(0, first) + (column + length - 1 - first))
      isContiguous = false;
  });
  return isContiguous ? first : -1;
}

template <typename T>
void WindowedMatmul<T>::runTile(Part part, int64_t at, int64_t row,
                                int64_t rows, int64_t p) const {
  int64_t start = least(at, part.last);
  // What is in front of the tile belongs to the one before.
  if (start < at)
    part.first =
        most(part.first, at / pitch * width + least(at % pitch, width));
  int64_t count = least(blockDepth, task.k - p), x = start % pitch;
  int64_t column = start / pitch * width + x;
  const T *a = rowsOfA + row * task.k + p * rows, *b = part.base + start;
  WindowFunction<T> multiply = getWindowFunction<T>(rows);
  if (task.c.columnStride == 1 && x + columns <= width &&
      column >= part.first && column + columns <= part.end)
    return multiply(count, a, b, offsets + p,
                    getTarget(row, part.plane * width * height + column),
                    task.c.rowStride, p > 0, nullptr);
  if (Kept::isSupported && p == 0 && count == task.k) {
    Kept kept;
    int64_t firstKept = findKept(start, part, kept);
    if (kept.isEmpty())
      return;
    if (firstKept >= 0)
      return multiply(count, a, b, offsets, getTarget(row, firstKept),
                      task.c.rowStride, false, &kept);
  }
  T tile[kWindowRows * columns] = {};
  if (p > 0)
    copyTile<true>(tile, rows, row, start, part);
  multiply(count, a, b, offsets + p, tile, columns, p > 0, nullptr);
  copyTile<false>(tile, rows, row, start, part);
}

template <typename T>
void WindowedMatmul<T>::runLines(const T *base, int64_t line, int64_t last,
                                 int64_t plane, int64_t first,
                                 int64_t end) const {
  int64_t begin = getElement(first), behind = getElement(end - 1) + 1;
  Part part{base - line * pitch, plane, first, end, last};
  int64_t blockRows = blockRowPanels * panelRows;
  for (int64_t block = begin; block < behind;
       block += kWindowBlockPanels * columns) {
    int64_t blockEnd = least(behind, block + kWindowBlockPanels * columns);
    if (task.k > blockDepth) {
      for (int64_t p = 0; p < task.k; p += blockDepth)
        for (int64_t top = 0; top < task.m; top += blockRows)
          for (int64_t at = block; at < blockEnd; at += columns)
            forEachRowPanel(least(blockRows, task.m - top), panelRows,
                            [&](int64_t row, int64_t rows) {
                              runTile(part, at, top + row, rows, p);
                            });
      continue;
    }
    forEachRowPanel(task.m, panelRows, [&](int64_t row, int64_t rows) {
      for (int64_t at = block; at < blockEnd; at += columns)
        runTile(part, at, row, rows, 0);
    });
  }
}

template <typename T>
void WindowedMatmul<T>::runPlane(int64_t plane, int64_t first,
                                 int64_t end) const {
  const T *base = image;
  for (int64_t loop = outer.rank - 3, rest = plane; loop >= 0; --loop) {
    base += rest % outer.sizes[loop] * outer.strides[loop];
    rest /= outer.sizes[loop];
  }
  // The last windows of a plane are computed together with some before them.
  if (stride == 1)
    return runLines(base, 0, getElement(width * height - 1) + 1 - columns,
                    plane, first, end);
  for (int64_t line = first / width; line * width < end; line += blockHeight) {
    int64_t lineEnd = least(line + blockHeight, divideUp(end, width));
    copyLines(base, line, lineEnd);
    runLines(lines, line, INT64_MAX, plane, most(first, line * width),
             least(end, lineEnd * width));
  }
}

} // namespace
