//===- InvokeTest.cpp - The entry wrapper ---------------------------------===//
//
// A compiled function is stood in for by one written here: it doubles `x`,
// which is written back, adds `n`, and returns `x` itself, `x` again and a
// constant, so that every kind of result has to be told apart.
//
//===----------------------------------------------------------------------===//

#include "tally/Runtime/tally_runtime.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

namespace {

constexpr DLDataType f32 = {kDLFloat, 32, 1};
constexpr DLDataType i64 = {kDLInt, 64, 1};
constexpr DLDataType i1 = {kDLBool, 8, 1};

struct Matrix {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t sizes[2];
  int64_t strides[2];
};

float constant[4] = {1, 2, 3, 4};

int32_t compiled(tally_rt_context *ctx, void *const *arguments,
                 void *const *results) {
  auto *x = static_cast<Matrix *>(arguments[0]);
  int64_t n = *static_cast<int64_t *>(arguments[1]);
  char flag = *static_cast<char *>(arguments[2]);
  int64_t count = x->sizes[0] * x->sizes[1];
  // Code for whole elements may rely on their alignment.
  if (reinterpret_cast<uintptr_t>(x->aligned) % alignof(float) != 0)
    return TALLY_RT_INVALID_ARGUMENT;
  auto *data = static_cast<float *>(tally_rt_alloc(ctx, 4 * count, 64));
  if (!data || !tally_rt_alloc(ctx, 64, 64)) // the second one is left over
    return TALLY_RT_OUT_OF_MEMORY;
  for (int64_t i = 0; i < count; ++i)
    data[i] = 2 * x->aligned[i];
  if (n < 0) {
    static const char record[] = "n >= 0\0\0\0\0\0"
                                 "0\0"
                                 "0\0"
                                 "1\0i\0n\0";
    static const int64_t offset = 0;
    static const tally_rt_assert_table table = {record, &offset};
    return tally_rt_fail(ctx, &table, 0, 1, &n);
  }
  Matrix doubled = *x;
  doubled.allocated = doubled.aligned = data;
  std::memcpy(results[0], &doubled, sizeof(Matrix));
  std::memcpy(results[1], &doubled, sizeof(Matrix));
  std::memcpy(results[2], x, sizeof(Matrix));
  Matrix corner = {constant, constant, 1, {2, 1}, {2, 1}};
  std::memcpy(results[3], &corner, sizeof(Matrix));
  int64_t sum = n + flag;
  std::memcpy(results[4], &sum, sizeof(sum));
  return 0;
}

const int64_t anySize[] = {-1, 3};
const char *const anyShape[] = {"s0", "3"};
const tally_rt_value arguments[] = {
    {"x", f32, 2, 0, -1, anySize, anyShape, ""},
    {"n", i64, 0, 1, -1, nullptr, nullptr, "s1"},
    {"flag", i1, 0, 1, -1, nullptr, nullptr, ""}};
const tally_rt_value resultValues[] = {
    {"new_x", f32, 2, 0, 0, anySize, anyShape, ""},
    {"a", f32, 2, 0, -1, anySize, anyShape, ""},
    {"b", f32, 2, 0, -1, anySize, anyShape, ""},
    {"c", f32, 2, 0, -1, anySize, anyShape, ""},
    {"d", i64, 0, 1, -1, nullptr, nullptr, "s1 + 1"}};
const tally_rt_entry entry = {
    "main",       3,       5,        0,       0, arguments,
    resultValues, nullptr, compiled, nullptr, 0, -1};
const tally_rt_library library = {
    TALLY_RT_ABI_VERSION, 1, &entry, kDLCPU, 0, nullptr};

/// Counts what is allocated and not yet released.
int64_t live = 0;
void *countedAllocate(void *, size_t bytes, size_t) {
  ++live;
  return std::malloc(bytes);
}
void countedDeallocate(void *, void *pointer, size_t, size_t) {
  --live;
  std::free(pointer);
}
const tally_rt_allocator counted = {nullptr, countedAllocate,
                                    countedDeallocate};

TEST(Context, TakesConfigurationsOfOtherSizes) {
  // That of a version without a pool.
  tally_rt_config older = {offsetof(tally_rt_config, parallel_for), &counted,
                           [](void *, int64_t, int64_t, int64_t, tally_rt_chunk,
                              void *) -> int32_t { std::abort(); },
                           nullptr};
  tally_rt_context *ctx = tally_rt_context_create(&older);
  ASSERT_NE(ctx, nullptr);
  int64_t runs = 0;
  auto count = [](tally_rt_context *, int64_t begin, int64_t end,
                  void *closure) -> int32_t {
    *static_cast<int64_t *>(closure) += end - begin;
    return 0;
  };
  EXPECT_EQ(tally_rt_parallel_for(ctx, 0, 4, 4, count, &runs), 0);
  EXPECT_EQ(runs, 4);
  tally_rt_context_destroy(ctx);

  struct {
    tally_rt_config known;
    void *added;
  } newer = {TALLY_RT_CONFIG_INIT, &runs};
  newer.known.size = sizeof newer;
  newer.known.allocator = &counted;
  ctx = tally_rt_context_create(&newer.known);
  ASSERT_NE(ctx, nullptr);
  tally_rt_context_destroy(ctx);

  tally_rt_config unsized = {0, &counted, nullptr, nullptr};
  EXPECT_EQ(tally_rt_context_create(&unsized), nullptr);
}

class InvokeTest : public testing::Test {
protected:
  void SetUp() override {
    tally_rt_config config = {sizeof(tally_rt_config), &counted, nullptr,
                              nullptr};
    ctx = tally_rt_context_create(&config);
    std::iota(std::begin(xData), std::end(xData), 0.f);
  }
  void TearDown() override {
    tally_rt_context_destroy(ctx);
    EXPECT_EQ(live, 0);
  }

