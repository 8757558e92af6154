//===- AttentionTest.cpp - Attention on the CPU ---------------------------===//
//
// Every level that the processor supports against the definition in doubles, at
// sizes around those of tiles, panels and blocks, with operands between
// inaccessible pages.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Context.h"
#include "../../../lib/Runtime/Matmul.h"
#include "Elements.h"
#include "Guarded.h"
#include "Levels.h"
#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

using namespace tally::runtime;

namespace {

struct Sizes {
  int64_t queries, keys, depth, columns;
};

/// Halves the products, and masks keys at multiples of 5.
template <typename T>
int32_t halveAndMask(tally_rt_context *, const tally_rt_score_block *block,
                     void *) {
  for (int64_t i = 0; i < block->queries; ++i)
    for (int64_t j = 0; j < block->keys; ++j) {
      T &score = static_cast<T *>(block->scores)[i * block->row_stride + j];
      score = (block->key + j) % 5 == 0 ? T(-HUGE_VAL) : score / 2;
    }
  return 0;
}

/// The keys that a query sees, from where it is itself.
struct Window {
  int64_t first, last;
};

/// The same, and masks keys outside of a window.
template <typename T>
int32_t halveAndMaskOutside(tally_rt_context *ctx,
                            const tally_rt_score_block *block, void *data) {
  const auto *window = static_cast<const Window *>(data);
  for (int64_t i = 0; i < block->queries; ++i)
    for (int64_t j = 0; j < block->keys; ++j) {
      int64_t distance = block->key + j - block->query - i;
      if (distance < window->first || distance > window->last)
        static_cast<T *>(block->scores)[i * block->row_stride + j] =
            T(-HUGE_VAL);
    }
  return halveAndMask<T>(ctx, block, nullptr);
}

/// The type of scores, and how far results may be from the definition.
template <typename T>
struct TypeOf {
  using Score = T;
  static constexpr double tolerance = sizeof(T) == 8 ? 1e-13 : 2e-5;
};
template <>
struct TypeOf<BFloat16> {
  using Score = float;
  static constexpr double tolerance = 0.02;
};

/// One head in memory of its own.
template <typename T>
struct Head {
  Head(Sizes sizes, unsigned seed)
      : sizes(sizes), query(size_t(sizes.queries * sizes.depth) * sizeof(T)),
        key(size_t(sizes.keys * sizes.depth) * sizeof(T)),
        value(size_t(sizes.keys * sizes.columns) * sizeof(T)),
        output(size_t(sizes.queries * sizes.columns) * sizeof(T)) {
    std::mt19937 random(seed);
    std::normal_distribution<typename TypeOf<T>::Score> normal;
    auto fill = [&](Guarded &memory, int64_t count) {
      std::generate_n(memory.as<T>(), count, [&] { return T(normal(random)); });
    };
    fill(query, sizes.queries * sizes.depth);
    fill(key, sizes.keys * sizes.depth);
    fill(value, sizes.keys * sizes.columns);
  }

  /// The result for a query, of scores as `halveAndMask` makes them, of keys
  /// from `query + first` to `query + last`.
  std::vector<double> compute(int64_t row, int64_t first, int64_t last) {
    std::vector<double> scores;
    double largest = -HUGE_VAL, total = 0;
    for (int64_t j = 0; j < sizes.keys; ++j) {
      double sum = 0;
      for (int64_t e = 0; e < sizes.depth; ++e)
        sum += double(query.template as<T>()[row * sizes.depth + e]) *
               double(key.template as<T>()[j * sizes.depth + e]);
      bool sees = j % 5 != 0 && j >= row + first && j <= row + last;
      scores.push_back(sees ? sum / 2 : -HUGE_VAL);
      largest = std::max(largest, scores.back());
    }
    std::vector<double> result(size_t(sizes.columns), 0.0);
    for (int64_t j = 0; j < sizes.keys && largest != -HUGE_VAL; ++j) {
      double weight = std::exp(scores[size_t(j)] - largest);
      total += weight;
      for (int64_t c = 0; c < sizes.columns; ++c)
        result[size_t(c)] +=
            weight * double(value.template as<T>()[j * sizes.columns + c]);
    }
    for (double &sum : result)
      sum = total == 0 ? 0 : sum / total;
    return result;
  }

