//===- Matmul.cpp - Matmuls on the CPU ------------------------------------===//
//
// Divides a matmul into tasks, and runs them.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "Context.h"
#include "PackedWeights.h"
#include "ParallelFor.h"

#include <algorithm>
#include <utility>
#include <vector>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

static int64_t getResultBytes(const MatmulTask &task) {
  return task.isWide ? std::max<int64_t>(getElementBytes(task.type), 4)
                     : getElementBytes(task.type);
}

namespace {

/// A loop over matmuls: strides in elements.
using BatchLoop = tally_rt_host_loop;

/// All matmuls of a batch, and the parts that each is divided into.
class BatchedMatmul {
public:
  BatchedMatmul(const MatmulTask &matmul, std::vector<BatchLoop> loops)
      : whole(matmul), loops(std::move(loops)) {
    for (const BatchLoop &loop : this->loops)
      batch *= loop.size;
    if (!chooseBatch() && !chooseRow())
      whole.method = chooseMatmulMethod(whole, level);
    partRows = whole.m;
    partColumns = whole.n;
  }

  /// Has B packed once for all calls, kept at `place`, where that pays.
  void packOnce(tally_rt_context *ctx, tally_rt_packed &place);
  /// The same for A.
  void packRowsOnce(tally_rt_context *ctx, tally_rt_packed &place);
  /// Computes it on the threads of the context.
  int32_t run(tally_rt_context *ctx);

private:
  /// The number of multiplications that is worth a task, and that is worth a
  /// thread's attention.
  static constexpr int64_t taskWork = 1 << 20;

  /// The multiplications for rows and columns of a result. An element of an
  /// operand that meets few others takes as long as several of them.
  double getWork(int64_t rows, int64_t columns) const {
    constexpr double perElement = 4;
    return double(std::max<int64_t>(whole.k, 1)) *
           std::max(double(rows) * double(columns),
                    perElement * (double(rows) + double(columns)));
  }
  bool chooseBatch();
  bool chooseRow();
  bool sharesRows() const;
  int64_t getEvenPanelRows() const;
  int32_t packSharedRows(tally_rt_context *ctx, void *&memory);
  void divide(int64_t threads);
  MatmulTask getTask(int64_t index) const;
  MatmulBatch getBatch(int64_t begin, int64_t end) const;
  int32_t runTasks(tally_rt_context *ctx, int64_t begin, int64_t end) const;
  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *self);
  /// Moves a pointer by some elements.
  template <typename Pointer>
  static void advance(MatmulMatrix<Pointer> &matrix, int64_t elements,
                      int64_t elementBytes);

  MatmulTask whole;
  const MatmulLevel &level = getMatmulLevel(whole.type);
  std::vector<BatchLoop> loops;
  int64_t batch = 1;
  /// The sizes of a part, and how many there are along the columns and in all.
  int64_t partRows, partColumns, columnParts = 1, parts = 1;
};

} // namespace

/// Chooses the method Batch, if that is the best one. Its inner loop is as long
/// as it can be.
bool BatchedMatmul::chooseBatch() {
  bool turns = isBetterTurned(whole);
  MatmulTask task = turns ? turnMatmul(whole) : whole;
  if (!areSmallMatmuls(task, batch, level))
    return false;
  whole = task;
  whole.method = MatmulMethod::Batch;
  std::vector<BatchLoop> merged;
  for (BatchLoop loop : loops) {
    if (turns)
      std::swap(loop.a_stride, loop.b_stride);
    if (loop.size == 1)
      continue;
    if (!merged.empty()) {
      BatchLoop &last = merged.back();
      if (last.a_stride == loop.size * loop.a_stride &&
          last.b_stride == loop.size * loop.b_stride &&
          last.c_stride == loop.size * loop.c_stride) {
        loop.size *= last.size;
        last = loop;
        continue;
      }
    }
    merged.push_back(loop);
  }
  loops = std::move(merged);
  return true;
}

/// Chooses the method Row for a transposed product, if that is one.
bool BatchedMatmul::chooseRow() {
  if (!isTurnedRow(whole, level))
    return false;
  whole = turnMatmul(whole);
  whole.method = MatmulMethod::Row;
  for (BatchLoop &loop : loops)
    std::swap(loop.a_stride, loop.b_stride);
  return true;
}

