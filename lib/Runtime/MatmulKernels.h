//===- MatmulKernels.h - Matmuls of one thread, for one level ---*- C++ -*-===//
//
// Included by one file for each level of processors, which defines
//
//   TALLY_MATMUL_LEVEL   the name of the MatmulLevel
//   TALLY_MATMUL_TITLE   its name for people, a string
//   TALLY_MATMUL_BYTES   the bytes of a vector
//   TALLY_MATMUL_ROWS    the rows of a tile; it has two vectors of columns
//
// and, if it is for one type alone, one of
//
//   TALLY_MATMUL_PAIRS   bf16, multiplied in pairs
//   TALLY_MATMUL_QUADS   bytes, multiplied in groups of four
//
// Everything is in an anonymous namespace, and nothing inline of another header
// is called: the linker keeps one copy of such a function for all, and it may
// be the one for the newest processor. Each function is written for vectors of
// any length, with the extensions that GCC and Clang share; a product and the
// sum that it goes into are contracted where the processor can.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#if defined(__clang__)
#define TALLY_UNROLL _Pragma("clang loop unroll(full)")
#define TALLY_UNROLL_TWICE _Pragma("clang loop unroll_count(2)")
#else
#define TALLY_UNROLL _Pragma("GCC unroll 16")
#define TALLY_UNROLL_TWICE _Pragma("GCC unroll 2")
#endif

// A level does not use what other levels or types need.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"

// NOLINTBEGIN(modernize-use-using): an attribute of a dependent type.
namespace {

using namespace tally::runtime;

/// The depth of a packed block, in groups of elements, and the bytes of a
/// packed block of B: they fit a core's second cache.
constexpr int64_t kMaxDepth = 256;
constexpr int64_t kBlockBytes = 1 << 19;
constexpr int64_t kMaxRows = TALLY_MATMUL_ROWS;
/// Elements of A are asked for that many before they are multiplied.
constexpr int64_t kPrefetchDistance = 512;

template <typename T>
struct Vector {
  typedef T Type __attribute__((vector_size(TALLY_MATMUL_BYTES)));
  typedef T Unaligned __attribute__((vector_size(TALLY_MATMUL_BYTES),
                                     aligned(alignof(T)), may_alias));
  static constexpr int64_t lanes = TALLY_MATMUL_BYTES / sizeof(T);
  static constexpr int64_t columns = 2 * lanes;
};

template <typename T>
typename Vector<T>::Type load(const T *from) {
  return *reinterpret_cast<const typename Vector<T>::Unaligned *>(from);
}

template <typename T>
void store(T *to, typename Vector<T>::Type value) {
  *reinterpret_cast<typename Vector<T>::Unaligned *>(to) = value;
}

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }
int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

} // namespace

// Each part uses those before it.
#include "MatmulElements.h"
#include "MatmulWords.h"

#include "MatmulTiles.h"

#include "MatmulPacking.h"

#include "MatmulDots.h"
#include "MatmulWindows.h"

namespace {

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

/// A task with the types of its elements, whose result has the type of sums and
/// contiguous rows.
template <typename T, typename S>
struct Multiplication {
  /// What panels are made of.
  using P = typename PackedOf<S>::Type;
  static_assert(sizeof(P) == sizeof(T), "panels and sums share memory");

  int64_t m, n, k;
  MatmulMatrix<const S *> a, b;
  T *c;
  int64_t cStride;
  int64_t groupColumns, groupStride;
  /// Panels: a part of A, then a block of B, unless all of B is packed.
  P *scratch;
  const P *packedA = nullptr, *packedB = nullptr;
  int64_t panelRows = 0;

  static constexpr int64_t columns = Vector<T>::columns;
  static constexpr int64_t group = kGroup<P>;

  /// The depth of a block: even parts of k, in whole groups but for the last.
  static int64_t getDepth(int64_t k) {
    return divideUp(divideUp(k, divideUp(k, kMaxDepth * group)), group) * group;
  }

