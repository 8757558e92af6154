//===- Sort.cpp - Sorting on the CPU --------------------------------------===//
//
// Divides rows among threads, and brings what does not lie together together: a
// few rows at once, as neighbors of one row are often those of the next one.
//
//===----------------------------------------------------------------------===//

#include "Sort.h"

#include "Context.h"
#include "ParallelFor.h"

#include <algorithm>
#include <optional>

using namespace tally::runtime;

const SortLevel &tally::runtime::getSortLevel() {
#if defined(__x86_64__)
  switch (tally_rt_processor_level()) {
  case 5:
  case 4:
    return sortV4;
  case 3:
    return sortV3;
  default:
    break;
  }
#endif
  return sortBaseline;
}

namespace {

/// All rows of a sort.
class HostSort {
public:
  HostSort(const tally_rt_host_sort_args &args, SortType type,
           int64_t elementBytes)
      : args(args), elementBytes(elementBytes),
        source{args.source_stride, elementBytes, args.size},
        values{args.values_stride, elementBytes, args.count},
        indices{args.indices_stride, int64_t(sizeof(int64_t)), args.count} {
    task.size = args.size;
    task.first = args.first;
    task.count = args.count;
    task.values = args.values;
    task.indices = args.indices;
    task.type = type;
    task.descending = args.descending != 0;
    scratchBytes = roundUp(int64_t(level.getScratchBytes(task)));
    for (int64_t loop = 0; loop < args.rank; ++loop)
      rows *= args.loops[loop];
  }

  int32_t run(tally_rt_context *ctx);

private:
  /// Elements of rows: how they lie in memory.
  struct Operand {
    int64_t stride, bytes, count;

    bool isTogether() const { return stride == 1 || count <= 1; }
    int64_t getRowBytes() const { return count * bytes; }
  };

  /// The elements that are worth a thread's attention, the rows that are
  /// gathered at once, and the bytes of them that fit a cache.
  static constexpr int64_t chunkElements = 1 << 14;
  static constexpr int64_t maxGroup = 16;
  static constexpr int64_t groupBytes = 1 << 17;

  static int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  /// Of the source, the values and the indices of a row.
  struct Offsets {
    int64_t source = 0, values = 0, indices = 0;
  };
  Offsets getOffsets(int64_t row) const;
  /// Calls `use(index, source, values, indices)` with where each of some rows
  /// begins; null for what is not asked for.
  template <typename Use>
  void forEachRow(int64_t begin, int64_t end, Use use) const;
  int64_t getGroup() const;
  int32_t runRows(tally_rt_context *ctx, int64_t begin, int64_t end) const;
  int32_t runGroup(tally_rt_context *ctx, int64_t begin, int64_t end,
                   char *scratch) const;
  void runShort(int64_t begin, int64_t end) const;
  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *self) {
    return static_cast<const HostSort *>(self)->runRows(ctx, begin, end);
  }

  const tally_rt_host_sort_args &args;
  int64_t elementBytes;
  Operand source, values, indices;
  const SortLevel &level = getSortLevel();
  SortTask task{};
  int64_t scratchBytes, rows = 1;
  /// Whether threads share the only row.
  bool isInParts = false;
};

/// Copies elements of some rows: from where they lie to where they lie
/// together, or back.
template <typename T>
void copyRows(int64_t rows, int64_t count, const T *const *from,
              int64_t fromStride, T *const *to, int64_t toStride) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t row = 0; row < rows; ++row)
      to[row][i * toStride] = from[row][i * fromStride];
}

template <typename T>
void copyRows(int64_t rows, int64_t count, const char *const *from,
              int64_t fromStride, char *const *to, int64_t toStride) {
  copyRows<T>(rows, count, reinterpret_cast<const T *const *>(from), fromStride,
              reinterpret_cast<T *const *>(to), toStride);
}

void copyRows(int64_t bytes, int64_t rows, int64_t count,
              const char *const *from, int64_t fromStride, char *const *to,
              int64_t toStride) {
  switch (bytes) {
  case 1:
    return copyRows<uint8_t>(rows, count, from, fromStride, to, toStride);
  case 2:
    return copyRows<uint16_t>(rows, count, from, fromStride, to, toStride);
  case 4:
    return copyRows<uint32_t>(rows, count, from, fromStride, to, toStride);
  default:
    return copyRows<uint64_t>(rows, count, from, fromStride, to, toStride);
  }
}

} // namespace