  Sizes sizes;
  Guarded query, key, value, output;
};

template <typename T>
void checkHead(const MatmulLevel &level, Sizes sizes, int64_t first,
               int64_t last, bool packs) {
  SCOPED_TRACE(testing::Message()
               << level.name << ' ' << sizes.queries << " queries "
               << sizes.keys << " keys " << sizes.depth << " deep "
               << sizes.columns << " columns, " << first << " to " << last);
  Head<T> head(sizes, 3);
  AttentionTask task{};
  task.queryBlock = sizes.queries;
  task.queries = sizes.queries;
  task.keys = sizes.keys;
  task.depth = sizes.depth;
  task.columns = sizes.columns;
  task.query = {head.query.template as<T>(), sizes.depth, 1};
  task.key = {head.key.template as<T>(), sizes.depth, 1};
  task.value = {head.value.template as<T>(), sizes.columns, 1};
  task.output = {head.output.template as<T>(), sizes.columns, 1};
  task.type = ElementOf<T>::type;
  task.packsKeys = task.packsValues = packs;
  // Less than what the scores allow.
  task.firstOffset = first;
  task.lastOffset = last;
  Window window{first, last};
  task.data = &window;
  task.score = halveAndMaskOutside<typename TypeOf<T>::Score>;
  Guarded scratch((level.getAttentionBytes(task) + 63) / 64 * 64);
  task.scratch = scratch.template as<void>();
  level.packAttention(task);
  ASSERT_EQ(level.runAttention(task), 0);
  for (int64_t i = 0; i < sizes.queries; ++i) {
    std::vector<double> expected = head.compute(i, first, last);
    for (int64_t c = 0; c < sizes.columns; ++c)
      ASSERT_NEAR(double(head.output.template as<T>()[i * sizes.columns + c]),
                  expected[size_t(c)], TypeOf<T>::tolerance)
          << "query " << i << ", column " << c;
  }
}

} // namespace

TEST(AttentionTest, SizesAroundTilesAndBlocks) {
  const Sizes all[] = {{1, 1, 1, 1},     {1, 7, 64, 64},   {3, 33, 5, 31},
                       {4, 64, 16, 33},  {5, 31, 3, 2},    {14, 32, 8, 32},
                       {15, 257, 7, 65}, {29, 256, 33, 1}, {112, 513, 4, 3},
                       {7, 0, 3, 3},     {7, 3, 0, 3}};
  for (const MatmulLevel *level : getLevels())
    for (const Sizes &sizes : all)
      for (bool packs : {true, false}) {
        // Dots are for few queries only, but right for any.
        checkHead<float>(*level, sizes, -(int64_t(1) << 60), int64_t(1) << 60,
                         packs);
        checkHead<double>(*level, sizes, -(int64_t(1) << 60), 0, packs);
        checkHead<float>(*level, sizes, -2, 40, packs);
        checkHead<float>(*level, sizes, 3, 2, packs);
        checkHead<float>(*level, sizes, 70, 400, packs);
      }
  for (const MatmulLevel *level : getLevels(MatmulType::BF16))
    if (level->runAttention)
      for (const Sizes &sizes : all) {
        checkHead<BFloat16>(*level, sizes, -(int64_t(1) << 60),
                            int64_t(1) << 60,
                            /*packs=*/true);
        checkHead<BFloat16>(*level, sizes, -2, 40, /*packs=*/true);
      }
}