  int32_t call() {
    DLTensor *args[] = {&x, &n, &flag};
    return tally_rt_invoke(&library, &entry, ctx, args, 3, results, 4);
  }
  void release() {
    for (DLManagedTensor *result : results)
      result->deleter(result);
  }
  std::string message() const { return tally_rt_last_error(ctx)->message; }

  tally_rt_context *ctx = nullptr;
  float xData[64];
  int64_t nData = 5;
  char flagData = 1;
  int64_t shape[2] = {2, 3};
  int64_t strides[2] = {1, 2};
  DLTensor x = {xData, {kDLCPU, 0}, 2, f32, shape, nullptr, 0};
  DLTensor n = {&nData, {kDLCPU, 0}, 0, i64, nullptr, nullptr, 0};
  DLTensor flag = {&flagData, {kDLCPU, 0}, 0, i1, nullptr, nullptr, 0};
  DLManagedTensor *results[4];
};

float at(const DLManagedTensor *tensor, int64_t i) {
  const DLTensor &t = tensor->dl_tensor;
  return reinterpret_cast<float *>(static_cast<char *>(t.data) +
                                   t.byte_offset)[i];
}

// The product of the sizes that are not 0 is limited, whatever the others are.
TEST_F(InvokeTest, sizesHaveALimit) {
  const int64_t open[] = {-1, -1};
  tally_rt_value openArguments[3] = {arguments[0], arguments[1], arguments[2]};
  openArguments[0].sizes = open;
  tally_rt_entry openEntry = entry;
  openEntry.arguments = openArguments;
  auto fails = [&](int64_t rows, int64_t columns) {
    shape[0] = rows;
    shape[1] = columns;
    DLTensor *args[] = {&x, &n, &flag};
    int32_t status =
        tally_rt_invoke(&library, &openEntry, ctx, args, 3, results, 4);
    if (status == TALLY_RT_OK)
      release();
    return status == TALLY_RT_CHECK_FAILED;
  };
  EXPECT_FALSE(fails(TALLY_RT_MAX_ELEMENTS, 0));
  EXPECT_FALSE(fails(0, TALLY_RT_MAX_ELEMENTS));
  EXPECT_FALSE(fails(0, 0));
  EXPECT_TRUE(fails(TALLY_RT_MAX_ELEMENTS + 1, 0));
  EXPECT_STREQ(tally_rt_last_error(ctx)->expression,
               "x.size(0) <= 281474976710656");
  EXPECT_STREQ(tally_rt_last_error(ctx)->user_message,
               "argument 0 ('x') is larger than any that is computed with: its "
               "sizes that are not 0 have a product of more than 2^48");
  EXPECT_TRUE(fails(0, TALLY_RT_MAX_ELEMENTS + 1));
  EXPECT_TRUE(fails(INT64_MAX, 0));
  EXPECT_TRUE(fails(INT64_MAX, INT64_MAX));
  EXPECT_TRUE(fails(TALLY_RT_MAX_ELEMENTS, 2));
  EXPECT_STREQ(tally_rt_last_error(ctx)->expression,
               "x.size(0) * x.size(1) <= 281474976710656");
  EXPECT_TRUE(fails(int64_t(1) << 62, 4)); // the product is 0 in 64 bits
}

TEST_F(InvokeTest, resultsBelongToTheCaller) {
  ASSERT_EQ(call(), TALLY_RT_OK);
  EXPECT_EQ(tally_rt_last_error(ctx), nullptr);
  EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
  EXPECT_EQ(live, 4);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(xData[i], 2.f * i); // written back
    EXPECT_EQ(at(results[0], i), 2.f * i);
    EXPECT_EQ(at(results[1], i), 1.f * i); // the argument before the call
  }
  EXPECT_EQ(xData[6], 6.f);
  EXPECT_NE(results[1]->dl_tensor.data, xData);
  // A slice of a constant: copied, compact.
  EXPECT_EQ(at(results[2], 0), 2.f);
  EXPECT_EQ(at(results[2], 1), 4.f);
  EXPECT_EQ(results[2]->dl_tensor.strides[0], 1);
  EXPECT_EQ(*static_cast<int64_t *>(results[3]->dl_tensor.data), 6);
  EXPECT_EQ(results[3]->dl_tensor.ndim, 0);
  release();
}

