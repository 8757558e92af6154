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
// and with one of these, if it multiplies square tiles of such groups,
//
//   TALLY_MATMUL_SQUARES
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
#if defined(TALLY_MATMUL_SQUARES)
constexpr int64_t kMaxDepth = 512;
constexpr int64_t kBlockBytes = 1 << 20;
#else
constexpr int64_t kMaxDepth = 256;
constexpr int64_t kBlockBytes = 1 << 19;
#endif
constexpr int64_t kMaxRows = TALLY_MATMUL_ROWS;
/// Elements of A are asked for that many before they are multiplied.
constexpr int64_t kPrefetchDistance = 512;
/// The least depth of a tile whose result is asked for before it is computed.
constexpr int64_t kDepthOfPrefetch = 32;
/// Rows of B are asked for that many before they are packed.
constexpr int64_t kPackedRowsAhead = 16;

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
#include "MatmulSquares.h"

#include "MatmulDots.h"
#include "MatmulParts.h"

#include "MatmulWindows.h"

#include "MatmulBatches.h"
#include "MatmulLines.h"

#include "MatmulMethods.h"

namespace {

int64_t getGroupColumns(const MatmulTask &task) {
  return task.groupColumns ? task.groupColumns : task.n;
}

/// Whether panels have columns of several groups, as groups would leave much of
/// them empty. Their sums are copied then.
template <typename T>
bool joinsGroups(const MatmulTask &task) {
  if (!task.groupColumns || task.method != MatmulMethod::Packed ||
      task.packedB || task.groupColumns == task.n)
    return false;
  constexpr int64_t columns = Vector<T>::columns;
  int64_t apart = divideUp(task.groupColumns, columns) * columns *
                  (task.n / task.groupColumns),
          joined = divideUp(task.n, columns) * columns;
  // Copying a sum takes as long as so many products.
  int64_t copying = task.c.columnStride == 1 ? 24 : 0;
  return double(joined) * double(task.k + copying) <
         double(apart) * double(task.k);
}

/// The columns of which panels have no others.
template <typename T>
int64_t getPanelColumns(const MatmulTask &task) {
  return joinsGroups<T>(task) ? task.n : getGroupColumns(task);
}

/// The elements of the scratch memory of a task, in front of sums that are
/// copied, if they are.
template <typename T, typename S>
int64_t countScratch(const MatmulTask &task, bool copies) {
  using Any = Multiplication<T, S>;
  if (task.n == 0 || task.k == 0 || task.method == MatmulMethod::Row ||
      task.method == MatmulMethod::Dots)
    return 0;
  if (task.method == MatmulMethod::Unpacked)
    return Any::getPanelSize(task.k * Any::columns);
  if (task.method == MatmulMethod::InPlace) {
    int64_t depth = Any::getDepth(task.k);
    return Any::getPanelSize(depth * kMaxRows) +
           Any::getPanelSize(depth * Any::columns);
  }
  int64_t width = getPanelColumns<T>(task);
  bool takesAll = Any::takesAllRows(task.m, Any::countPanels(task.n, width),
                                    task.k, task.panelRows, copies);
  int64_t elements =
      Any::countScratchOfA(task.m, task.k, task.panelRows, takesAll);
  if (!task.packedB)
    elements += Any::countScratchOfB(Any::getBlockPanels(task.n, width), task.k,
                                     takesAll);
  return elements;
}

/// Whether the result, of elements R, cannot be summed up where it goes.
template <typename T, typename R>
bool needsCopy(const MatmulTask &task) {
  return sizeof(T) != sizeof(R) || task.c.columnStride != 1 ||
         joinsGroups<T>(task);
}

template <typename S>
MatmulMatrix<const S *> getElements(const MatmulMatrix<const void *> &matrix) {
  return {static_cast<const S *>(matrix.data), matrix.rowStride,
          matrix.columnStride, matrix.layout, matrix.start};
}

/// The elements of memory for sums that are copied: all of them, or those of
/// one block of columns, of one panel of rows where k is one block.
template <typename T, typename S>
int64_t countSums(const MatmulTask &task) {
  using Any = Multiplication<T, S>;
  if (task.method != MatmulMethod::Packed)
    return task.m * task.n;
  int64_t rows = Any::getDepth(task.k) >= task.k ? kMaxRows : task.m;
  return rows * Any::getSumStride(task.n, getPanelColumns<T>(task));
}

/// The result of a task, of elements R.
template <typename R>
struct TaskResult {
  /// Sets columns of some rows to values whose rows lie `stride` apart.
  template <typename T>
  void set(int64_t row, int64_t rows, int64_t column, int64_t count,
           const T *from, int64_t stride) const {
    while (count > 0) {
      int64_t rest = groupColumns - column % groupColumns;
      int64_t here = least(rest, count);
      setInGroup(row, rows, column, here, from, stride);
      column += here;
      from += here;
      count -= here;
    }
  }

