//===- Attention.cpp - Attention on the CPU -------------------------------===//
//
// Divides attention into blocks of queries. A thread packs the keys and values
// of a head when it comes to it; blocks follow from the sizes alone.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Matmul.h"

#include <algorithm>
#include <utility>

using namespace tally::runtime;

namespace {

/// All heads, and the blocks of queries of each.
class HostAttention {
public:
  HostAttention(const tally_rt_host_attention_args &args, MatmulType type,
                tally_rt_context *ctx, tally_rt_score_fn score, void *data);

  int32_t run();

private:
  /// The queries of a block, if there are so many.
  static constexpr int64_t mostQueries = 112;
  /// The number of multiplications that is worth a thread's attention.
  static constexpr int64_t taskWork = 1 << 20;

  /// The number of queries' heads for each of keys.
  int64_t getGroup() const;
  void chooseMethod();
  /// Moves the operands to a head, and its positions to `positions`.
  AttentionTask getHead(int64_t head, int64_t *positions) const;
  int32_t runBlocks(int64_t begin, int64_t end, void *scratch) const;
  static int32_t runChunk(tally_rt_context *ctx, int64_t begin, int64_t end,
                          void *self);

  const tally_rt_host_attention_args &args;
  const MatmulLevel &level;
  AttentionTask whole{};
  int64_t heads = 1, blocks;
};

} // namespace

HostAttention::HostAttention(const tally_rt_host_attention_args &args,
                             MatmulType type, tally_rt_context *ctx,
                             tally_rt_score_fn score, void *data)
    : args(args), level(getVectorLevel(type)) {
  auto clamp = [](int64_t offset) {
    constexpr int64_t far = int64_t(1) << 60;
    return std::clamp(offset, -far, far);
  };
  whole.queries = args.queries;
  whole.keys = args.keys;
  whole.depth = args.depth;
  whole.columns = args.columns;
  whole.query = {args.query, args.query_strides[0], args.query_strides[1]};
  whole.key = {args.key, args.key_strides[0], args.key_strides[1]};
  whole.value = {args.value, args.value_strides[0], args.value_strides[1]};
  whole.output = {args.output, args.output_strides[0], args.output_strides[1]};
  whole.type = type;
  whole.firstOffset = clamp(args.first_offset);
  whole.lastOffset = clamp(args.last_offset);
  whole.isStrict = args.is_strict != 0;
  whole.score = score;
  whole.context = ctx;
  whole.data = data;
  for (int64_t i = 0; i < args.batch_rank; ++i)
    heads *= args.batch[i];
  int64_t tile = level.getTileRows(type, MatmulMethod::Packed);
  whole.queryBlock = std::min(whole.queries, mostQueries / tile * tile);
  chooseMethod();
}

/// Packing pays for several tiles of queries.
void HostAttention::chooseMethod() {
  bool isPlain = whole.type == MatmulType::F32 || whole.type == MatmulType::F64;
  whole.packsKeys = !isPlain || whole.queries > 4 ||
                    whole.query.columnStride != 1 ||
                    whole.key.columnStride != 1;
  whole.packsValues =
      !isPlain || whole.value.columnStride != 1 ||
      whole.queries > 2 * level.getTileRows(whole.type, MatmulMethod::Packed);
}

int64_t HostAttention::getGroup() const {
  if (args.key_heads <= 0)
    return 1;
  return args.batch[args.batch_rank - 1] / args.key_heads;
}

AttentionTask HostAttention::getHead(int64_t head, int64_t *positions) const {
  AttentionTask task = whole;
  int64_t rank = args.batch_rank, bytes = getElementBytes(whole.type);
  int64_t offsets[4] = {};
  for (int64_t loop = rank - 1, rest = head; loop >= 0; --loop) {
    positions[loop] = rest % args.batch[loop];
    rest /= args.batch[loop];
    for (int64_t operand = 0; operand < 4; ++operand) {
      bool isShared = loop == rank - 1 && (operand == 1 || operand == 2);
      int64_t position = positions[loop] / (isShared ? getGroup() : 1);
      offsets[operand] += position * args.batch[(operand + 1) * rank + loop];
    }
  }
  auto move = [&](const void *&data, int64_t offset) {
    data = static_cast<const char *>(data) + offset * bytes;
  };
  move(task.query.data, offsets[0]);
  move(task.key.data, offsets[1]);
  move(task.value.data, offsets[2]);
  task.output.data = static_cast<char *>(task.output.data) + offsets[3] * bytes;
  task.batch = positions;
  return task;
}

int32_t HostAttention::runBlocks(int64_t begin, int64_t end,
                                 void *scratch) const {
  std::vector<int64_t> positions(static_cast<size_t>(args.batch_rank));
  int64_t group = getGroup(), packed = -1;
  for (int64_t index = begin; index < end; ++index) {
    int64_t head = index / blocks;
    AttentionTask task = getHead(head, positions.data());
    task.scratch = scratch;
    task.firstQuery = index % blocks * whole.queryBlock;
    task.queries = std::min(whole.queryBlock, whole.queries - task.firstQuery);
    if (packed != head / group)
      level.packAttention(task);
    packed = head / group;
    if (int32_t status = level.runAttention(task))
      return status;
  }
  return TALLY_RT_OK;
}

int32_t HostAttention::runChunk(tally_rt_context *ctx, int64_t begin,
                                int64_t end, void *self) {
  const auto *attention = static_cast<const HostAttention *>(self);
  size_t bytes = attention->level.getAttentionBytes(attention->whole);
  void *scratch = ctx->allocateOnHost(static_cast<int64_t>(bytes), 64);
  if (!scratch)
    return TALLY_RT_OUT_OF_MEMORY;
  int32_t status = attention->runBlocks(begin, end, scratch);
  ctx->release(scratch);
  return status;
}

int32_t HostAttention::run() {
  if (heads == 0 || whole.queries == 0 || whole.columns == 0)
    return TALLY_RT_OK;
  blocks = (whole.queries + whole.queryBlock - 1) / whole.queryBlock;
  // Keys and values that meet few queries take as long as with several.
  constexpr int64_t fewQueries = 4;
  double work = double(std::max(whole.queryBlock, fewQueries)) *
                double(whole.keys) * double(whole.depth + whole.columns);
  auto grain =
      static_cast<int64_t>(std::max(1.0, double(taskWork) / (work + 1)));
  return tally_rt_parallel_for(whole.context, 0, heads * blocks, grain,
                               runChunk, this);
}

int32_t tally_rt_host_attention(tally_rt_context *ctx,
                                const tally_rt_host_attention_args *args,
                                tally_rt_score_fn score, void *data) {
  MatmulType type;
  if (!getMatmulType(args->dtype, type) || isInteger(type)) {
    ErrorRecord record;
    record.status = TALLY_RT_INVALID_ARGUMENT;
    record.userMessage = "attention of a type that the runtime does not know";
    ctx->fail(std::move(record));
    return TALLY_RT_INVALID_ARGUMENT;
  }
  return HostAttention(*args, type, ctx, score, data).run();
}
