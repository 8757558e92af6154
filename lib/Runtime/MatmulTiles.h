//===- MatmulTiles.h - The micro kernel of matmuls --------------*- C++ -*-===//
//
// A tile of the result stays in registers while a panel of A and a row of B
// after the other are read. A part of MatmulKernels.h, whose rules hold here
// too.
//
//===----------------------------------------------------------------------===//

namespace {

/// Asks for the memory of a tile, so that it is there when the sums are.
template <int M, typename T>
void prefetchTile(const T *c, int64_t cStride, int64_t depth) {
  if (depth < kDepthOfPrefetch)
    return;
  TALLY_UNROLL
  for (int i = 0; i < M; ++i) {
    __builtin_prefetch(c + i * cStride, 1);
    __builtin_prefetch(c + i * cStride + Vector<T>::lanes, 1);
  }
}

/// c (+)= a b, for a tile of M rows and `columns` columns, at most two vectors
/// of them, or one if it `isNarrow`: element (i, p) of a is a[p * M + i], a row
/// of b has two vectors.
template <typename P, int M, bool isNarrow = false>
void multiplyTile(int64_t depth, const P *a, const P *b, int64_t bStride,
                  typename SumOf<P>::Type *c, int64_t cStride, int64_t columns,
                  bool adds) {
  using T = typename SumOf<P>::Type;
  using Vec = typename Vector<T>::Type;
  constexpr int64_t lanes = Vector<T>::lanes;
  constexpr int64_t width = isNarrow ? lanes : 2 * lanes;
  prefetchTile<M>(c, cStride, depth);
  Vec low[M], high[M];
  if constexpr (kFirstRows<P> != 0) {
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      low[i] = load(b);
      high[i] = load(b + lanes);
    }
    b += bStride;
  } else {
    TALLY_UNROLL
    for (int i = 0; i < M; ++i)
      low[i] = high[i] = Vec{};
  }
  TALLY_UNROLL_TWICE
  for (int64_t p = 0; p < depth; ++p) {
    // A block that was packed before may not be in a cache yet.
    __builtin_prefetch(a + kPrefetchDistance);
    __builtin_prefetch(b + 8 * bStride);
    __builtin_prefetch(b + 8 * bStride + width - lanes);
    auto left = load(b), right = load(b + width - lanes);
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      multiplyAdd(low[i], a[i], left);
      if constexpr (!isNarrow)
        multiplyAdd(high[i], a[i], right);
    }
    a += M;
    b += bStride;
  }
  if (columns == width) {
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      T *row = c + i * cStride;
      store(row, adds ? load(row) + low[i] : low[i]);
      if constexpr (!isNarrow)
        store(row + lanes, adds ? load(row + lanes) + high[i] : high[i]);
    }
    return;
  }
  T rows[M][width];
  TALLY_UNROLL
  for (int i = 0; i < M; ++i) {
    store(rows[i], low[i]);
    if constexpr (!isNarrow)
      store(rows[i] + lanes, high[i]);
  }
  for (int i = 0; i < M; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      T &element = c[i * cStride + j];
      element = adds ? element + rows[i][j] : rows[i][j];
    }
}

/// The types that have tiles of one vector, and tiles of rows that are read
/// where they are: those that most programs have.
template <typename P>
constexpr bool hasMoreTiles = false;
template <>
constexpr bool hasMoreTiles<float> = true;
template <>
constexpr bool hasMoreTiles<double> = true;

/// c = a b, for a tile of M rows and two vectors of columns: rows of a are as
/// they are in memory.
template <typename T, int M>
void multiplyRows(int64_t depth, const T *a, int64_t aStride, const T *b,
                  int64_t bStride, T *c, int64_t cStride) {
  using Vec = typename Vector<T>::Type;
  constexpr int64_t lanes = Vector<T>::lanes;
  Vec low[M], high[M];
  TALLY_UNROLL
  for (int i = 0; i < M; ++i)
    low[i] = high[i] = Vec{};
  prefetchTile<M>(c, cStride, depth);
  // Three rows share a register, with the stride and twice the stride.
  constexpr int together = 3, count = (M + together - 1) / together;
  const T *lines[count];
  TALLY_UNROLL
  for (int i = 0; i < count; ++i)
    lines[i] = a + i * together * aStride;
  for (int64_t p = 0; p < depth; ++p) {
    __builtin_prefetch(b + 8 * bStride);
    __builtin_prefetch(b + 8 * bStride + lanes);
    auto left = load(b), right = load(b + lanes);
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      T element = lines[i / together][i % together * aStride];
      low[i] += element * left;
      high[i] += element * right;
    }
    // Left alone, compilers have a register for each row, or for several
    // elements of it, and too few for the tile.
    TALLY_UNROLL
    for (int i = 0; i < count; ++i)
      asm("" : "+r"(++lines[i]));
    b += bStride;
  }
  TALLY_UNROLL
  for (int i = 0; i < M; ++i) {
    store(c + i * cStride, low[i]);
    store(c + i * cStride + lanes, high[i]);
  }
}

template <typename T>
using RowsFunction = void (*)(int64_t, const T *, int64_t, const T *, int64_t,
                              T *, int64_t);

/// The same for a number of rows, from 1 to kMaxRows.
template <typename T, int M = kMaxRows>
RowsFunction<T> getRowsFunction(int64_t rows) {
  if constexpr (M == 1) {
    return multiplyRows<T, 1>;
  } else {
    if (rows == M)
      return multiplyRows<T, M>;
    return getRowsFunction<T, M - 1>(rows);
  }
}

template <typename P>
using TileFunction = void (*)(int64_t, const P *, const P *, int64_t,
                              typename SumOf<P>::Type *, int64_t, int64_t,
                              bool);

/// The micro kernel for a number of rows, from 1 to kMaxRows.
template <typename P, bool isNarrow = false, int M = kMaxRows>
TileFunction<P> getTileFunction(int64_t rows) {
  if constexpr (M == 1) {
    return multiplyTile<P, 1, isNarrow>;
  } else {
    if (rows == M)
      return multiplyTile<P, M, isNarrow>;
    return getTileFunction<P, isNarrow, M - 1>(rows);
  }
}

/// The micro kernel for so many rows and columns.
template <typename P>
TileFunction<P> getTileFunction(int64_t rows, int64_t columns) {
  if constexpr (hasMoreTiles<P>)
    if (columns <= Vector<P>::lanes)
      return getTileFunction<P, true>(rows);
  return getTileFunction<P>(rows);
}

/// The rows of a part of m rows that fits a tile: `panelRows`, or if that is 0,
/// such that parts are as even as possible.
int64_t getPanelRows(int64_t m, int64_t panelRows,
                     int64_t tileRows = kMaxRows) {
  return panelRows ? panelRows : divideUp(m, most(1, divideUp(m, tileRows)));
}

/// Calls `use(first row, rows)` for parts of m rows that fit a tile: all but
/// the last one have as many.
template <typename Use>
void forEachRowPanel(int64_t m, int64_t panelRows, Use use) {
  panelRows = getPanelRows(m, panelRows);
  for (int64_t i = 0; i < m; i += panelRows)
    use(i, least(panelRows, m - i));
}

} // namespace
