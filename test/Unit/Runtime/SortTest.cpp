//===- SortTest.cpp - Sorting on the CPU ----------------------------------===//
//
// Every level that the processor supports against a stable sort by comparison,
// at sizes on both sides of where another method takes over, with rows in any
// order in memory, between inaccessible pages.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Runtime/Sort.h"

#include "../../../lib/Runtime/Context.h"
#include "Guarded.h"
#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace tally::runtime;

namespace {

/// The levels that this processor supports.
std::vector<const SortLevel *> getLevels() {
  std::vector<const SortLevel *> levels{&sortBaseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3"))
    levels.push_back(&sortV3);
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back(&sortV4);
#endif
  return levels;
}

/// What the bits of an element stand for; a double holds every float, and an
/// integer of 64 bits every integer.
struct Type {
  SortType type;
  size_t bytes;
  int64_t dtype;
};

const Type types[] = {{SortType::Bool, 1, TALLY_RT_DATA_TYPE(kDLBool, 8)},
                      {SortType::I8, 1, TALLY_RT_DATA_TYPE(kDLInt, 8)},
                      {SortType::U8, 1, TALLY_RT_DATA_TYPE(kDLUInt, 8)},
                      {SortType::I16, 2, TALLY_RT_DATA_TYPE(kDLInt, 16)},
                      {SortType::U16, 2, TALLY_RT_DATA_TYPE(kDLUInt, 16)},
                      {SortType::I32, 4, TALLY_RT_DATA_TYPE(kDLInt, 32)},
                      {SortType::U32, 4, TALLY_RT_DATA_TYPE(kDLUInt, 32)},
                      {SortType::I64, 8, TALLY_RT_DATA_TYPE(kDLInt, 64)},
                      {SortType::U64, 8, TALLY_RT_DATA_TYPE(kDLUInt, 64)},
                      {SortType::F16, 2, TALLY_RT_DATA_TYPE(kDLFloat, 16)},
                      {SortType::BF16, 2, TALLY_RT_DATA_TYPE(kDLBfloat, 16)},
                      {SortType::F32, 4, TALLY_RT_DATA_TYPE(kDLFloat, 32)},
                      {SortType::F64, 8, TALLY_RT_DATA_TYPE(kDLFloat, 64)}};

bool isFloat(SortType type) {
  return type == SortType::F16 || type == SortType::BF16 ||
         type == SortType::F32 || type == SortType::F64;
}

template <typename To, typename From>
To bitCast(From from) {
  To to{};
  std::memcpy(&to, &from, sizeof(To));
  return to;
}

/// A float of 16 bits, by its parts.
double decodeHalf(uint64_t bits, int mantissaBits, int bias) {
  int exponent = int(bits & 0x7fff) >> mantissaBits;
  auto mantissa = double(bits & ((1 << mantissaBits) - 1));
  double sign = bits >> 15 ? -1 : 1, unit = std::ldexp(1.0, -mantissaBits);
  if (exponent == 0x7fff >> mantissaBits)
    return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0)
    return sign * std::ldexp(mantissa * unit, 1 - bias);
  return sign * std::ldexp(1 + mantissa * unit, exponent - bias);
}

double decodeFloat(SortType type, uint64_t bits) {
  switch (type) {
  case SortType::F16:
    return decodeHalf(bits, 10, 15);
  case SortType::BF16:
    return decodeHalf(bits, 7, 127);
  case SortType::F32:
    return bitCast<float>(uint32_t(bits));
  default:
    return bitCast<double>(bits);
  }
}

bool isLess(SortType type, uint64_t a, uint64_t b) {
  switch (type) {
  case SortType::I8:
    return int8_t(a) < int8_t(b);
  case SortType::I16:
    return int16_t(a) < int16_t(b);
  case SortType::I32:
    return int32_t(a) < int32_t(b);
  case SortType::I64:
    return int64_t(a) < int64_t(b);
  default:
    break;
  }
  if (!isFloat(type))
    return a < b;
  double x = decodeFloat(type, a), y = decodeFloat(type, b);
  return x < y || (!std::isnan(x) && std::isnan(y));
}

uint64_t load(const char *from, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);
  return bits;
}

/// Few different elements, any, those that are special: zeros, infinities, NaNs
/// of both signs, subnormals, the least and the greatest; and such of which
/// many have the same upper half; and such of which one in 16 is less than all
/// others.
enum class Contents { Few, Any, Special, Falling, Halves, Periodic };