  /// The same for columns of one group.
  template <typename T>
  void setInGroup(int64_t row, int64_t rows, int64_t column, int64_t count,
                  const T *from, int64_t stride) const {
    int64_t group = column / groupColumns;
    R *to = data + row * rowStride + group * groupStride +
            (column - group * groupColumns) * columnStride;
    for (int64_t i = 0; i < rows; ++i) {
      if (columnStride != 1)
        for (int64_t j = 0; j < count; ++j)
          narrow(from[j], to[j * columnStride]);
      else if (count == Vector<T>::columns)
        narrowColumns(from, to);
      else
        for (int64_t j = 0; j < count; ++j)
          narrow(from[j], to[j]);
      from += stride;
      to += rowStride;
    }
  }

  R *data;
  int64_t rowStride, columnStride, groupColumns, groupStride;
};

/// Computes a task whose k is not 0 by packed panels.
template <typename R, typename T, typename S>
void runPanels(const Multiplication<T, S> &product,
               const TaskResult<R> &result) {
  [[maybe_unused]] SquareScope squares;
  product.runPacked([&](int64_t row, int64_t rows, int64_t first, int64_t count,
                        const T *sums) {
    if (!product.isBuffered)
      return;
    auto copyPanel = [&](int64_t column, int64_t width, int64_t) {
      result.set(row, rows, column, width, sums, product.cStride);
      sums += product.columns;
    };
    product.forEachColumnPanel(first, count, copyPanel);
  });
}

template <typename S, typename R>
void runTask(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  using P = typename PackedOf<S>::Type;
  using Left = typename LeftOf<P>::Type;
  using Product = Multiplication<T, S>;
  if (task.m == 0 || task.n == 0)
    return;
  int64_t groupColumns = getGroupColumns(task);
  TaskResult<R> result{static_cast<R *>(task.c.data), task.c.rowStride,
                       task.c.columnStride, groupColumns, task.groupStride};
  if (task.k == 0) {
    T zero = 0;
    for (int64_t i = 0; i < task.m; ++i)
      for (int64_t j = 0; j < task.n; ++j)
        result.set(i, 1, j, 1, &zero, 0);
    return;
  }
  if constexpr (sizeof(T) == sizeof(S))
    if (task.method == MatmulMethod::Windows)
      return WindowedMatmul<T>(task).run();
  if constexpr (isBatched<S>)
    if (task.method == MatmulMethod::Lines)
      return LineProducts<T>(task).run();
  bool copies = needsCopy<T, R>(task);
  bool isPacked = task.method == MatmulMethod::Packed;
  T *sums =
      copies ? static_cast<T *>(task.scratch) + countScratch<T, S>(task, copies)
             : static_cast<T *>(task.c.data);
  int64_t stride = task.c.rowStride;
  int64_t panelColumns = getPanelColumns<T>(task);
  if (copies)
    stride = isPacked ? Product::getSumStride(task.n, panelColumns) : task.n;
  Product product{task.m,
                  task.n,
                  task.k,
                  getElements<S>(task.a),
                  getElements<S>(task.b),
                  sums,
                  stride,
                  panelColumns,
                  task.groupStride,
                  copies && isPacked,
                  static_cast<P *>(task.scratch)};
  product.source = task.sourceB;
  product.packedA = static_cast<const Left *>(task.packedA);
  product.panelRows = task.panelRows;
  if (task.packedB)
    product.packedB =
        static_cast<const P *>(task.packedB) +
        task.firstPanel * product.columns * product.countRows(task.k, task.k);
  if (isPacked)
    return runPanels(product, result);
  if (task.method == MatmulMethod::Dots)
    product.runDots();
  else if constexpr (sizeof(T) == sizeof(S)) {
    if (task.method == MatmulMethod::InPlace)
      product.runInPlace();
    else if (task.method == MatmulMethod::Row)
      product.runRow();
    else if constexpr (hasMoreTiles<T>)
      product.runUnpacked();
  }
  if (copies)
    result.set(0, task.m, 0, task.n, sums, task.n);
}

template <typename S, typename R>
size_t getBytes(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  if (task.method == MatmulMethod::Windows)
    return WindowedMatmul<T>(task).countBytes();
  if (task.method == MatmulMethod::Lines)
    return LineProducts<T>::countBytes();
  bool copies = needsCopy<T, R>(task);
  int64_t elements = countScratch<T, S>(task, copies);
  if (task.m != 0 && task.n != 0 && task.k != 0 && copies)
    elements += countSums<T, S>(task);
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
  product.source = task.sourceB;
  if (task.k != 0)
    product.packAll(static_cast<typename PackedOf<S>::Type *>(to));
}

template <typename S>
size_t countPackedRowBytes(const MatmulTask &task) {
  using T = typename SumOf<S>::Type;
  using P = typename PackedOf<S>::Type;
  int64_t behind = kIsSquare<P> ? kSquare * kSquare : Vector<T>::lanes;
  return size_t(task.m * countWords<P>(task.k) + behind) * sizeof(T);
}

template <typename S>
void packTaskRows(const MatmulTask &task, void *to) {
  using Left = typename LeftOf<typename PackedOf<S>::Type>::Type;
  packAllRows<Left, S>(task, task.panelRows, static_cast<Left *>(to));
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
  case MatmulType::I16:
    return function(int16_t());
  case MatmulType::I32:
    return function(uint32_t());
  case MatmulType::I64:
    return function(uint64_t());
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
    if constexpr (sizeof(T) != sizeof(S))
      if (task.isWide)
        return function(element, T());
    return function(element, S());
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

void runBatch(const MatmulTask &task, const MatmulBatch &batch) {
  withElement(task.type, [&](auto element) {
    using S = decltype(element);
    if constexpr (isBatched<S>)
      BatchProduct<S>(task, batch).run();
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
    return size_t(countWords<P>(task.k)) * sizeof(P);
  });
}

int64_t getTileRows(MatmulType, MatmulMethod method) {
  if (method == MatmulMethod::Lines)
    return kLineRows;
  return method == MatmulMethod::Windows ? kWindowRows : kMaxRows;
}

int64_t getTileColumns(MatmulType type, MatmulMethod method) {
  if (method == MatmulMethod::Lines)
    return kLineColumns;
  int64_t lanes = type == MatmulType::F64 || type == MatmulType::I64
                      ? Vector<double>::lanes
                      : Vector<float>::lanes;
  return lanes * (method == MatmulMethod::Windows ? kWindowVectors : 2);
}

} // namespace

#if !defined(TALLY_MATMUL_QUADS) && !defined(TALLY_MATMUL_SQUARES)
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
                                                        runAttention,
                                                        runBatch};