  /// The rows of a panel of B in front of the element `p`, the first one of a
  /// block, or k.
  static int64_t countRows(int64_t k, int64_t p) {
    int64_t rows = divideUp(p, group);
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

  /// Room for some packed elements, and for what whole vectors write behind.
  static int64_t getPanelSize(int64_t elements) {
    return elements + Vector<T>::lanes;
  }

  void packRows(int64_t row, int64_t rows, int64_t p, int64_t depth,
                const Offsets &offsets) const {
    if (a.layout)
      packLayout(*a.layout, a.data, a.start + row, rows, rows, offsets, p,
                 depth, scratch);
    else
      packPanel(rows, rows, depth,
                a.data + row * a.rowStride + p * a.columnStride, a.rowStride,
                a.columnStride, scratch);
    shiftRows(rows * divideUp(depth, group), scratch);
  }

  void packColumns(int64_t column, int64_t count, int64_t p, int64_t depth,
                   const Offsets &offsets, P *to) const {
    P *panel = to + kFirstRows<P> * columns;
    if (b.layout)
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

  /// Packs some panels of a block, one behind the other.
  void packBlock(int64_t first, int64_t count, int64_t p, int64_t depth,
                 const Offsets &offsets, P *to) const {
    int64_t size = columns * (kFirstRows<P> + divideUp(depth, group));
    forEachColumnPanel(first, count,
                       [&](int64_t column, int64_t width, int64_t) {
                         packColumns(column, width, p, depth, offsets, to);
                         to += size;
                       });
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

  void runPacked() const {
    int64_t maxBlockDepth = getDepth(k);
    int64_t numPanels = countPanels(n, groupColumns);
    int64_t blockPanels = getBlockPanels(n, groupColumns);
    int64_t words = divideUp(k, group);
    P *block =
        scratch + getPanelSize(kMaxRows * divideUp(maxBlockDepth, group));
    Offsets offsetsOfA, offsetsOfB;
    for (int64_t first = 0; first < numPanels; first += blockPanels) {
      int64_t count = least(blockPanels, numPanels - first);
      for (int64_t p = 0; p < k; p += maxBlockDepth) {
        int64_t depth = least(maxBlockDepth, k - p);
        int64_t groups = divideUp(depth, group);
        if (a.layout)
          setOffsets(a.layout->depth, p, depth, offsetsOfA);
        if (b.layout)
          setOffsets(b.layout->depth, p, depth, offsetsOfB);
        // Panels that are all packed have the whole depth.
        int64_t panelSize =
            columns * (packedB ? countRows(k, k) : kFirstRows<P> + groups);
        const P *panels =
            packedB ? packedB + first * panelSize + countRows(k, p) * columns
                    : block;
        if (!packedB)
          packBlock(first, count, p, depth, offsetsOfB, block);
        forEachRowPanel(m, panelRows, [&](int64_t row, int64_t rows) {
          const P *left =
              packedA ? packedA + row * words + p / group * rows : scratch;
          if (!packedA)
            packRows(row, rows, p, depth, offsetsOfA);
          TileFunction<P> multiply = getTileFunction<P>(rows);
          T *target = c + row * cStride;
          const P *packed = panels;
          forEachColumnPanel(first, count,
                             [&](int64_t, int64_t width, int64_t offset) {
                               multiply(groups, left, packed, columns,
                                        target + offset, cStride, width, p > 0);
                               packed += panelSize;
                             });
        });
      }
    }
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
          multiply(depth, scratch, last, columns, target + whole, cStride,
                   n - whole, p > 0);
      });
    }
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
                      c, cStride)
        .run();
  }
};

int64_t getGroupColumns(const MatmulTask &task) {
  return task.groupColumns ? task.groupColumns : task.n;
}

/// The elements of the scratch memory of a task, in front of the result.
template <typename T, typename S>
int64_t countScratch(const MatmulTask &task) {
  using Any = Multiplication<T, S>;
  if (task.n == 0 || task.k == 0 || task.method == MatmulMethod::Row ||
      task.method == MatmulMethod::Dots)
    return 0;
  int64_t depth = divideUp(Any::getDepth(task.k), Any::group);
  if (task.packedB)
    return Any::getPanelSize(depth * kMaxRows);
  int64_t width =
      task.method == MatmulMethod::Packed
          ? Any::getBlockPanels(task.n, getGroupColumns(task)) * Any::columns
          : Any::columns;
  depth += kFirstRows<typename Any::P>;
  return Any::getPanelSize(depth * kMaxRows) + Any::getPanelSize(depth * width);
}