uint64_t makeElement(const Type &type, Contents contents, int64_t index,
                     std::mt19937_64 &random) {
  uint64_t mask = ~uint64_t(0) >> (64 - 8 * type.bytes),
           sign = mask ^ mask >> 1;
  if (type.type == SortType::Bool)
    return random() & 1;
  if (contents == Contents::Few)
    return random() % 3 * (sign >> 3);
  if (contents == Contents::Falling)
    return uint64_t(1000000 - index) & (mask >> 1);
  if (contents == Contents::Any)
    return random() & mask;
  if (contents == Contents::Periodic)
    return (random() & (mask >> 3)) | (index % 16 == 8 ? 0 : sign >> 2);
  if (contents == Contents::Halves)
    return (random() & (mask >> 4 * type.bytes)) |
           (random() % 3 << 4 * type.bytes);
  uint64_t infinity = type.type == SortType::F16    ? 0x7c00
                      : type.type == SortType::BF16 ? 0x7f80
                      : type.type == SortType::F32  ? 0x7f800000
                                                    : 0x7ff0000000000000;
  uint64_t special[] = {0, 1, infinity, infinity + 1, mask >> 1, infinity >> 1};
  return (special[random() % 6] & mask) ^ (random() & 1 ? sign : 0);
}

/// Sorts one row at one level and compares what it writes.
void checkRow(const SortLevel &level, const Type &type, Contents contents,
              int64_t size, int64_t first, int64_t count, bool descending) {
  std::mt19937_64 random(uint64_t(size * 31 + first * 7 + count));
  Guarded source(size_t(size) * type.bytes), values(size_t(count) * type.bytes),
      indices(size_t(count) * sizeof(int64_t));
  std::vector<uint64_t> row;
  for (int64_t i = 0; i < size; ++i) {
    row.push_back(makeElement(type, contents, i, random));
    std::memcpy(source.as<char>() + size_t(i) * type.bytes, &row.back(),
                type.bytes);
  }
  SortTask task{size,
                first,
                count,
                source.as<void>(),
                values.as<void>(),
                indices.as<int64_t>(),
                type.type,
                descending,
                nullptr};
  Guarded scratch(level.getScratchBytes(task));
  task.scratch = scratch.as<void>();
  level.run(task);
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    uint64_t x = row[size_t(a)], y = row[size_t(b)];
    if (descending)
      std::swap(x, y);
    bool isBefore = isLess(type.type, x, y), isBehind = isLess(type.type, y, x);
    return isBefore || (!isBehind && a < b);
  });
  for (int64_t i = 0; i < count; ++i) {
    int64_t expected = order[size_t(first + i)];
    ASSERT_EQ(indices.as<int64_t>()[i], expected)
        << level.name << " type " << int(type.type) << " size " << size
        << " part " << first << " + " << count << " at " << i;
    ASSERT_EQ(load(values.as<char>() + size_t(i) * type.bytes, type.bytes),
              row[size_t(expected)]);
  }
}

void checkParts(const SortLevel &level, const Type &type, Contents contents,
                int64_t size) {
  for (bool descending : {false, true}) {
    checkRow(level, type, contents, size, 0, size, descending);
    for (int64_t count :
         {int64_t(1), int64_t(3), int64_t(17), int64_t(40), size / 3, size - 1})
      for (int64_t first : {int64_t(0), size / 2, size - count})
        if (count >= 1 && first >= 0 && first + count <= size)
          checkRow(level, type, contents, size, first, count, descending);
  }
}

TEST(SortTest, SortsLikeComparisons) {
  for (const SortLevel *level : getLevels())
    for (const Type &type : types)
      for (Contents contents : {Contents::Few, Contents::Any, Contents::Special,
                                Contents::Falling, Contents::Halves})
        for (int64_t size :
             {1, 2, 31, 33, 63, 65, 97, 127, 129, 193, 511, 513, 1031})
          checkParts(*level, type, contents, size);
}

/// Samples at regular places are then other elements than the rest.
TEST(SortTest, SortsPeriodicRows) {
  for (const SortLevel *level : getLevels())
    for (const Type &type : types)
      for (int64_t size : {512, 1024, 2048})
        checkParts(*level, type, Contents::Periodic, size);
}

TEST(SortTest, SortsLongRows) {
  constexpr int64_t size = 9001;
  for (const SortLevel *level : getLevels())
    for (const Type &type : types) {
      checkRow(*level, type, Contents::Any, size, 0, size, false);
      checkRow(*level, type, Contents::Halves, size, 0, size, true);
      checkRow(*level, type, Contents::Falling, size, size / 2, 1, false);
      checkRow(*level, type, Contents::Falling, size, 0, 140, false);
      checkRow(*level, type, Contents::Any, size, 0, 400, true);
    }
}

