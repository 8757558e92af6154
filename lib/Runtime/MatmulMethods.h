//===- MatmulMethods.h - The ways to compute a matmul -----------*- C++ -*-===//
//
// How packed panels, and rows that are read where they are, become a result. A
// part of MatmulKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

/// A task with the types of its elements, whose result has the type of sums and
/// contiguous rows.
template <typename T, typename S>
struct Multiplication {
  /// What panels are made of.
  using P = typename PackedOf<S>::Type;
  using Left = typename LeftOf<P>::Type;
  static_assert(sizeof(P) == sizeof(T), "panels and sums share memory");

  int64_t m, n, k;
  MatmulMatrix<const S *> a, b;
  T *c;
  int64_t cStride;
  int64_t groupColumns, groupStride;
  /// Whether c is memory for columns of one block of B, which are copied when
  /// they are summed up; where k is one block, for a panel of rows of them.
  /// Only for packed panels.
  bool isBuffered;
  /// Panels: a part of A, then a block of B, unless all of B is packed.
  P *scratch;
  const Left *packedA = nullptr;
  const P *packedB = nullptr;
  int64_t panelRows = 0;
  /// If not null, B is computed.
  const MatmulSource *source = nullptr;

  static constexpr int64_t columns = Vector<T>::columns;
  static constexpr int64_t group = kGroup<P>;

  /// The depth of a block: even parts of k, in whole groups, or squares, but
  /// for the last.
  static int64_t getDepth(int64_t k) {
    return countWords<P>(divideUp(k, divideUp(k, kMaxDepth * group))) * group;
  }

  /// The rows of a panel of B in front of the element `p`, the first one of a
  /// block, or k.
  static int64_t countRows(int64_t k, int64_t p) {
    int64_t rows = countWords<P>(p);
    if constexpr (kFirstRows<P> != 0)
      rows += divideUp(p, getDepth(k)) * kFirstRows<P>;
    return rows;
  }

  /// Panels of B; none has columns of two groups.
  static int64_t countPanels(int64_t n, int64_t groupColumns) {
    return divideUp(groupColumns, columns) * (n / groupColumns);
  }

  /// The panels of a packed block of B.
  static int64_t getBlockPanels(int64_t n, int64_t groupColumns) {
    constexpr int64_t most =
        kBlockBytes / int64_t(sizeof(T)) / kMaxDepth / columns;
    return least(most, countPanels(n, groupColumns));
  }

  /// From one row to the next of sums for a packed block of B: not a power of
  /// two, so that rows of a square do not share the sets of the first cache.
  static int64_t getSumStride(int64_t n, int64_t groupColumns) {
    return getBlockPanels(n, groupColumns) * columns +
           (kIsSquare<P> ? kSquare : 0);
  }

  /// Room for some packed elements, and for what whole vectors write behind; it
  /// ends where a vector may begin, so that no load of the next panel crosses a
  /// line of the cache.
  static int64_t getPanelSize(int64_t elements) {
    constexpr int64_t lanes = Vector<T>::lanes;
    return (divideUp(elements, lanes) + 1) * lanes;
  }

  void packRows(int64_t row, int64_t rows, int64_t p, int64_t depth,
                const Offsets &offsets, Left *to) const {
    if (a.layout)
      packLayout(*a.layout, a.data, a.start + row, rows, rows, offsets, p,
                 depth, to);
    else
      packPanel(rows, rows, depth,
                a.data + row * a.rowStride + p * a.columnStride, a.rowStride,
                a.columnStride, to);
    shiftRows(rows * divideUp(depth, group), to);
  }