namespace {

/// Runs a call on all heads; `change` may change the context.
std::vector<float> call(tally_rt_host_attention_args args, size_t count,
                        tally_rt_parallel_for_fn parallelFor,
                        tally_rt_score_fn score = nullptr) {
  tally_rt_config config = TALLY_RT_CONFIG_INIT;
  config.parallel_for = parallelFor;
  tally_rt_context *ctx = tally_rt_context_create(&config);
  std::vector<float> output(count, -1.0F);
  args.output = output.data();
  EXPECT_EQ(tally_rt_host_attention(ctx, &args, score, nullptr), TALLY_RT_OK);
  tally_rt_context_destroy(ctx);
  return output;
}

/// Runs iterations one by one, from the last one on.
int32_t runBackwards(void *, int64_t begin, int64_t end, int64_t,
                     tally_rt_chunk chunk, void *closure) {
  for (int64_t i = end; i > begin; --i)
    if (int32_t status = chunk(closure, i - 1, i))
      return status;
  return 0;
}

} // namespace

TEST(AttentionTest, ThreadsDoNotChangeResults) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  // 2 groups of 3 heads, 250 queries, 130 keys.
  std::vector<float> q(size_t(6 * 250 * 16)), kv(size_t(2 * 130 * 16));
  for (float &x : q)
    x = normal(random);
  for (float &x : kv)
    x = normal(random);
  const int64_t batch[] = {6, 250 * 16, 130 * 16, 130 * 16, 250 * 16};
  tally_rt_host_attention_args args = {
      q.data(), kv.data(), kv.data(),
      nullptr,  250,       130,
      16,       16,        {16, 1},
      {16, 1},  {16, 1},   {16, 1},
      -200,     20,        1,
      batch,    2,         TALLY_RT_DATA_TYPE(kDLFloat, 32),
      0};
  std::vector<float> expected = call(args, q.size(), tally_rt_serial_for);
  EXPECT_EQ(expected, call(args, q.size(), runBackwards));
  EXPECT_EQ(expected, call(args, q.size(), nullptr));
  // Heads of a group have the same keys; the second group has others.
  std::vector<float> other(kv.begin() + 130 * 16, kv.end());
  args.query = q.data() + 4 * 250 * 16;
  args.key = args.value = other.data();
  const int64_t one[] = {1, 0, 0, 0, 0};
  args.batch = one;
  args.key_heads = -1;
  std::vector<float> alone = call(args, 250 * 16, tally_rt_serial_for);
  EXPECT_EQ(0, std::memcmp(alone.data(), expected.data() + 4 * 250 * 16,
                           alone.size() * sizeof(float)));
}

TEST(AttentionTest, ACallSeesItsWindow) {
  Head<float> head({70, 300, 16, 16}, 5);
  for (Window window : {Window{-5, 9}, Window{0, 0}, Window{40, 90},
                        Window{-70, 1}, Window{INT64_MIN, INT64_MAX}}) {
    tally_rt_host_attention_args args = {head.query.as<void>(),
                                         head.key.as<void>(),
                                         head.value.as<void>(),
                                         head.output.as<void>(),
                                         70,
                                         300,
                                         16,
                                         16,
                                         {16, 1},
                                         {16, 1},
                                         {16, 1},
                                         {16, 1},
                                         window.first,
                                         window.last,
                                         0,
                                         nullptr,
                                         -1,
                                         kDLFloat << 8 | 32,
                                         0};
    tally_rt_config config = TALLY_RT_CONFIG_INIT;
    tally_rt_context *ctx = tally_rt_context_create(&config);
    EXPECT_EQ(tally_rt_host_attention(ctx, &args, halveAndMaskOutside<float>,
                                      &window),
              TALLY_RT_OK);
    tally_rt_context_destroy(ctx);
    int64_t first = std::max<int64_t>(window.first, -1000);
    int64_t last = std::min<int64_t>(window.last, 1000);
    for (int64_t i = 0; i < 70; ++i) {
      std::vector<double> expected = head.compute(i, first, last);
      for (int64_t c = 0; c < 16; ++c)
        ASSERT_NEAR(head.output.as<float>()[i * 16 + c], expected[size_t(c)],
                    2e-5)
            << "query " << i << ", column " << c << ", " << first << " to "
            << last;
    }
  }
}