/// Chooses parts of whole tiles. Columns are cut rather than rows, as each part
/// packs its own columns of B; a packed row of A costs less.
void BatchedMatmul::divide(int64_t threads) {
  double work = getWork(whole.m, whole.n);
  int64_t most = std::min<int64_t>(4 * threads, int64_t(work / taskWork));
  if (most <= 1 || batch >= 4 * threads)
    return;
  // Panels that are packed stay whole.
  int64_t tileRows = whole.panelRows
                         ? whole.panelRows
                         : level.getTileRows(whole.type, whole.method);
  int64_t tileColumns = whole.groupColumns
                            ? whole.groupColumns
                            : level.getTileColumns(whole.type, whole.method);
  auto roundUp = [](int64_t value, int64_t unit) {
    return (value + unit - 1) / unit * unit;
  };
  double best = 0;
  for (int64_t i = 1; i <= most; ++i)
    for (int64_t j = 1; i * j <= most; ++j) {
      int64_t rows = roundUp((whole.m + i - 1) / i, tileRows);
      int64_t columns = roundUp((whole.n + j - 1) / j, tileColumns);
      if (rows * (i - 1) >= whole.m || columns * (j - 1) >= whole.n)
        continue;
      int64_t rounds = (batch * i * j + threads - 1) / threads;
      double cost =
          double(rounds) * (double(rows) * double(columns) +
                            20.0 * double(columns) + 2.0 * double(rows));
      if (best != 0 && cost >= best)
        continue;
      best = cost;
      partRows = std::min(rows, whole.m);
      partColumns = std::min(columns, whole.n);
      columnParts = j;
      parts = i * j;
    }
}

template <typename Pointer>
void BatchedMatmul::advance(MatmulMatrix<Pointer> &matrix, int64_t elements,
                            int64_t elementBytes) {
  using Byte =
      std::conditional_t<std::is_same_v<Pointer, void *>, char, const char>;
  matrix.data = static_cast<Byte *>(matrix.data) + elements * elementBytes;
}

MatmulTask BatchedMatmul::getTask(int64_t index) const {
  MatmulTask task = whole;
  int64_t bytes = getElementBytes(task.type), part = index % parts;
  int64_t row = part / columnParts * partRows;
  int64_t column = part % columnParts * partColumns;
  task.m = std::min(partRows, whole.m - row);
  task.n = std::min(partColumns, whole.n - column);
  int64_t a = 0, b = 0;
  if (task.packedA)
    task.packedA = static_cast<const char *>(task.packedA) +
                   row * int64_t(level.getPackedRowStride(task));
  else if (task.a.layout)
    task.a.start = row;
  else
    a = row * task.a.rowStride;
  if (task.packedB)
    task.firstPanel = column / level.getTileColumns(task.type, task.method);
  else if (task.b.layout || task.sourceB)
    task.b.start = column;
  else
    b = column * task.b.columnStride;
  int64_t c = row * task.c.rowStride;
  if (task.groupColumns)
    c += column / task.groupColumns * task.groupStride;
  else
    c += column * task.c.columnStride;
  int64_t rest = index / parts;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    int64_t position = rest % loop->size;
    rest /= loop->size;
    a += position * loop->a_stride;
    b += position * loop->b_stride;
    c += position * loop->c_stride;
  }
  advance(task.a, a, bytes);
  advance(task.b, b, bytes);
  advance(task.c, c, getResultBytes(task));
  return task;
}

void BatchedMatmul::packOnce(tally_rt_context *ctx, tally_rt_packed &place) {
  // Many rows share the work of packing; and panels start at whole tiles.
  constexpr int64_t manyRows = 1024;
  // No more rows than that read B as fast where it is.
  constexpr int64_t fewRows = 4;
  bool isPacked =
      whole.method == MatmulMethod::Packed ||
      (whole.method == MatmulMethod::Dots && whole.m > fewRows && whole.n > 4);
  if (!isPacked || whole.b.layout || whole.groupColumns || whole.m > manyRows ||
      whole.k == 0 || (whole.sourceB && whole.m <= kFewComputedRows))
    return;
  for (const BatchLoop &loop : loops)
    if (loop.size > 1 && loop.b_stride != 0)
      return;
  whole.method = MatmulMethod::Packed;
  whole.packedB = getPackedColumns(ctx->library, place, whole, level);
}