TEST_F(InvokeTest, resultsOutliveTheContext) {
  ASSERT_EQ(call(), TALLY_RT_OK);
  tally_rt_context_destroy(ctx);
  EXPECT_EQ(at(results[0], 5), 10.f);
  release();
  ctx = tally_rt_context_create(nullptr);
}

// The context keeps its memory, but nothing that a caller still holds.
TEST_F(InvokeTest, resultsAreNotUsedAgainBeforeTheyAreDeleted) {
  tally_rt_context_destroy(ctx);
  ctx = tally_rt_context_create(nullptr);
  ASSERT_EQ(call(), TALLY_RT_OK);
  DLManagedTensor *first[4];
  std::copy(std::begin(results), std::end(results), first);
  x.data = first[0]->dl_tensor.data;
  ASSERT_EQ(call(), TALLY_RT_OK);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_NE(first[i]->dl_tensor.data, results[j]->dl_tensor.data);
  EXPECT_EQ(at(first[1], 5), 5.f);
  EXPECT_EQ(at(results[0], 5), 20.f);
  release();
  tally_rt_context_destroy(ctx);
  ctx = tally_rt_context_create(nullptr);
  std::copy(std::begin(first), std::end(first), results);
  EXPECT_EQ(at(results[1], 5), 5.f);
  release();
}

TEST_F(InvokeTest, stridedArgument) {
  x.strides = strides; // column-major
  x.byte_offset = 4;
  ASSERT_EQ(call(), TALLY_RT_OK);
  const float expected[] = {1, 3, 5, 2, 4, 6};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(at(results[1], i), expected[i]);
    EXPECT_EQ(xData[1 + i], 2.f * (1 + i)); // written back through the strides
  }
  EXPECT_EQ(xData[0], 0.f);
  EXPECT_EQ(xData[7], 7.f);
  release();
}