HostSort::Offsets HostSort::getOffsets(int64_t row) const {
  Offsets offsets;
  for (int64_t loop = args.rank - 1; loop >= 0; --loop) {
    int64_t position = row % args.loops[loop];
    row /= args.loops[loop];
    offsets.source += position * args.loops[args.rank + loop];
    offsets.values += position * args.loops[2 * args.rank + loop];
    offsets.indices += position * args.loops[3 * args.rank + loop];
  }
  return offsets;
}

template <typename Use>
void HostSort::forEachRow(int64_t begin, int64_t end, Use use) const {
  // Neighbors are a stride of the last loop apart.
  int64_t last = args.rank - 1, size = args.rank > 0 ? args.loops[last] : 1;
  const int64_t *strides = args.loops + last;
  Offsets offsets;
  for (int64_t row = begin, left = 0; row < end; ++row, --left) {
    if (left == 0) {
      offsets = getOffsets(row);
      left = size - row % size;
    } else {
      offsets.source += strides[args.rank];
      offsets.values += strides[2 * args.rank];
      offsets.indices += strides[3 * args.rank];
    }
    use(row - begin,
        static_cast<const char *>(args.source) + offsets.source * elementBytes,
        args.values
            ? static_cast<char *>(args.values) + offsets.values * elementBytes
            : nullptr,
        args.indices ? args.indices + offsets.indices : nullptr);
  }
}

/// How many rows are gathered at once.
int64_t HostSort::getGroup() const {
  bool isTogether = source.isTogether() &&
                    (!args.values || values.isTogether()) &&
                    (!args.indices || indices.isTogether());
  if (isTogether)
    return 1;
  return std::clamp<int64_t>(groupBytes / source.getRowBytes(), 1, maxGroup);
}

/// Sorts at most `maxGroup` rows. What does not lie together has room behind
/// the scratch memory of the task.
int32_t HostSort::runGroup(tally_rt_context *ctx, int64_t begin, int64_t end,
                           char *scratch) const {
  int32_t status = TALLY_RT_OK;
  int64_t count = end - begin;
  const char *from[maxGroup];
  char *sourceRows[maxGroup] = {}, *valuesRows[maxGroup] = {};
  char *indicesRows[maxGroup] = {};
  char *valuesTo[maxGroup] = {}, *indicesTo[maxGroup] = {};
  char *free = scratch + scratchBytes;
  auto place = [&](const Operand &operand, char *row) {
    if (operand.isTogether())
      return row;
    char *placed = free;
    free += roundUp(operand.getRowBytes());
    return placed;
  };
  forEachRow(
      begin, end,
      [&](int64_t i, const char *sourceAt, char *valuesAt, int64_t *indicesAt) {
        from[i] = sourceAt;
        sourceRows[i] = place(source, const_cast<char *>(sourceAt));
        valuesTo[i] = valuesAt;
        valuesRows[i] = valuesAt ? place(values, valuesAt) : nullptr;
        auto *indicesBytes = reinterpret_cast<char *>(indicesAt);
        indicesTo[i] = indicesBytes;
        indicesRows[i] = indicesAt ? place(indices, indicesBytes) : nullptr;
      });
  if (!source.isTogether())
    copyRows(elementBytes, count, args.size, from, args.source_stride,
             sourceRows, 1);
  SortTask row = task;
  row.scratch = scratch;
  for (int64_t i = 0; i < count; ++i) {
    row.source = sourceRows[i];
    row.values = valuesRows[i];
    row.indices = reinterpret_cast<int64_t *>(indicesRows[i]);
    if (isInParts)
      status = sortInParts(ctx, level, row);
    else
      level.run(row);
  }
  if (args.values && !values.isTogether())
    copyRows(elementBytes, count, args.count, valuesRows, 1, valuesTo,
             args.values_stride);
  if (args.indices && !indices.isTogether())
    copyRows(sizeof(int64_t), count, args.count, indicesRows, 1, indicesTo,
             args.indices_stride);
  return status;
}

void HostSort::runShort(int64_t begin, int64_t end) const {
  ShortRows rows;
  rows.sourceStride = args.source_stride;
  rows.valuesStride = args.values_stride;
  rows.indicesStride = args.indices_stride;
  for (; begin < end; begin += rows.count) {
    rows.count = std::min(ShortRows::most, end - begin);
    forEachRow(begin, begin + rows.count,
               [&](int64_t i, const char *sourceAt, char *valuesAt,
                   int64_t *indicesAt) {
                 rows.sources[i] = sourceAt;
                 rows.values[i] = valuesAt;
                 rows.indices[i] = indicesAt;
               });
    for (int64_t i = rows.count; i < ShortRows::most; ++i)
      rows.sources[i] = rows.sources[0];
    level.runShort(task, rows);
  }
}

