//===- AttentionKernels.h - Attention of one thread, for one level -*- C++ -*-//
//
// Keys and values of a head are packed once; then each tile of queries goes
// over a block of keys whose scores stay in the first cache: M. Milakov and N.
// Gimelshein, "Online normalizer calculation for softmax", 2018; T. Dao et al.,
// "FlashAttention", 2022. A part of MatmulKernels.h, whose rules hold here too.
//
//===----------------------------------------------------------------------===//

namespace {

template <typename T>
constexpr T kInfinity = T(__builtin_inf());

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// exp(x) for x that is at most 0, or NaN; 0 where the result is below the
/// normal numbers. As in ExpandMath.cpp.
Vector<float>::Type computeExp(Vector<float>::Type x) {
  using Vec = Vector<float>::Type;
  typedef int32_t Integers __attribute__((vector_size(TALLY_MATMUL_BYTES)));
  constexpr float magic = 0x1.8p23f;
  const Vec zero{}, lowest = zero - 0x1.5d58p6f;
  Vec bounded = x < lowest ? lowest : x;
  Vec shifted = bounded * 0x1.715476p0f + magic, n = shifted - magic;
  Vec r = n * -0x1.62e4p-1f + bounded;
  r = n * -0x1.7f7d1cp-20f + r;
  Vec p = r * 0x1.6db8ep-10f + 0x1.123ebcp-7f;
  p = p * r + 0x1.555458p-5f;
  p = p * r + 0x1.55548ap-3f;
  p = p * r + 0.5f;
  p = (r * r) * p + r;
  // The sum has the integer in its last bits, under those of the exponent.
  Integers bits = (Integers)shifted;
  Vec power = (Vec)((bits + 127) << 23);
  Vec result = p * power + power;
  return x < lowest ? zero : result;
}

float computeExp(float x) { return computeExp(Vector<float>::Type{} + x)[0]; }
double computeExp(double x) { return __builtin_exp(x); }

/// The C library's, element by element.
Vector<double>::Type computeExp(Vector<double>::Type x) {
  for (int64_t i = 0; i < Vector<double>::lanes; ++i)
    x[i] = __builtin_exp(x[i]);
  return x;
}

//===----------------------------------------------------------------------===//
// Blocks of queries
//===----------------------------------------------------------------------===//

/// Attention of some queries of a head. T is the type of sums.
template <typename T, typename S>
class Attention {
public:
  explicit Attention(const AttentionTask &task)
      : task(task), words(divideUp(task.depth, kGroup<P>)),
        keyPanels(divideUp(task.keys, columns)),
        packedColumn(task.packsValues ? 0 : task.columns / columns * columns),
        valuePanels(divideUp(task.columns - packedColumn, columns)),
        sumStride(divideUp(task.columns, columns) * columns) {
    int64_t used = 0;
    auto take = [&](int64_t elements) {
      T *start = task.scratch ? static_cast<T *>(task.scratch) + used : nullptr;
      // Whole vectors are written, and each part is aligned.
      used += divideUp(elements + lanes, lanes) * lanes;
      return start;
    };
    auto takeWords = [&](int64_t count) {
      return reinterpret_cast<P *>(take(count));
    };
    packedKeys = takeWords(task.packsKeys ? keyPanels * columns * words : 0);
    packedValues = take(valuePanels * columns * task.keys);
    packedQueries = takeWords(task.queryBlock * words);
    packedWeights = take(kMaxRows * kMaxDepth);
    scores = take(kMaxRows * kMaxDepth);
    sums = take(task.queryBlock * sumStride);
    largest = take(task.queryBlock);
    totals = take(task.queryBlock);
    bytes = size_t(used) * sizeof(T);
  }

  size_t getBytes() const { return bytes; }

  /// Packs what all queries of a head read.
  void pack() const {
    const auto *keys = static_cast<const S *>(task.key.data);
    const auto *values = static_cast<const S *>(task.value.data);
    P *panel = packedKeys;
    for (int64_t j = 0; task.packsKeys && j < task.keys; j += columns) {
      packPanel(least(columns, task.keys - j), columns, task.depth,
                keys + j * task.key.rowStride, task.key.rowStride,
                task.key.columnStride, panel);
      panel += columns * words;
    }
    T *to = packedValues;
    for (int64_t c = packedColumn; c < task.columns; c += columns) {
      packPanel(least(columns, task.columns - c), columns, task.keys,
                values + c * task.value.columnStride, task.value.columnStride,
                task.value.rowStride, to);
      to += columns * task.keys;
    }
  }