  /// Packs a part of B that is computed first.
  void packComputed(int64_t column, int64_t count, int64_t p, int64_t depth,
                    P *to) const {
    column += b.start;
    if (b.rowStride == 1) {
      // Lines are not a power of two apart.
      constexpr int64_t stride = kMaxDepth * group + 64 / sizeof(S);
      alignas(64) S lines[columns * stride];
      computePart({lines, stride, column, count, p, depth});
      return packPanel(count, columns, depth, lines, stride, 1, to);
    }
    if constexpr (sizeof(S) == sizeof(P)) {
      computePart({to, columns, p, depth, column, count});
      clearPanel(count, columns, depth, to);
    } else {
      alignas(64) S lines[kMaxDepth * group * columns];
      computePart({lines, columns, p, depth, column, count});
      packPanel(count, columns, depth, lines, 1, columns, to);
    }
  }

  void computePart(const tally_rt_matrix_part &part) const {
    (void)source->compute(source->context, &part, source->data);
  }

  void packColumns(int64_t column, int64_t count, int64_t p, int64_t depth,
                   const Offsets &offsets, P *to) const {
    P *panel = to + kFirstRows<P> * columns;
    if (source)
      packComputed(column, count, p, depth, panel);
    else if (b.layout)
      packLayout(*b.layout, b.data, b.start + column, count, columns, offsets,
                 p, depth, panel);
    else
      packPanel(count, columns, depth,
                b.data + p * b.rowStride + column * b.columnStride,
                b.columnStride, b.rowStride, panel);
    if constexpr (kFirstRows<P> != 0)
      setFirstRow(divideUp(depth, group), to);
  }

  /// Calls `use(first column, columns, their offset in C)` for panels.
  template <typename Use>
  void forEachColumnPanel(int64_t first, int64_t count, Use use) const {
    int64_t panels = divideUp(groupColumns, columns);
    int64_t group = first / panels, j = first % panels * columns;
    for (int64_t panel = 0; panel < count; ++panel) {
      use(group * groupColumns + j, least(columns, groupColumns - j),
          group * groupStride + j);
      j += columns;
      if (j >= groupColumns) {
        j = 0;
        ++group;
      }
    }
  }

  /// Packs all of B, each panel with the whole depth.
  void packAll(P *to) const {
    int64_t maxBlockDepth = getDepth(k), size = columns * countRows(k, k);
    for (int64_t column = 0; column < n; column += columns) {
      for (int64_t p = 0; p < k; p += maxBlockDepth)
        packColumns(column, least(columns, n - column), p,
                    least(maxBlockDepth, k - p), Offsets(),
                    to + columns * countRows(k, p));
      to += size;
    }
  }

  /// Whether a panel of B is multiplied by all rows as soon as it is packed,
  /// while it is in the first cache, so that memory has one of them; else a
  /// panel of A is multiplied by a block of B. The former reads less from the
  /// second cache where A is smaller and a block of B does not fit the first.
  /// Sums that are copied are those of one panel of A where k is one block, and
  /// panels of squares are read from the second cache anyway.
  static bool takesAllRows(int64_t m, int64_t panels, int64_t k,
                           int64_t panelRows, bool isBuffered) {
    constexpr int64_t manyRows = 192, firstCache = 1 << 15;
    int64_t depth = getDepth(k);
    if (m <= getPanelRows(m, panelRows))
      return true;
    if (m > manyRows || kIsSquare<P> || (isBuffered && depth >= k))
      return false;
    return panels * columns * countWords<P>(depth) * int64_t(sizeof(P)) >
           firstCache;
  }

  /// The elements of scratch memory for packed rows, and for packed columns.
  /// Squares are read whole, with what is behind the last row.
  static int64_t countScratchOfA(int64_t m, int64_t k, int64_t panelRows,
                                 bool takesAll) {
    int64_t rows = takesAll ? m : getPanelRows(m, panelRows);
    if constexpr (kIsSquare<P>)
      rows = kMaxRows;
    return getPanelSize(rows * countWords<P>(getDepth(k)));
  }
  static int64_t countScratchOfB(int64_t panels, int64_t k, bool takesAll) {
    return getPanelSize((kFirstRows<P> + countWords<P>(getDepth(k))) * columns *
                        (takesAll ? 1 : panels));
  }