/// Whether all matmuls have the same A, which their method can read packed.
bool BatchedMatmul::sharesRows() const {
  if ((whole.method != MatmulMethod::Packed &&
       whole.method != MatmulMethod::Windows) ||
      batch == 0 || whole.m == 0 || whole.n == 0 || whole.k == 0)
    return false;
  for (const BatchLoop &loop : loops)
    if (loop.size > 1 && loop.a_stride != 0)
      return false;
  return true;
}

/// The rows of a panel where all panels have as many as they can evenly have.
int64_t BatchedMatmul::getEvenPanelRows() const {
  int64_t tileRows = level.getTileRows(whole.type, whole.method),
          panels = (whole.m + tileRows - 1) / tileRows;
  return (whole.m + panels - 1) / panels;
}

void BatchedMatmul::packRowsOnce(tally_rt_context *ctx,
                                 tally_rt_packed &place) {
  if (!sharesRows())
    return;
  whole.panelRows = getEvenPanelRows();
  whole.packedA = getPackedRows(ctx->library, place, whole, level);
}

/// Packs A once for all matmuls of a call that share it; each of them would
/// pack it for itself otherwise. The caller releases `memory` if it is not
/// null.
int32_t BatchedMatmul::packSharedRows(tally_rt_context *ctx, void *&memory) {
  // Operands of that size are few matmuls, or cost no less to read packed.
  constexpr size_t mostBytes = size_t(1) << 26;
  memory = nullptr;
  if (whole.packedA || batch == 1 || !sharesRows())
    return TALLY_RT_OK;
  MatmulTask packed = whole;
  packed.panelRows = getEvenPanelRows();
  size_t bytes = level.getPackedRowBytes(packed);
  if (bytes > mostBytes)
    return TALLY_RT_OK;
  memory = ctx->allocateOnHost(static_cast<int64_t>(bytes), 64);
  if (!memory)
    return TALLY_RT_OUT_OF_MEMORY;
  level.packRows(packed, memory);
  packed.packedA = memory;
  whole = packed;
  return TALLY_RT_OK;
}

/// Matmuls that evenly follow the task `begin`.
MatmulBatch BatchedMatmul::getBatch(int64_t begin, int64_t end) const {
  if (loops.empty() || parts > 1)
    return {1, 0, 0, 0};
  const BatchLoop &inner = loops.back();
  return {std::min(end - begin, inner.size - begin % inner.size),
          inner.a_stride, inner.b_stride, inner.c_stride};
}

int32_t BatchedMatmul::runTasks(tally_rt_context *ctx, int64_t begin,
                                int64_t end) const {
  if (whole.method == MatmulMethod::Batch) {
    for (int64_t index = begin; index < end;) {
      MatmulBatch several = getBatch(index, end);
      level.runBatch(getTask(index), several);
      index += several.count;
    }
    return TALLY_RT_OK;
  }
  // The first part is the largest.
  size_t bytes = level.getScratchBytes(getTask(0));
  alignas(64) char small[16384];
  void *scratch = small;
  if (bytes > sizeof(small)) {
    scratch = ctx->allocateOnHost(static_cast<int64_t>(bytes), 64);
    if (!scratch)
      return TALLY_RT_OUT_OF_MEMORY;
  }
  for (int64_t index = begin; index < end; ++index) {
    MatmulTask task = getTask(index);
    task.scratch = scratch;
    level.run(task);
  }
  if (scratch != small)
    ctx->release(scratch);
  return TALLY_RT_OK;
}

int32_t BatchedMatmul::runChunk(tally_rt_context *ctx, int64_t begin,
                                int64_t end, void *self) {
  return static_cast<const BatchedMatmul *>(self)->runTasks(ctx, begin, end);
}

int32_t BatchedMatmul::run(tally_rt_context *ctx) {
  if (batch == 0 || whole.m == 0 || whole.n == 0)
    return TALLY_RT_OK;
  void *shared = nullptr;
  int32_t status = packSharedRows(ctx, shared);
  if (status != TALLY_RT_OK)
    return status;
  if (ctx->parallelFor != tally_rt_serial_for)
    divide(getDefaultThreads());
  auto grain = static_cast<int64_t>(
      std::max(1.0, double(taskWork) / getWork(partRows, partColumns)));
  status = tally_rt_parallel_for(ctx, 0, batch * parts, grain, runChunk, this);
  if (shared)
    ctx->release(shared);
  return status;
}

