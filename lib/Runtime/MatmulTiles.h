//===- MatmulTiles.h - The micro kernel of matmuls --------------*- C++ -*-===//
//
// A tile of the result stays in registers while a panel of A and a row of B
// after the other are read. A part of MatmulKernels.h, whose rules hold here
// too.
//
//===----------------------------------------------------------------------===//

namespace {

/// c (+)= a b, for a tile of M rows and `columns` columns, at most two vectors
/// of them: element (i, p) of a is a[p * M + i], a row of b has two vectors.
template <typename P, int M>
void multiplyTile(int64_t depth, const P *a, const P *b, int64_t bStride,
                  typename SumOf<P>::Type *c, int64_t cStride, int64_t columns,
                  bool adds) {
  using T = typename SumOf<P>::Type;
  using Vec = typename Vector<T>::Type;
  constexpr int64_t lanes = Vector<T>::lanes;
  // The memory of the tile is there when the sums are.
  if (depth >= kDepthOfPrefetch) {
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      __builtin_prefetch(c + i * cStride, 1);
      __builtin_prefetch(c + i * cStride + lanes, 1);
    }
  }
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
    __builtin_prefetch(b + 8 * bStride + lanes);
    auto left = load(b), right = load(b + lanes);
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      multiplyAdd(low[i], a[i], left);
      multiplyAdd(high[i], a[i], right);
    }
    a += M;
    b += bStride;
  }
  if (columns == 2 * lanes) {
    TALLY_UNROLL
    for (int i = 0; i < M; ++i) {
      T *row = c + i * cStride;
      store(row, adds ? load(row) + low[i] : low[i]);
      store(row + lanes, adds ? load(row + lanes) + high[i] : high[i]);
    }
    return;
  }
  T rows[M][2 * lanes];
  TALLY_UNROLL
  for (int i = 0; i < M; ++i) {
    store(rows[i], low[i]);
    store(rows[i] + lanes, high[i]);
  }
  for (int i = 0; i < M; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      T &element = c[i * cStride + j];
      element = adds ? element + rows[i][j] : rows[i][j];
    }
}

template <typename P>
using TileFunction = void (*)(int64_t, const P *, const P *, int64_t,
                              typename SumOf<P>::Type *, int64_t, int64_t,
                              bool);

/// The micro kernel for a number of rows, from 1 to kMaxRows.
template <typename P, int M = kMaxRows>
TileFunction<P> getTileFunction(int64_t rows) {
  if constexpr (M == 1) {
    return multiplyTile<P, 1>;
  } else {
    if (rows == M)
      return multiplyTile<P, M>;
    return getTileFunction<P, M - 1>(rows);
  }
}

/// The rows of a part of m rows that fits a tile: `panelRows`, or if that is 0,
/// such that parts are as even as possible.
int64_t getPanelRows(int64_t m, int64_t panelRows) {
  return panelRows ? panelRows : divideUp(m, divideUp(m, kMaxRows));
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
