//===- Matmul.cpp - Matmuls on the CPU ------------------------------------===//
//
// Chooses a level and a method, and divides a matmul into tasks.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "Context.h"

#include <algorithm>
#include <tbb/info.h>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Levels and methods
//===----------------------------------------------------------------------===//

const MatmulLevel &tally::runtime::getMatmulLevel() {
#if defined(__x86_64__)
  switch (tally_rt_processor_level()) {
  case 4:
    return matmulV4;
  case 3:
    return matmulV3;
  default:
    break;
  }
#endif
  return matmulBaseline;
}

MatmulMethod tally::runtime::chooseMatmulMethod(const MatmulTask &whole,
                                                const MatmulLevel &level) {
  if (whole.type == MatmulType::F16 || whole.type == MatmulType::BF16)
    return MatmulMethod::Packed;
  bool sumsAlongMemory = whole.a.columnStride == 1 && whole.b.rowStride == 1;
  if (sumsAlongMemory && (whole.m <= 4 || whole.n <= 4))
    return MatmulMethod::Dots;
  if (whole.b.columnStride != 1)
    return MatmulMethod::Packed;
  if (whole.m == 1)
    return MatmulMethod::Row;
  // Rows that are a multiple of 4 KB apart share the sets of the first cache.
  int64_t elementBytes = whole.type == MatmulType::F64 ? 8 : 4;
  int64_t rows = level.getTileRows(whole.type);
  int64_t most = whole.b.rowStride * elementBytes % 4096 ? 2 * rows : rows / 2;
  return whole.m <= most ? MatmulMethod::InPlace : MatmulMethod::Packed;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

namespace {

/// All matmuls of a batch, and the parts that each is divided into.
class BatchedMatmul {
public:
  BatchedMatmul(const tally_rt_host_matmul_args &args, MatmulType type);

  /// Computes it on the threads of the context.
  int32_t run(tally_rt_context *ctx);

private:
  /// The number of multiplications that is worth a task, and that is worth a
  /// thread's attention.
  static constexpr int64_t taskWork = 1 << 20;

  void divide(int64_t threads);
  MatmulTask getTask(int64_t index) const;
  int32_t runTasks(tally_rt_context *ctx, int64_t begin, int64_t end) const;
  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *self);
  /// Moves a pointer by some elements.
  template <typename Pointer>
  static void advance(MatmulMatrix<Pointer> &matrix, int64_t elements,
                      int64_t elementBytes);
  static int64_t getElementBytes(MatmulType type) {
    return type == MatmulType::F64 ? 8 : type == MatmulType::F32 ? 4 : 2;
  }

  const tally_rt_host_matmul_args &args;
  const MatmulLevel &level = getMatmulLevel();
  MatmulTask whole;
  int64_t batch = 1;
  /// The sizes of a part, and how many there are along the columns and in all.
  int64_t partRows, partColumns, columnParts = 1, parts = 1;
};

} // namespace

BatchedMatmul::BatchedMatmul(const tally_rt_host_matmul_args &args,
                             MatmulType type)
    : args(args) {
  whole = {args.m,
           args.n,
           args.k,
           {args.a, args.a_strides[0], args.a_strides[1]},
           {args.b, args.b_strides[0], args.b_strides[1]},
           {args.c, args.c_strides[0], args.c_strides[1]},
           type,
           MatmulMethod::Packed,
           nullptr};
  whole.method = chooseMatmulMethod(whole, level);
  for (int64_t dim = 0; dim < args.batch_rank; ++dim)
    batch *= args.batch[dim];
  partRows = whole.m;
  partColumns = whole.n;
}

/// Chooses parts of whole tiles. Columns are cut rather than rows, as each part
/// packs its own columns of B; a packed row of A costs less.
void BatchedMatmul::divide(int64_t threads) {
  double work = double(whole.m) * double(whole.n) * double(whole.k);
  int64_t most = std::min<int64_t>(4 * threads, int64_t(work / taskWork));
  if (most <= 1 || batch >= 4 * threads)
    return;
  int64_t tileRows = level.getTileRows(whole.type);
  int64_t tileColumns = level.getTileColumns(whole.type);
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
  int64_t a = row * task.a.rowStride, b = column * task.b.columnStride;
  int64_t c = row * task.c.rowStride + column * task.c.columnStride;
  const int64_t rank = args.batch_rank, *sizes = args.batch,
                *aStrides = sizes + rank, *bStrides = aStrides + rank,
                *cStrides = bStrides + rank;
  int64_t rest = index / parts;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    int64_t position = rest % sizes[dim];
    rest /= sizes[dim];
    a += position * aStrides[dim];
    b += position * bStrides[dim];
    c += position * cStrides[dim];
  }
  advance(task.a, a, bytes);
  advance(task.b, b, bytes);
  advance(task.c, c, bytes);
  return task;
}

int32_t BatchedMatmul::runTasks(tally_rt_context *ctx, int64_t begin,
                                int64_t end) const {
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
  if (ctx->parallelFor != tally_rt_serial_for)
    divide(tbb::info::default_concurrency());
  double work = double(partRows) * double(partColumns) *
                double(std::max<int64_t>(whole.k, 1));
  auto grain = static_cast<int64_t>(std::max(1.0, double(taskWork) / work));
  return tally_rt_parallel_for(ctx, 0, batch * parts, grain, runChunk, this);
}

int32_t tally_rt_host_matmul(tally_rt_context *ctx,
                             const tally_rt_host_matmul_args *args) {
  MatmulType type;
  switch (args->dtype) {
  case kDLFloat << 8 | 32:
    type = MatmulType::F32;
    break;
  case kDLFloat << 8 | 64:
    type = MatmulType::F64;
    break;
  case kDLFloat << 8 | 16:
    type = MatmulType::F16;
    break;
  case kDLBfloat << 8 | 16:
    type = MatmulType::BF16;
    break;
  default:
    ErrorRecord record;
    record.status = TALLY_RT_INVALID_ARGUMENT;
    record.userMessage = "a matmul of a type that the runtime does not know";
    ctx->fail(std::move(record));
    return TALLY_RT_INVALID_ARGUMENT;
  }
  return BatchedMatmul(*args, type).run(ctx);
}