  /// Calls `finish(first row, rows, first panel of columns, panels, sums)` for
  /// what is summed up.
  template <typename Finish>
  void runPacked(const Finish &finish) const {
    int64_t maxBlockDepth = getDepth(k);
    int64_t numPanels = countPanels(n, groupColumns);
    bool takesAll = takesAllRows(m, numPanels, k, panelRows, isBuffered);
    int64_t evenRows = getPanelRows(m, panelRows);
    int64_t blockRows = takesAll ? m : evenRows;
    P *packed = scratch + countScratchOfA(m, k, panelRows, takesAll);
    // A is packed for each block of columns.
    int64_t blockPanels =
        takesAll && !isBuffered ? numPanels : getBlockPanels(n, groupColumns);
    Offsets offsetsOfA, offsetsOfB;
    for (int64_t first = 0; first < numPanels; first += blockPanels) {
      int64_t count = least(blockPanels, numPanels - first);
      for (int64_t p = 0; p < k; p += maxBlockDepth) {
        int64_t depth = least(maxBlockDepth, k - p);
        if (a.layout)
          setOffsets(a.layout->depth, p, depth, offsetsOfA);
        if (b.layout)
          setOffsets(b.layout->depth, p, depth, offsetsOfB);
        for (int64_t top = 0; top < m; top += blockRows) {
          Block block{top,      least(blockRows, m - top),
                      evenRows, first,
                      count,    p,
                      depth,    packed,
                      takesAll};
          T *sums = runBlock(block, offsetsOfA, offsetsOfB);
          if (p + depth == k)
            finish(top, block.rows, first, count, sums);
        }
      }
    }
  }

  /// Rows, in panels, panels of columns, and a part of the depth.
  struct Block {
    int64_t top, rows, panelRows, first, count, p, depth;
    /// Memory for the packed columns.
    P *packed;
    bool takesAll;
  };

  /// Adds the products of a block to its sums, which it returns.
  T *runBlock(const Block &block, const Offsets &offsetsOfA,
              const Offsets &offsetsOfB) const {
    int64_t p = block.p, words = countWords<P>(k);
    int64_t groups = countWords<P>(block.depth);
    Left *rowsHere = reinterpret_cast<Left *>(scratch);
    // Panels that are all packed have the whole depth.
    int64_t panelSize =
        columns * (packedB ? countRows(k, k) : kFirstRows<P> + groups);
    T *sums = c + (isBuffered && block.depth == k ? 0 : block.top * cStride);
    const P *allPacked = nullptr;
    if (packedB)
      allPacked = packedB + block.first * panelSize + countRows(k, p) * columns;
    auto whole = getTileProduct<P>(block.panelRows, columns);
    int64_t at = 0;
    auto runPanel = [&](int64_t column, int64_t width, int64_t offset) {
      P *packed = block.packed + (block.takesAll ? 0 : at * panelSize);
      const P *panel = packed;
      if (allPacked)
        panel = allPacked + at * panelSize;
      else if (block.top == 0)
        packColumns(column, width, p, block.depth, offsetsOfB, packed);
      T *target = sums + (isBuffered ? at * columns : offset);
      auto runRows = [&](int64_t row, int64_t rows) {
        Left *here = rowsHere + row * groups;
        const Left *left = here;
        if (packedA)
          left = packedA + (block.top + row) * words + p / group * rows;
        else if (at == 0)
          packRows(block.top + row, rows, p, block.depth, offsetsOfA, here);
        bool isWhole = rows == block.panelRows && width > Vector<T>::lanes;
        auto multiply = isWhole ? whole : getTileProduct<P>(rows, width);
        multiply(groups, left, panel, columns, target + row * cStride, cStride,
                 width, p > 0);
      };
      forEachRowPanel(block.rows, block.panelRows, runRows);
      ++at;
    };
    forEachColumnPanel(block.first, block.count, runPanel);
    return sums;
  }