/// A context whose memory lies between inaccessible pages, 64 bytes aligned.
struct GuardedContext {
  GuardedContext() {
    tally_rt_config config{};
    config.size = sizeof(config);
    config.allocator = tally_rt_guard_page_allocator(0);
    ctx = tally_rt_context_create(&config);
  }
  ~GuardedContext() { tally_rt_context_destroy(ctx); }
  tally_rt_context *ctx;
};

/// Three loops over rows, of which the middle one has one iteration.
struct Strided {
  int64_t rows[3] = {5, 1, 7}, strides[3], rowStride, size;

  Strided(int64_t size, bool isTransposed) : size(size) {
    strides[0] = 7 * size;
    strides[1] = 1;
    strides[2] = isTransposed ? 1 : size;
    rowStride = isTransposed ? 7 : 1;
  }
  size_t getElements() const { return size_t(35 * size); }
  int64_t at(int64_t i, int64_t j, int64_t k) const {
    return i * strides[0] + j * strides[2] + k * rowStride;
  }
};

void checkStrided(bool sourceTransposed, bool resultTransposed, int64_t size,
                  int64_t count, bool withValues, bool withIndices) {
  GuardedContext context;
  Strided from(size, sourceTransposed), to(count, resultTransposed);
  Guarded source(from.getElements() * 4), values(to.getElements() * 4),
      indices(to.getElements() * 8);
  std::mt19937 random(7);
  for (size_t i = 0; i < from.getElements(); ++i)
    source.as<int32_t>()[i] = int32_t(random() % 100) - 50;
  std::vector<int64_t> loops(from.rows, from.rows + 3);
  for (const Strided *operand : {&from, &to, &to})
    loops.insert(loops.end(), operand->strides, operand->strides + 3);
  tally_rt_host_sort_args args{source.as<void>(),
                               withValues ? values.as<void>() : nullptr,
                               withIndices ? indices.as<int64_t>() : nullptr,
                               size,
                               0,
                               count,
                               from.rowStride,
                               to.rowStride,
                               to.rowStride,
                               3,
                               loops.data(),
                               TALLY_RT_DATA_TYPE(kDLInt, 32),
                               1};
  ASSERT_EQ(tally_rt_host_sort(context.ctx, &args), TALLY_RT_OK);
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 7; ++j) {
      auto element = [&](int64_t k) {
        return source.as<int32_t>()[from.at(i, j, k)];
      };
      std::vector<int64_t> order(static_cast<size_t>(size));
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return element(a) != element(b) ? element(a) > element(b) : a < b;
      });
      for (int64_t k = 0; k < count; ++k) {
        if (withValues) {
          ASSERT_EQ(values.as<int32_t>()[to.at(i, j, k)],
                    element(order[size_t(k)]));
        }
        if (withIndices) {
          ASSERT_EQ(indices.as<int64_t>()[to.at(i, j, k)], order[size_t(k)]);
        }
      }
    }
}

TEST(SortTest, SortsRowsOfAnyLayout) {
  for (bool sourceTransposed : {false, true})
    for (bool resultTransposed : {false, true})
      for (int64_t size : {1, 2, 5, 16, 17, 200, 3000})
        for (int64_t count : {int64_t(1), size / 2 + 1, size}) {
          checkStrided(sourceTransposed, resultTransposed, size, count, true,
                       true);
          checkStrided(sourceTransposed, resultTransposed, size, count, true,
                       false);
          checkStrided(sourceTransposed, resultTransposed, size, count, false,
                       true);
        }
}

TEST(SortTest, AcceptsNothing) {
  GuardedContext context;
  int64_t loops[] = {0, 1, 1, 1}, one[] = {1, 1, 1, 1};
  float source = 1, values = 2;
  // No rows, no elements, and none of the elements there are.
  tally_rt_host_sort_args noRows{
      &source, &values, nullptr, 1, 0,     1,
      1,       1,       1,       1, loops, TALLY_RT_DATA_TYPE(kDLFloat, 32),
      0};
  EXPECT_EQ(tally_rt_host_sort(context.ctx, &noRows), TALLY_RT_OK);
  tally_rt_host_sort_args nothing{
      &source, &values, nullptr, 0, 0,   0,
      1,       1,       1,       1, one, TALLY_RT_DATA_TYPE(kDLFloat, 32),
      0};
  EXPECT_EQ(tally_rt_host_sort(context.ctx, &nothing), TALLY_RT_OK);
  tally_rt_host_sort_args noPart{
      &source, &values, nullptr, 1, 1,   0,
      1,       1,       1,       1, one, TALLY_RT_DATA_TYPE(kDLFloat, 32),
      0};
  EXPECT_EQ(tally_rt_host_sort(context.ctx, &noPart), TALLY_RT_OK);
  EXPECT_EQ(values, 2);
}