//===----------------------------------------------------------------------===//
// Functions of the C interface
//===----------------------------------------------------------------------===//

static int32_t failInvalid(tally_rt_context *ctx, std::string message) {
  ErrorRecord record;
  record.status = TALLY_RT_INVALID_ARGUMENT;
  record.userMessage = std::move(message);
  ctx->fail(std::move(record));
  return TALLY_RT_INVALID_ARGUMENT;
}

/// Reads the types of operands and of the result. Returns false if there is no
/// such matmul.
static bool getTypes(int64_t dtype, int64_t resultType, MatmulTask &task) {
  if (!getMatmulType(dtype, task.type))
    return false;
  switch (task.type) {
  case MatmulType::I8:
    task.isWide = resultType == TALLY_RT_DATA_TYPE(kDLInt, 32);
    break;
  case MatmulType::F16:
  case MatmulType::BF16:
    task.isWide = resultType == TALLY_RT_DATA_TYPE(kDLFloat, 32);
    break;
  default:
    break;
  }
  return task.isWide || resultType == dtype;
}

static int32_t runMatmul(tally_rt_context *ctx,
                         const tally_rt_host_matmul_args *args,
                         const MatmulSource *source) {
  int64_t rank = args->batch_rank;
  std::vector<BatchLoop> loops(static_cast<size_t>(rank));
  for (int64_t dim = 0; dim < rank; ++dim)
    loops[size_t(dim)] = {args->batch[dim], args->batch[rank + dim],
                          args->batch[2 * rank + dim],
                          args->batch[3 * rank + dim]};
  MatmulTask task{args->m,
                  args->n,
                  args->k,
                  {args->a, args->a_strides[0], args->a_strides[1]},
                  {args->b, args->b_strides[0], args->b_strides[1]},
                  {args->c, args->c_strides[0], args->c_strides[1]},
                  MatmulType::F32,
                  MatmulMethod::Packed,
                  nullptr};
  if (!getTypes(args->dtype, args->c_dtype, task))
    return failInvalid(ctx,
                       "a matmul of a type that the runtime does not know");
  task.sourceB = source;
  BatchedMatmul matmul(task, std::move(loops));
  if (args->packed_b)
    matmul.packOnce(ctx, *args->packed_b);
  return matmul.run(ctx);
}

int32_t tally_rt_host_matmul(tally_rt_context *ctx,
                             const tally_rt_host_matmul_args *args) {
  return runMatmul(ctx, args, nullptr);
}

int32_t tally_rt_host_matmul_computed(tally_rt_context *ctx,
                                      const tally_rt_host_matmul_args *args,
                                      tally_rt_matrix_fn compute, void *data) {
  MatmulSource source{compute, ctx, data};
  return runMatmul(ctx, args, &source);
}

namespace {

/// A contraction as a batch of matmuls.
class Contraction {
public:
  Contraction(const tally_rt_host_contract_args &args, const MatmulTask &types)
      : task(types) {
    const tally_rt_host_loop *loop = args.loops;
    for (int64_t i = 0; i < args.batch_rank; ++i)
      batch.push_back(*loop++);
    m = takeOuter(loop, args.m_rank, &tally_rt_host_loop::a_stride, rows,
                  task.c.rowStride, /*groups=*/false);
    loop += args.m_rank;
    n = takeOuter(loop, args.n_rank, &tally_rt_host_loop::b_stride, columns,
                  task.c.columnStride, /*groups=*/true);
    loop += args.n_rank;
    MatmulIndex depthOfA{}, depthOfB{};
    for (const tally_rt_host_loop *end = loop + args.k_rank; loop != end;
         ++loop) {
      k *= loop->size;
      append(depthOfA, loop->size, loop->a_stride);
      append(depthOfB, loop->size, loop->b_stride);
    }
    task.m = m;
    task.n = n;
    task.k = k;
    task.a.data = args.a;
    task.b.data = args.b;
    task.c.data = args.c;
    setOperand(task.a, task.a.rowStride, task.a.columnStride, layoutOfA, rows,
               depthOfA);
    setOperand(task.b, task.b.columnStride, task.b.rowStride, layoutOfB,
               columns, depthOfB);
  }
  // The task points to layouts.
  Contraction(const Contraction &) = delete;
  Contraction &operator=(const Contraction &) = delete;