TEST_F(InvokeTest, unalignedArgument) {
  std::memmove(reinterpret_cast<char *>(xData) + 1, xData, 24);
  x.byte_offset = 1;
  ASSERT_EQ(call(), TALLY_RT_OK);
  EXPECT_EQ(at(results[1], 5), 5.f);
  release();
}

TEST_F(InvokeTest, emptyArgument) {
  shape[0] = 0;
  x.data = nullptr;
  ASSERT_EQ(call(), TALLY_RT_OK);
  EXPECT_EQ(results[0]->dl_tensor.shape[0], 0);
  release();
}

TEST_F(InvokeTest, oddBoolean) {
  flagData = 2;
  ASSERT_EQ(call(), TALLY_RT_OK);
  EXPECT_EQ(*static_cast<int64_t *>(results[3]->dl_tensor.data), 6);
  release();
}

TEST_F(InvokeTest, failedCheck) {
  nData = -4;
  EXPECT_EQ(call(), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(message(), "n >= 0 does not hold: n = -4");
  EXPECT_EQ(results[0], nullptr);
  EXPECT_EQ(live, 0);
  EXPECT_EQ(xData[1], 1.f); // not written
  nData = 0;
  ASSERT_EQ(call(), TALLY_RT_OK);
  release();
}

TEST_F(InvokeTest, staticSize) {
  shape[1] = 4;
  EXPECT_EQ(call(), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(message(), "x.size(1) == 3 does not hold: x.size(1) = 4; declared "
                       "by x");
}

TEST_F(InvokeTest, wrongArguments) {
  x.dtype = i64;
  EXPECT_EQ(call(), TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(),
            "main: argument 0 ('x') has data type i64, expected f32");
  x.dtype = f32;
  x.ndim = 1;
  call();
  EXPECT_EQ(message(), "main: argument 0 ('x') has rank 1, expected 2");
  x.ndim = 2;
  x.device.device_type = kDLCUDA;
  call();
  EXPECT_EQ(message(),
            "main: argument 0 ('x') is not on the CPU (device type 2)");
  x.device.device_type = kDLCPU;
  shape[0] = -1;
  call();
  EXPECT_EQ(message(), "main: argument 0 ('x') has a negative size");
  shape[0] = 2;
  x.data = nullptr;
  call();
  EXPECT_EQ(message(), "main: argument 0 ('x') has no data");
  x.shape = nullptr;
  call();
  EXPECT_EQ(message(), "main: argument 0 ('x') has no shape");
  DLTensor *absent[] = {nullptr, &n, &flag};
  tally_rt_invoke(&library, &entry, ctx, absent, 3, results, 4);
  EXPECT_EQ(message(), "main: argument 0 ('x') is null");
  DLTensor *args[] = {&x, nullptr};
  EXPECT_EQ(tally_rt_invoke(&library, &entry, ctx, args, 2, results, 4),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "main takes 3 arguments, 2 given");
  EXPECT_EQ(tally_rt_invoke(&library, &entry, ctx, args, 3, results, 1),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "main returns 4 results, room for 1 given");
}

TEST_F(InvokeTest, anotherVersion) {
  tally_rt_library old = library;
  old.abi_version = 99;
  DLTensor *args[] = {&x, &n, &flag};
  EXPECT_EQ(tally_rt_invoke(&old, &entry, ctx, args, 3, results, 4),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(),
            "the library was compiled for version 99 of the runtime, "
            "this is version " +
                std::to_string(TALLY_RT_ABI_VERSION));
}

/// What no compiled code does.
TEST_F(InvokeTest, programsThatAreWrong) {
  DLTensor *args[] = {&x, &n, &flag};
  tally_rt_entry silent = entry;
  silent.thunk = [](tally_rt_context *, void *const *,
                    void *const *) -> int32_t { return TALLY_RT_CHECK_FAILED; };
  EXPECT_EQ(tally_rt_invoke(&library, &silent, ctx, args, 3, results, 4),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "the compiled function failed without saying why");

  tally_rt_entry larger = entry;
  larger.thunk = [](tally_rt_context *ctx, void *const *arguments,
                    void *const *results) -> int32_t {
    int32_t status = compiled(ctx, arguments, results);
    --static_cast<Matrix *>(results[0])->sizes[0];
    return status;
  };
  EXPECT_EQ(tally_rt_invoke(&library, &larger, ctx, args, 3, results, 4),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "main: argument 0 ('x') cannot take back its new value "
                       "of another shape");
}

TEST_F(InvokeTest, describe) {
  EXPECT_EQ(tally_rt_find_entry(&library, "main"), &entry);
  EXPECT_EQ(tally_rt_find_entry(&library, "other"), nullptr);
  EXPECT_EQ(tally_rt_num_returned(&entry), 4);
}

//===----------------------------------------------------------------------===//
// Hidden arguments
//===----------------------------------------------------------------------===//

/// Returns what it was given of the memory of its argument.
int32_t tellLayout(tally_rt_context *, void *const *arguments,
                   void *const *results) {
  for (int i = 0; i < 3; ++i)
    std::memcpy(results[i], arguments[1 + i], sizeof(int64_t));
  return 0;
}

TEST_F(InvokeTest, tellsLayoutAsGiven) {
  const tally_rt_hidden hidden[] = {{0, 0}, {0, 1}, {0, -1}};
  const tally_rt_value numbers[] = {resultValues[4], resultValues[4],
                                    resultValues[4]};
  const tally_rt_entry layout = {"layout",   1,         3,       0,
                                 3,          arguments, numbers, nullptr,
                                 tellLayout, hidden,    0,       -1};
  auto tell = [&]() -> std::vector<int64_t> {
    DLTensor *args[] = {&x};
    if (tally_rt_invoke(&library, &layout, ctx, args, 1, results, 3))
      return {};
    std::vector<int64_t> told;
    for (int i = 0; i < 3; ++i) {
      told.push_back(*static_cast<int64_t *>(results[i]->dl_tensor.data));
      results[i]->deleter(results[i]);
    }
    return told;
  };
  EXPECT_EQ(tell(), (std::vector<int64_t>{3, 1, 0})); // no strides: compact
  x.strides = strides;
  x.byte_offset = 20;
  EXPECT_EQ(tell(), (std::vector<int64_t>{1, 2, 5}));
  int64_t backwards[] = {-3, 0};
  x.strides = backwards;
  EXPECT_EQ(tell(), (std::vector<int64_t>{-3, 0, 5}));
  x.byte_offset = 22;
  EXPECT_EQ(tell(), std::vector<int64_t>());
  EXPECT_EQ(message(), "layout: argument 0 ('x') has a byte offset that is no "
                       "multiple of its element size");
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

struct Vector {
  float *allocated;
  float *aligned;
  int64_t offset;
  int64_t size;
  int64_t stride;
};

/// Returns (1, 2).
int32_t returnInitialState(tally_rt_context *, void *const *,
                           void *const *results) {
  Vector first = {constant, constant, 0, 2, 1};
  std::memcpy(results[0], &first, sizeof(Vector));
  return 0;
}

/// Adds a number to each element of the state, and returns that as well; fails
/// if the number is negative.
int32_t addToState(tally_rt_context *ctx, void *const *arguments,
                   void *const *results) {
  int64_t n = *static_cast<int64_t *>(arguments[0]);
  auto *state = static_cast<Vector *>(arguments[1]);
  auto *data = static_cast<float *>(tally_rt_alloc(ctx, 2 * 4, 64));
  if (!data || n < 0)
    return TALLY_RT_INVALID_ARGUMENT;
  for (int i = 0; i < 2; ++i)
    data[i] = state->aligned[i] + static_cast<float>(n);
  Vector next = {data, data, 0, 2, 1};
  std::memcpy(results[0], &next, sizeof(Vector));
  std::memcpy(results[1], &next, sizeof(Vector));
  return 0;
}

class StateTest : public InvokeTest {
protected:
  /// Adds a number, and returns what the first element is then.
  float add(int64_t n) {
    DLTensor number = {&n, {kDLCPU, 0}, 0, i64, nullptr, nullptr, 0};
    DLTensor *args[] = {&number};
    if (tally_rt_invoke(&keeping, &entries[0], ctx, args, 1, results, 1))
      return -1;
    return take(results[0])[0];
  }

  std::vector<float> take(DLManagedTensor *tensor) {
    auto *data = static_cast<float *>(tensor->dl_tensor.data);
    std::vector<float> elements(data, data + 2);
    tensor->deleter(tensor);
    return elements;
  }

  std::vector<float> get() {
    DLManagedTensor *value = nullptr;
    if (tally_rt_get_state(&keeping, &entries[0], ctx, 0, &value))
      return {};
    return take(value);
  }

  int64_t two[1] = {2};
  const char *const twoText[1] = {"2"};
  tally_rt_value values[2] = {{"n", i64, 0, 1, -1, nullptr, nullptr, ""},
                              {"sum", f32, 1, 0, -1, two, twoText, ""}};
  tally_rt_value returned[2] = {{"y", f32, 1, 0, -1, two, twoText, ""},
                                {"sum", f32, 1, 0, 1, two, twoText, ""}};
  tally_rt_entry entries[2] = {{"main", 1, 2, 0, 0, values, returned, nullptr,
                                addToState, nullptr, 1, 1},
                               {"initial", 0, 1, 0, 0, nullptr, returned,
                                nullptr, returnInitialState, nullptr, 0, -1}};
  tally_rt_library keeping = {
      TALLY_RT_ABI_VERSION, 2, entries, kDLCPU, 0, nullptr};
};

TEST_F(StateTest, callsFindWhatWasWritten) {
  EXPECT_EQ(get(), (std::vector<float>{1, 2}));
  EXPECT_EQ(add(3), 4);
  EXPECT_EQ(add(3), 7);
  EXPECT_EQ(add(-1), -1); // fails, and nothing has changed
  EXPECT_EQ(get(), (std::vector<float>{7, 8}));
  EXPECT_EQ(tally_rt_reset_state(ctx), TALLY_RT_OK);
  EXPECT_EQ(add(0), 1);
  EXPECT_EQ(tally_rt_live_allocations(ctx), 0);
}

TEST_F(StateTest, contextsHaveTheirOwn) {
  EXPECT_EQ(add(3), 4);
  tally_rt_context *first = ctx;
  ctx = tally_rt_context_create(nullptr);
  EXPECT_EQ(add(5), 6);
  tally_rt_context_destroy(ctx);
  ctx = first;
  EXPECT_EQ(add(0), 4);
}

TEST_F(StateTest, takesValues) {
  float backwards[] = {10, 0, 20};
  int64_t stride[] = {2};
  DLTensor value = {backwards, {kDLCPU, 0}, 1, f32, two, stride, 0};
  EXPECT_EQ(tally_rt_find_state(&entries[0], "sum"), 0);
  EXPECT_EQ(tally_rt_find_state(&entries[0], "n"), -1);
  ASSERT_EQ(tally_rt_set_state(&keeping, &entries[0], ctx, 0, &value), 0);
  EXPECT_EQ(get(), (std::vector<float>{10, 20}));
  EXPECT_EQ(add(1), 11);
  int64_t three[] = {3};
  value.shape = three;
  EXPECT_EQ(tally_rt_set_state(&keeping, &entries[0], ctx, 0, &value),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "main: the value for state 0 ('sum') has size 3 in "
                       "dimension 0, expected 2");
  value.dtype = i64;
  EXPECT_EQ(tally_rt_set_state(&keeping, &entries[0], ctx, 0, &value),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "main: the value for state 0 ('sum') has data type i64, "
                       "expected f32");
  EXPECT_EQ(tally_rt_set_state(&keeping, &entries[0], ctx, 1, &value),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(message(), "main has no state 1: there are 1");
  EXPECT_EQ(get(), (std::vector<float>{11, 21}));
}

} // namespace