TEST(SortTest, RefusesWhatIsWrong) {
  GuardedContext context;
  int64_t one[] = {1, 1, 1, 1};
  auto getError = [&](int64_t size, int64_t first, int64_t count,
                      int64_t dtype) {
    float source = 1, values = 2;
    tally_rt_host_sort_args args{&source, &values, nullptr, size, first,
                                 count,   1,       1,       1,    1,
                                 one,     dtype,   0};
    tally_rt_context *ctx = tally_rt_context_create(nullptr);
    EXPECT_EQ(tally_rt_host_sort(ctx, &args), TALLY_RT_INVALID_ARGUMENT);
    std::string message = tally_rt_last_error(ctx)->message;
    tally_rt_context_destroy(ctx);
    return message;
  };
  int64_t f32 = TALLY_RT_DATA_TYPE(kDLFloat, 32);
  EXPECT_EQ(getError(1, 0, 1, TALLY_RT_DATA_TYPE(99, 32)),
            "a sort of a type that the runtime does not know");
  for (int64_t first : {1, -1})
    EXPECT_EQ(getError(1, first, 1, f32),
              "a sort writes a part that its rows do not have");
  EXPECT_EQ(getError(TALLY_RT_MAX_SORT_SIZE + 1, 0, 1, f32),
            "a sort of rows of more than 4294967295 elements");
}

/// The last iterations first, three at once: as if threads shared them.
int32_t runBackwards(void *, int64_t begin, int64_t end, int64_t,
                     tally_rt_chunk chunk, void *closure) {
  int32_t status = TALLY_RT_OK;
  for (; end > begin && status == TALLY_RT_OK; end -= 3)
    status = chunk(closure, std::max(begin, end - 3), end);
  return status;
}

/// What is written for a row whose elements lie two apart, and so do values.
std::vector<char> sortShared(tally_rt_parallel_for_fn parallelFor,
                             const Type &type, Contents contents, int64_t size,
                             bool descending) {
  std::mt19937_64 random(5);
  std::vector<char> source(size_t(2 * size) * type.bytes),
      written(size_t(2 * size) * type.bytes + size_t(size) * sizeof(int64_t));
  for (int64_t i = 0; i < size; ++i) {
    uint64_t element = makeElement(type, contents, i, random);
    std::memcpy(source.data() + size_t(2 * i) * type.bytes, &element,
                type.bytes);
  }
  tally_rt_config config{};
  config.size = sizeof(config);
  config.parallel_for = parallelFor;
  tally_rt_context *ctx = tally_rt_context_create(&config);
  std::vector<int64_t> indices(static_cast<size_t>(size));
  int64_t loops[] = {1, 0, 0, 0};
  tally_rt_host_sort_args args{
      source.data(), written.data(), indices.data(), size, 0, size, 2, 2, 1, 1,
      loops,         type.dtype,     descending};
  EXPECT_EQ(tally_rt_host_sort(ctx, &args), TALLY_RT_OK);
  tally_rt_context_destroy(ctx);
  std::memcpy(written.data() + size_t(2 * size) * type.bytes, indices.data(),
              indices.size() * sizeof(int64_t));
  return written;
}

TEST(SortTest, SharesLongRows) {
  for (const Type &type : types)
    for (Contents contents : {Contents::Any, Contents::Few, Contents::Falling})
      for (int64_t size : {98303, 98304, 131073})
        EXPECT_EQ(sortShared(runBackwards, type, contents, size, size % 2 != 0),
                  sortShared(tally_rt_serial_for, type, contents, size,
                             size % 2 != 0))
            << "type " << int(type.type) << " size " << size;
}

/// A caller's allocator that has nothing.
void *allocateNothing(void *, size_t, size_t) { return nullptr; }
void deallocateNothing(void *, void *, size_t, size_t) {}

TEST(SortTest, RecoversWithoutMemory) {
  tally_rt_allocator allocator{nullptr, allocateNothing, deallocateNothing};
  tally_rt_config config{};
  config.size = sizeof(config);
  config.allocator = &allocator;
  tally_rt_context *ctx = tally_rt_context_create(&config);
  std::vector<float> source(100000), values(100000);
  int64_t one[] = {1, 1, 1, 1};
  tally_rt_host_sort_args args{source.data(),
                               values.data(),
                               nullptr,
                               100000,
                               0,
                               100000,
                               1,
                               1,
                               1,
                               1,
                               one,
                               TALLY_RT_DATA_TYPE(kDLFloat, 32),
                               0};
  EXPECT_EQ(tally_rt_host_sort(ctx, &args), TALLY_RT_OUT_OF_MEMORY);
  EXPECT_EQ(tally_rt_last_error(ctx)->status, TALLY_RT_OUT_OF_MEMORY);
  tally_rt_context_destroy(ctx);
}

} // namespace