  int32_t run(tally_rt_context *ctx, tally_rt_packed *packedRows) {
    BatchedMatmul matmul(task, std::move(batch));
    if (packedRows)
      matmul.packRowsOnce(ctx, *packedRows);
    return matmul.run(ctx);
  }

private:
  /// Adds a loop inside of the others, or to the last one if it goes on where
  /// that one ends. A loop of one iteration does not matter.
  static void append(MatmulIndex &index, int64_t size, int64_t stride) {
    if (size == 1)
      return;
    int64_t last = index.rank - 1;
    if (index.rank && index.strides[last] == size * stride) {
      index.sizes[last] *= size;
      index.strides[last] = stride;
      return;
    }
    index.sizes[index.rank] = size;
    index.strides[index.rank++] = stride;
  }

  /// So few columns cost less than packing the rows of A for them does.
  static constexpr int64_t fewColumns = 512;

  /// Makes one index of the loops that only one operand has, as far as elements
  /// of C are evenly spaced; the outer ones become loops over matmuls, but for
  /// one around few columns, which makes groups. Returns the size of the index.
  int64_t takeOuter(const tally_rt_host_loop *loops, int64_t rank,
                    int64_t tally_rt_host_loop::*stride, MatmulIndex &index,
                    int64_t &strideOfC, bool groups) {
    int64_t first = rank, size = 1;
    strideOfC = 1;
    for (; first > 0; --first) {
      const tally_rt_host_loop &loop = loops[first - 1];
      if (loop.size == 1)
        continue;
      if (size == 1)
        strideOfC = loop.c_stride;
      else if (loop.c_stride != size * strideOfC)
        break;
      size *= loop.size;
    }
    if (groups && first > 0 && size > 0 && size <= fewColumns) {
      task.groupColumns = size;
      task.groupStride = loops[--first].c_stride;
      size *= loops[first].size;
    }
    for (int64_t i = 0; i < first; ++i)
      batch.push_back(loops[i]);
    for (int64_t i = first; i < rank; ++i)
      append(index, loops[i].size, loops[i].*stride);
    return size;
  }

  /// Describes an operand by two strides if they say everything.
  static void setOperand(MatmulMatrix<const void *> &operand,
                         int64_t &outerStride, int64_t &depthStride,
                         MatmulLayout &layout, const MatmulIndex &outer,
                         const MatmulIndex &depth) {
    layout.outer = outer;
    layout.depth = depth;
    layout.last = 0;
    for (MatmulIndex *index : {&layout.outer, &layout.depth}) {
      if (index->rank == 0)
        *index = {1, {1}, {1}};
      for (int64_t i = 0; i < index->rank; ++i) {
        if (index->strides[i] < 0)
          layout.last = INT64_MIN;
        if (layout.last >= 0)
          layout.last += (index->sizes[i] - 1) * index->strides[i];
      }
    }
    outerStride = layout.outer.strides[0];
    depthStride = layout.depth.strides[0];
    if (layout.outer.rank > 1 || layout.depth.rank > 1)
      operand.layout = &layout;
  }

  std::vector<BatchLoop> batch;
  int64_t m, n, k = 1;
  MatmulIndex rows{}, columns{};
  MatmulLayout layoutOfA, layoutOfB;
  MatmulTask task;
};

} // namespace

int32_t tally_rt_host_contract(tally_rt_context *ctx,
                               const tally_rt_host_contract_args *args) {
  MatmulTask types{};
  if (!getTypes(args->dtype, args->c_dtype, types))
    return failInvalid(
        ctx, "a contraction of a type that the runtime does not know");
  if (std::max({args->m_rank, args->n_rank, args->k_rank}) >
      TALLY_RT_MAX_CONTRACT_RANK)
    return failInvalid(ctx, "a contraction with more than " +
                                std::to_string(TALLY_RT_MAX_CONTRACT_RANK) +
                                " loops of one kind");
  return Contraction(*args, types).run(ctx, args->packed_a);
}