  /// Computes the queries from `firstQuery` on.
  int32_t run() const {
    for (int64_t i = 0; i < task.queries; ++i) {
      largest[i] = -kInfinity<T>;
      totals[i] = 0;
    }
    for (int64_t i = 0; i < task.queries * sumStride; ++i)
      sums[i] = 0;
    if (task.packsKeys)
      forEachTile([&](int64_t row, int64_t rows) {
        const S *from = getQuery(row);
        packPanel(rows, rows, task.depth, from, task.query.rowStride,
                  task.query.columnStride, packedQueries + row * words);
        return 0;
      });
    auto [first, end] = getVisible(0, task.queries, 0, task.keys);
    if (first < end) {
      // Even blocks of whole panels.
      int64_t blocks = divideUp(end - first, kMaxDepth);
      int64_t size = divideUp(divideUp(end - first, blocks), columns) * columns;
      for (int64_t j = first; j < end; j += size) {
        int64_t blockEnd = least(j + size, end);
        int32_t status = forEachTile([&](int64_t row, int64_t rows) {
          auto [from, to] = getVisible(row, rows, j, blockEnd);
          return from < to ? addKeys(row, rows, from, to - from) : 0;
        });
        if (status != 0)
          return status;
      }
    }
    finish();
    return 0;
  }

private:
  using Vec = typename Vector<T>::Type;
  /// What panels of keys and queries are made of; those of values and weights
  /// have the type of sums.
  using P = typename PackedOf<S>::Type;
  static_assert(sizeof(P) == sizeof(T), "panels and sums share memory");
  static constexpr int64_t lanes = Vector<T>::lanes;
  static constexpr int64_t columns = Vector<T>::columns;

  struct Range {
    int64_t first, end;
  };

  /// The keys of a range that some of these queries may see, from the first
  /// one of a panel on.
  Range getVisible(int64_t row, int64_t rows, int64_t first,
                   int64_t end) const {
    int64_t query = task.firstQuery + row;
    int64_t low = most(first, query + task.firstOffset);
    int64_t high = least(end, query + rows + task.lastOffset);
    return {low / columns * columns, high};
  }

  /// Calls `use(first row, rows)` for parts that fit a tile, all but even,
  /// until it fails.
  template <typename Use>
  int32_t forEachTile(Use use) const {
    int64_t tiles = divideUp(task.queries, kMaxRows);
    int64_t rows = task.queries / tiles, longer = task.queries % tiles;
    for (int64_t i = 0, tile = 0; i < task.queries; ++tile) {
      int64_t count = rows + (tile < longer);
      if (int32_t status = use(i, count))
        return status;
      i += count;
    }
    return 0;
  }

  const S *getQuery(int64_t row) const {
    return static_cast<const S *>(task.query.data) +
           (task.firstQuery + row) * task.query.rowStride;
  }

  /// The products of queries with the keys from `key` on, the first one of a
  /// panel.
  void multiplyKeys(int64_t row, int64_t rows, int64_t key,
                    int64_t count) const {
    if constexpr (sizeof(T) == sizeof(S)) {
      if (!task.packsKeys) {
        const S *keys = static_cast<const S *>(task.key.data);
        Multiplication<T, S> product{};
        product.m = rows;
        product.n = count;
        product.k = task.depth;
        product.a = {getQuery(row), task.query.rowStride, 1};
        product.b = {keys + key * task.key.rowStride, 1, task.key.rowStride};
        product.c = scores;
        product.cStride = kMaxDepth;
        return product.runDots();
      }
    }
    TileFunction<P> multiply = getTileFunction<P>(rows);
    for (int64_t j = 0; j < count; j += columns)
      multiply(words, packedQueries + row * words,
               packedKeys + (key + j) * words, columns, scores + j, kMaxDepth,
               columns, false);
  }