/// Whether the result, of elements R, cannot be summed up where it goes.
template <typename T, typename R>
bool needsCopy(const MatmulTask &task) {
  return sizeof(T) != sizeof(R) || task.c.columnStride != 1;
}

template <typename S>
MatmulMatrix<const S *> getElements(const MatmulMatrix<const void *> &matrix) {
  return {static_cast<const S *>(matrix.data), matrix.rowStride,
          matrix.columnStride, matrix.layout, matrix.start};
}

template <typename S, typename R>
void runTask(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  using P = typename PackedOf<S>::Type;
  if (task.m == 0 || task.n == 0)
    return;
  auto *result = static_cast<R *>(task.c.data);
  int64_t groupColumns = getGroupColumns(task);
  auto forEachElement = [&](auto use) {
    for (int64_t i = 0; i < task.m; ++i)
      for (int64_t j0 = 0; j0 < task.n; j0 += groupColumns) {
        R *group = result + i * task.c.rowStride +
                   j0 / groupColumns * task.groupStride;
        for (int64_t j = 0; j < groupColumns; ++j)
          use(i, j0 + j, group[j * task.c.columnStride]);
      }
  };
  if (task.k == 0)
    return forEachElement(
        [](int64_t, int64_t, R &element) { narrow(T(0), element); });
  if constexpr (sizeof(T) == sizeof(S))
    if (task.method == MatmulMethod::Windows)
      return WindowedMatmul<T>(task).run();
  bool copies = needsCopy<T, R>(task);
  auto *scratch = static_cast<T *>(task.scratch);
  T *sums = copies ? scratch + countScratch<T, S>(task)
                   : reinterpret_cast<T *>(result);
  Multiplication<T, S> product{task.m,
                               task.n,
                               task.k,
                               getElements<S>(task.a),
                               getElements<S>(task.b),
                               sums,
                               copies ? task.n : task.c.rowStride,
                               groupColumns,
                               copies ? groupColumns : task.groupStride,
                               static_cast<P *>(task.scratch)};
  product.packedA = static_cast<const P *>(task.packedA);
  product.panelRows = task.panelRows;
  if (task.packedB)
    product.packedB =
        static_cast<const P *>(task.packedB) +
        task.firstPanel * product.columns * product.countRows(task.k, task.k);
  if (task.method == MatmulMethod::Dots)
    product.runDots();
  else if (task.method == MatmulMethod::Packed)
    product.runPacked();
  else if constexpr (sizeof(T) == sizeof(S)) {
    if (task.method == MatmulMethod::InPlace)
      product.runInPlace();
    else
      product.runRow();
  }
  if (copies)
    forEachElement([&](int64_t i, int64_t j, R &element) {
      narrow(sums[i * task.n + j], element);
    });
}

template <typename S, typename R>
size_t getBytes(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  if (task.method == MatmulMethod::Windows)
    return WindowedMatmul<T>(task).countBytes();
  int64_t elements = countScratch<T, S>(task);
  if (task.k != 0 && needsCopy<T, R>(task))
    elements += task.m * task.n;
  return size_t(elements) * sizeof(T);
}

template <typename S>
size_t countPackedBytes(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  using Any = Multiplication<T, S>;
  int64_t width = divideUp(task.n, Any::columns) * Any::columns;
  if (task.k == 0)
    return Any::getPanelSize(0) * sizeof(T);
  int64_t rows = Any::countRows(task.k, task.k);
  return size_t(Any::getPanelSize(width * rows)) * sizeof(T);
}

template <typename S>
void packTask(const MatmulTask &task, void *to) {
  using T = typename SumOf<S>::Type;
  Multiplication<T, S> product{};
  product.n = task.n;
  product.k = task.k;
  product.b = getElements<S>(task.b);
  if (task.k != 0)
    product.packAll(static_cast<typename PackedOf<S>::Type *>(to));
}