int32_t HostSort::runRows(tally_rt_context *ctx, int64_t begin,
                          int64_t end) const {
  if (args.size <= ShortRows::mostElements) {
    runShort(begin, end);
    return TALLY_RT_OK;
  }
  int64_t group = std::min(getGroup(), end - begin), bytes = 0;
  for (const Operand *operand : {&source, &values, &indices})
    if (!operand->isTogether())
      bytes += roundUp(operand->getRowBytes());
  bytes = scratchBytes + group * bytes;
  alignas(64) char small[16384];
  char *scratch = small;
  if (bytes > int64_t(sizeof(small))) {
    scratch = static_cast<char *>(ctx->allocateOnHost(bytes, 64));
    if (!scratch)
      return TALLY_RT_OUT_OF_MEMORY;
  }
  int32_t status = TALLY_RT_OK;
  for (int64_t row = begin; row < end && status == TALLY_RT_OK; row += group)
    status = runGroup(ctx, row, std::min(row + group, end), scratch);
  if (scratch != small)
    ctx->release(scratch);
  return status;
}

int32_t HostSort::run(tally_rt_context *ctx) {
  if (rows == 0)
    return TALLY_RT_OK;
  // On one thread, what parts count one after the other is counted at once.
  bool hasThreads =
      ctx->parallelFor != tally_rt_serial_for &&
      (ctx->parallelFor != defaultParallelFor || getDefaultThreads() > 1);
  isInParts = rows == 1 && hasThreads && isLong(level, task);
  int64_t grain = std::max<int64_t>(chunkElements / args.size, getGroup());
  return tally_rt_parallel_for(ctx, 0, rows, grain, runChunk, this);
}

//===----------------------------------------------------------------------===//
// Function of the C interface
//===----------------------------------------------------------------------===//

static std::optional<SortType> getSortType(int64_t dtype) {
  switch (dtype) {
  case TALLY_RT_DATA_TYPE(kDLBool, 8):
    return SortType::Bool;
  case TALLY_RT_DATA_TYPE(kDLInt, 8):
    return SortType::I8;
  case TALLY_RT_DATA_TYPE(kDLInt, 16):
    return SortType::I16;
  case TALLY_RT_DATA_TYPE(kDLInt, 32):
    return SortType::I32;
  case TALLY_RT_DATA_TYPE(kDLInt, 64):
    return SortType::I64;
  case TALLY_RT_DATA_TYPE(kDLUInt, 8):
    return SortType::U8;
  case TALLY_RT_DATA_TYPE(kDLUInt, 16):
    return SortType::U16;
  case TALLY_RT_DATA_TYPE(kDLUInt, 32):
    return SortType::U32;
  case TALLY_RT_DATA_TYPE(kDLUInt, 64):
    return SortType::U64;
  case TALLY_RT_DATA_TYPE(kDLFloat, 16):
    return SortType::F16;
  case TALLY_RT_DATA_TYPE(kDLBfloat, 16):
    return SortType::BF16;
  case TALLY_RT_DATA_TYPE(kDLFloat, 32):
    return SortType::F32;
  case TALLY_RT_DATA_TYPE(kDLFloat, 64):
    return SortType::F64;
  default:
    return std::nullopt;
  }
}

static int32_t failInvalid(tally_rt_context *ctx, std::string message) {
  ErrorRecord record;
  record.status = TALLY_RT_INVALID_ARGUMENT;
  record.userMessage = std::move(message);
  ctx->fail(std::move(record));
  return TALLY_RT_INVALID_ARGUMENT;
}

int32_t tally_rt_host_sort(tally_rt_context *ctx,
                           const tally_rt_host_sort_args *args) {
  std::optional<SortType> type = getSortType(args->dtype);
  if (!type)
    return failInvalid(ctx, "a sort of a type that the runtime does not know");
  if (args->first < 0 || args->count < 0 ||
      args->first > args->size - args->count)
    return failInvalid(ctx, "a sort writes a part that its rows do not have");
  if (args->size > TALLY_RT_MAX_SORT_SIZE)
    return failInvalid(ctx, "a sort of rows of more than " +
                                std::to_string(TALLY_RT_MAX_SORT_SIZE) +
                                " elements");
  if (args->count == 0)
    return TALLY_RT_OK;
  return HostSort(*args, *type, (args->dtype & 0xff) / 8).run(ctx);
}