  /// Makes weights of the scores of a query, less what they all have in common
  /// so far, and adds up.
  void normalize(int64_t row, T *from, int64_t count) const {
    int64_t end = divideUp(count, lanes) * lanes;
    for (int64_t j = count; j < end; ++j)
      from[j] = -kInfinity<T>;
    Vec high = load(from);
    for (int64_t j = lanes; j < end; j += lanes) {
      Vec value = load(from + j);
      high = value > high ? value : high;
    }
    T parts[lanes];
    store(parts, high);
    for (int64_t half = lanes / 2; half; half /= 2)
      for (int64_t i = 0; i < half; ++i)
        parts[i] = parts[i + half] > parts[i] ? parts[i + half] : parts[i];
    T before = largest[row], now = parts[0] > before ? parts[0] : before;
    // A query that has seen nothing yet has weights 0, and NaN stays.
    T shift = now == -kInfinity<T> ? T(0) : now;
    Vec total{};
    for (int64_t j = 0; j < end; j += lanes) {
      Vec weight = computeExp(load(from + j) - shift);
      store(from + j, weight);
      total += weight;
    }
    T factor = computeExp(before - shift);
    largest[row] = now;
    totals[row] = totals[row] * factor + addUp<T>(total);
    T *sum = sums + row * sumStride;
    if (factor != T(1))
      for (int64_t c = 0; c < sumStride; c += lanes)
        store(sum + c, load(sum + c) * factor);
  }

  /// Adds the values of some keys, at most `kMaxDepth`, to the sums of a tile.
  int32_t addKeys(int64_t row, int64_t rows, int64_t key, int64_t count) const {
    multiplyKeys(row, rows, key, count);
    if (task.score) {
      tally_rt_score_block block = {scores,    kMaxDepth, task.firstQuery + row,
                                    rows,      key,       count,
                                    task.batch};
      if (int32_t status = task.score(task.context, &block, task.data))
        return status;
    }
    for (int64_t i = 0; i < rows; ++i)
      normalize(row + i, scores + i * kMaxDepth, count);
    packPanel(rows, rows, count, scores, kMaxDepth, 1, packedWeights);
    TileFunction<T> multiply = getTileFunction<T>(rows);
    T *target = sums + row * sumStride;
    if constexpr (sizeof(T) == sizeof(S)) {
      const T *values =
          reinterpret_cast<const T *>(static_cast<const S *>(task.value.data)) +
          key * task.value.rowStride;
      for (int64_t c = 0; c < packedColumn; c += columns)
        multiply(count, packedWeights, values + c, task.value.rowStride,
                 target + c, sumStride, columns, true);
    }
    for (int64_t panel = 0; panel < valuePanels; ++panel)
      multiply(count, packedWeights,
               packedValues + (panel * task.keys + key) * columns, columns,
               target + packedColumn + panel * columns, sumStride, columns,
               true);
    return 0;
  }

  /// Divides by the sums of weights.
  void finish() const {
    // 0 / 0 is what the definition of the softmax gives.
    bool keepsNaN = task.isStrict && task.keys != 0;
    for (int64_t i = 0; i < task.queries; ++i) {
      T *sum = sums + i * sumStride;
      Vec total = Vec{} + totals[i];
      for (int64_t c = 0; c < sumStride; c += lanes)
        store(sum + c,
              totals[i] == 0 && !keepsNaN ? Vec{} : load(sum + c) / total);
      S *to = static_cast<S *>(task.output.data) +
              (task.firstQuery + i) * task.output.rowStride;
      for (int64_t c = 0; c < task.columns; ++c)
        narrow(sum[c], to[c * task.output.columnStride]);
    }
  }

  const AttentionTask &task;
  /// The words of a row of queries or keys.
  int64_t words;
  int64_t keyPanels;
  /// Columns from this one on are packed.
  int64_t packedColumn;
  int64_t valuePanels, sumStride;
  P *packedKeys, *packedQueries;
  T *packedValues, *packedWeights, *scores, *sums, *largest, *totals;
  size_t bytes;
};

/// Calls `use` with the attention of the task's type.
template <typename Use>
auto withAttention(const AttentionTask &task, Use use) {
#if defined(TALLY_MATMUL_PAIRS)
  return use(Attention<float, BFloat>(task));
#else
  switch (task.type) {
  case MatmulType::F64:
    return use(Attention<double, double>(task));
  case MatmulType::F16:
    return use(Attention<float, Half>(task));
  case MatmulType::BF16:
    return use(Attention<float, BFloat>(task));
  case MatmulType::F32:
  case MatmulType::I8:
  case MatmulType::I16:
  case MatmulType::I32:
  case MatmulType::I64:
    break;
  }
  return use(Attention<float, float>(task));
#endif
}

size_t getAttentionBytes(const AttentionTask &task) {
  return withAttention(
      task, [](const auto &attention) { return attention.getBytes(); });
}

void packAttention(const AttentionTask &task) {
  withAttention(task, [](const auto &attention) { attention.pack(); });
}

int32_t runAttention(const AttentionTask &task) {
  return withAttention(task,
                       [](const auto &attention) { return attention.run(); });
}

} // namespace