  /// The columns that do not fill two vectors are packed. Only for S = T.
  void runInPlace() const {
    int64_t maxBlockDepth = getDepth(k), whole = n / columns * columns;
    T *last = scratch + getPanelSize(kMaxRows * maxBlockDepth);
    for (int64_t p = 0; p < k; p += maxBlockDepth) {
      int64_t depth = least(maxBlockDepth, k - p);
      const T *rowsOfB = reinterpret_cast<const T *>(b.data) + p * b.rowStride;
      if (whole < n)
        packPanel(n - whole, columns, depth, rowsOfB + whole, 1, b.rowStride,
                  last);
      forEachRowPanel(m, panelRows, [&](int64_t row, int64_t rows) {
        packPanel(rows, rows, depth,
                  a.data + row * a.rowStride + p * a.columnStride, a.rowStride,
                  a.columnStride, scratch);
        TileFunction<T> multiply = getTileFunction<T>(rows);
        T *target = c + row * cStride;
        for (int64_t j = 0; j < whole; j += columns)
          multiply(depth, scratch, rowsOfB + j, b.rowStride, target + j,
                   cStride, columns, p > 0);
        if (whole < n)
          getTileFunction<T>(rows, n - whole)(depth, scratch, last, columns,
                                              target + whole, cStride,
                                              n - whole, p > 0);
      });
    }
  }

  /// A is read where it is, too.
  void runUnpacked() const {
    int64_t whole = n / columns * columns;
    const T *matrixB = reinterpret_cast<const T *>(b.data);
    if (whole < n)
      packPanel(n - whole, columns, k, matrixB + whole, 1, b.rowStride,
                scratch);
    forEachRowPanel(m, panelRows, [&](int64_t row, int64_t rows) {
      RowsFunction<T> multiply = getRowsFunction<T>(rows);
      const T *left = a.data + row * a.rowStride;
      T *target = c + row * cStride;
      for (int64_t j = 0; j < whole; j += columns)
        multiply(k, left, a.rowStride, matrixB + j, b.rowStride, target + j,
                 cStride);
      if (whole == n)
        return;
      T tile[kMaxRows * columns];
      multiply(k, left, a.rowStride, scratch, columns, tile, columns);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < n - whole; ++j)
          target[i * cStride + whole + j] = tile[i * columns + j];
    });
  }

  /// Eight rows of B at a time, read in the order they lie in.
  void runRow() const {
    using Vec = typename Vector<T>::Type;
    constexpr int64_t lanes = Vector<T>::lanes, together = 8, part = 4096;
    for (int64_t j0 = 0; j0 < n; j0 += part) {
      int64_t end = least(n, j0 + part);
      for (int64_t p = 0; p < k; p += together) {
        int64_t rows = least(together, k - p);
        T factors[together];
        const T *lines[together];
        for (int64_t t = 0; t < together; ++t) {
          factors[t] =
              t < rows ? widen(a.data[(p + t) * a.columnStride]) : T(0);
          lines[t] = reinterpret_cast<const T *>(b.data) +
                     (p + least(t, rows - 1)) * b.rowStride;
        }
        int64_t j = j0;
        if (rows == together)
          for (; j + lanes <= end; j += lanes) {
            Vec sum = p > 0 ? load(c + j) : Vec{};
            TALLY_UNROLL
            for (int64_t t = 0; t < together; ++t)
              sum += factors[t] * load(lines[t] + j);
            store(c + j, sum);
          }
        for (; j < end; ++j) {
          T sum = p > 0 ? c[j] : T(0);
          for (int64_t t = 0; t < rows; ++t)
            sum += factors[t] * lines[t][j];
          c[j] = sum;
        }
      }
    }
  }

  void runDots() const {
    DotProducts<T, S>(m, n, k, {a.data, a.rowStride}, {b.data, b.columnStride},
                      c, cStride, source, b.start)
        .run();
  }
};

} // namespace