template <typename S>
size_t countPackedRowBytes(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  int64_t words = divideUp(task.k, kGroup<typename PackedOf<S>::Type>);
  return size_t(task.m * words + Vector<T>::lanes) * sizeof(T);
}

template <typename S>
void packTaskRows(const MatmulTask &task, void *to) {
  using P = typename PackedOf<S>::Type;
  packAllRows<P, S>(task, static_cast<P *>(to));
}

/// Calls a function with an element of the type, and returns what it returns.
template <typename Function>
auto withElement(MatmulType type, const Function &function) {
#if defined(TALLY_MATMUL_PAIRS)
  (void)type;
  return function(BFloat());
#elif defined(TALLY_MATMUL_QUADS)
  (void)type;
  return function(int8_t());
#else
  switch (type) {
  case MatmulType::F64:
    return function(double());
  case MatmulType::F16:
    return function(Half());
  case MatmulType::BF16:
    return function(BFloat());
  case MatmulType::I8:
    return function(int8_t());
  case MatmulType::F32:
    break;
  }
  return function(float());
#endif
}

/// Calls a function with an element of the type of the operands and one of that
/// of the result, and returns what it returns.
template <typename Function>
auto withElements(const MatmulTask &task, const Function &function) {
  return withElement(task.type, [&](auto element) {
    using S = decltype(element);
    using T = typename SumOf<S>::Type;
    if constexpr (sizeof(T) != sizeof(typename ResultOf<S>::Type))
      if (task.isWide)
        return function(element, T());
    return function(element, typename ResultOf<S>::Type());
  });
}

size_t getScratchBytes(const MatmulTask &task) {
  return withElements(task, [&](auto element, auto result) {
    return getBytes<decltype(element), decltype(result)>(task);
  });
}

void run(const MatmulTask &task) {
  withElements(task, [&](auto element, auto result) {
    runTask<decltype(element), decltype(result)>(task);
  });
}

size_t getPackedBytes(const MatmulTask &task) {
  return withElement(task.type, [&](auto element) {
    return countPackedBytes<decltype(element)>(task);
  });
}

void packColumns(const MatmulTask &task, void *to) {
  withElement(task.type,
              [&](auto element) { packTask<decltype(element)>(task, to); });
}

size_t getPackedRowBytes(const MatmulTask &task) {
  return withElement(task.type, [&](auto element) {
    return countPackedRowBytes<decltype(element)>(task);
  });
}

void packRows(const MatmulTask &task, void *to) {
  withElement(task.type,
              [&](auto element) { packTaskRows<decltype(element)>(task, to); });
}

size_t getPackedRowStride(const MatmulTask &task) {
  return withElement(task.type, [&](auto element) {
    using P = typename PackedOf<decltype(element)>::Type;
    return size_t(divideUp(task.k, kGroup<P>)) * sizeof(P);
  });
}

int64_t getTileRows(MatmulType) { return kMaxRows; }

int64_t getTileColumns(MatmulType type) {
  return type == MatmulType::F64 ? Vector<double>::columns
                                 : Vector<float>::columns;
}

} // namespace

#if !defined(TALLY_MATMUL_QUADS)
#include "AttentionKernels.h"
#else
namespace {
constexpr decltype(MatmulLevel::getAttentionBytes) getAttentionBytes = nullptr;
constexpr decltype(MatmulLevel::packAttention) packAttention = nullptr;
constexpr decltype(MatmulLevel::runAttention) runAttention = nullptr;
} // namespace
#endif
// NOLINTEND(modernize-use-using)
#pragma GCC diagnostic pop

const MatmulLevel tally::runtime::TALLY_MATMUL_LEVEL = {TALLY_MATMUL_TITLE,
                                                        getTileRows,
                                                        getTileColumns,
                                                        getScratchBytes,
                                                        run,
                                                        getPackedBytes,
                                                        packColumns,
                                                        getPackedRowBytes,
                                                        packRows,
                                                        getPackedRowStride,
                                                        getAttentionBytes,
                                                        packAttention,
                                                        runAttention};