TEST(AttentionTest, InfinityAndNaN) {
  // Of 6 queries and 5 keys: one key is NaN for query 1, all are masked for
  // query 2, and one is plus infinity for query 3.
  std::vector<float> q{1, 1, 1, 1, 1, 1}, k{0, 1, 2, 3, 4}, v{1, 2, 3, 4, 5};
  auto score = [](tally_rt_context *, const tally_rt_score_block *block,
                  void *) {
    for (int64_t i = 0; i < block->queries; ++i)
      for (int64_t j = 0; j < block->keys; ++j) {
        float &value =
            static_cast<float *>(block->scores)[i * block->row_stride + j];
        int64_t query = block->query + i, key = block->key + j;
        if (query == 1 && key == 3)
          value = std::nanf("");
        if (query == 2 || (query == 4 && key != 2))
          value = -HUGE_VALF;
        if (query == 3 && key == 0)
          value = HUGE_VALF;
        if (query == 5)
          value = key == 1 ? 0.0F : -200.0F;
      }
    return 0;
  };
  tally_rt_host_attention_args args = {
      q.data(),  k.data(),  v.data(),
      nullptr,   6,         5,
      1,         1,         {1, 1},
      {1, 1},    {1, 1},    {1, 1},
      INT64_MIN, INT64_MAX, 0,
      nullptr,   -1,        TALLY_RT_DATA_TYPE(kDLFloat, 32),
      0};
  std::vector<float> out = call(args, 6, tally_rt_serial_for, score);
  EXPECT_NEAR(out[0], 4.4519, 1e-3);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], 0);
  EXPECT_TRUE(std::isnan(out[3]));
  EXPECT_EQ(out[4], 3);
  EXPECT_EQ(out[5], 2);
  args.is_strict = 1;
  std::vector<float> strict = call(args, 6, tally_rt_serial_for, score);
  EXPECT_TRUE(std::isnan(strict[2]));
  EXPECT_EQ(out[4], strict[4]);
  args.keys = 0;
  EXPECT_EQ(call(args, 6, tally_rt_serial_for), std::vector<float>(6, 0.0F));
}

TEST(AttentionTest, RefusesOtherTypes) {
  tally_rt_config config = TALLY_RT_CONFIG_INIT;
  tally_rt_context *ctx = tally_rt_context_create(&config);
  tally_rt_host_attention_args args{};
  args.dtype = TALLY_RT_DATA_TYPE(kDLInt, 32);
  EXPECT_EQ(tally_rt_host_attention(ctx, &args, nullptr, nullptr),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_STREQ(tally_rt_last_error(ctx)->message,
               "attention of a type that the runtime does not know");
  tally_rt_context_destroy(ctx);
}

TEST(AttentionTest, HalvesAreWidenedAndRounded) {
  // One query, two keys with the same score: the result is the mean.
  for (auto [dtype, one, two, mean] :
       {std::tuple<int64_t, uint16_t, uint16_t, uint16_t>{
            TALLY_RT_DATA_TYPE(kDLFloat, 16), 0x3c00, 0x4000, 0x3e00},
        {TALLY_RT_DATA_TYPE(kDLBfloat, 16), 0x3f80, 0x4000, 0x3fc0}}) {
    std::vector<uint16_t> q{one}, k{two, two}, v{one, two}, out{0};
    tally_rt_host_attention_args args = {
        q.data(), k.data(), v.data(), out.data(), 1,      2,         1,
        1,        {1, 1},   {1, 1},   {1, 1},     {1, 1}, INT64_MIN, INT64_MAX,
        0,        nullptr,  -1,       dtype,      0};
    tally_rt_config config = TALLY_RT_CONFIG_INIT;
    tally_rt_context *ctx = tally_rt_context_create(&config);
    EXPECT_EQ(tally_rt_host_attention(ctx, &args, nullptr, nullptr),
              TALLY_RT_OK);
    EXPECT_EQ(out[0], mean);
    tally_rt_context_destroy(ctx);
  }
}
