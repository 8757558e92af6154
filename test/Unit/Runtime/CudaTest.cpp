//===- CudaTest.cpp - Calls on a GPU --------------------------------------===//

#include "../../../lib/Runtime/CudaBlocks.h"
#include "CudaScenario.h"

#include <string>
#include <thread>
#include <vector>

using namespace tally::cuda_test;
using namespace tally::runtime;

namespace {

TEST_F(CudaTest, callsAndCounts) {
  Scenario scenario;
  ASSERT_EQ(scenario.run(), TALLY_RT_OK) << scenario.message();
  EXPECT_EQ(scenario.numWrong, 0);
  EXPECT_EQ(tally_rt_live_allocations(scenario.ctx), 0);

  for (DLManagedTensor *&result : scenario.results) {
    result->deleter(result);
    result = nullptr;
  }
  tally_rt_reset_counters(scenario.ctx);
  int64_t launches = fake->launches, copies = fake->copyLaunches;
  int64_t waits = fake->synchronizations;
  int marker = 0;
  tally_rt_set_stream(scenario.ctx, &marker);
  ASSERT_EQ(scenario.call(), TALLY_RT_OK) << scenario.message();
  EXPECT_EQ(fake->stream, &marker);
  tally_rt_counters counters;
  tally_rt_get_counters(scenario.ctx, &counters);
  // The input is made compact and its new value goes back to its layout.
  EXPECT_EQ(fake->copyLaunches - copies, 2);
  EXPECT_EQ(counters.launches, 4);
  EXPECT_EQ(counters.launches, fake->launches - launches);
  // For the number, the first element and the check.
  EXPECT_EQ(counters.host_waits, fake->synchronizations - waits);
  EXPECT_EQ(counters.host_waits, 3);
  // x, which becomes the alias, sum, square, what is left over, the workspace,
  // the number.
  EXPECT_EQ(counters.allocations, 6);
  EXPECT_EQ(counters.uploads, 0);
  EXPECT_EQ(counters.library_calls, 1);
}

TEST_F(CudaTest, failedCheckOfAKernel) {
  Scenario scenario(-3);
  EXPECT_EQ(scenario.run(), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(scenario.message(), "n >= 0 does not hold: n = -3 (n = s1)");
  // The record is clear again, and no argument was written to.
  int64_t five = 5;
  std::memcpy(scenario.number->dl_tensor.data, &five, sizeof(five));
  scenario.n = 5;
  ASSERT_EQ(scenario.call(), TALLY_RT_OK) << scenario.message();
  EXPECT_EQ(scenario.compare(), TALLY_RT_OK);
  EXPECT_EQ(scenario.numWrong, 0);
}

TEST_F(CudaTest, outOfMemory) {
  Scenario scenario;
  fake->memory = 20;
  EXPECT_EQ(scenario.run(), TALLY_RT_OUT_OF_MEMORY);
  EXPECT_EQ(scenario.message(),
            "out of memory: cannot allocate 24 bytes on GPU 0: "
            "CUDA_ERROR_OUT_OF_MEMORY: as the driver says");
}

TEST_F(CudaTest, devices) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  tally_rt_gpu_info info;
  EXPECT_EQ(tally_rt_get_gpu_info(scenario.ctx, 7, &info),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(), "there is no GPU 7: there are 2");

  DLTensor onCpu = scenario.hostX, number = scenario.hostN;
  DLTensor *arguments[] = {&onCpu, &number};
  EXPECT_EQ(tally_rt_invoke(&library, &entry, scenario.ctx, arguments, 2,
                            scenario.results, 3),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(), "main: argument 0 ('x') is not on the GPU "
                                "(device type 1)");
  tally_rt_library tpu = library;
  tpu.device_type = 99;
  EXPECT_EQ(tally_rt_invoke(&tpu, &entry, scenario.ctx, arguments, 2,
                            scenario.results, 3),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(), "the library is compiled for devices of type "
                                "99, which this runtime does not know");

  // A number on another GPU than the tensors.
  ASSERT_EQ(
      tally_rt_copy_to_device(scenario.ctx, 0, &scenario.hostX, &scenario.x),
      TALLY_RT_OK);
  ASSERT_EQ(tally_rt_copy_to_device(scenario.ctx, 1, &scenario.hostN,
                                    &scenario.number),
            TALLY_RT_OK);
  EXPECT_EQ(scenario.call(), TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(), "main: argument 1 ('n') is on GPU 1, other "
                                "arguments are on GPU 0");
}

TEST_F(CudaTest, kernelsThatCannotRun) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &badKernel, 1, 1, 1, 1, 1, 1,
                                              0, nullptr);
                     }),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "cannot load kernels that were compiled for sm_100a on GPU 0, "
            "which is sm_90a: CUDA_ERROR_INVALID_PTX: as the driver says: line "
            "1: syntax error");
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &missingKernel, 1, 1, 1, 1,
                                              1, 1, 0, nullptr);
                     }),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(), "cannot find kernel 'missing': "
                                "CUDA_ERROR_NOT_FOUND: as the driver says");
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &addKernel, 1L << 32, 1, 1,
                                              1, 1, 1, 0, nullptr);
                     }),
            TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "cannot launch kernel 'add': a grid of 4294967296 x 1 x 1 blocks "
            "of 1 x 1 x 1 threads with 0 bytes of shared memory is out of "
            "range");
  int64_t launches = fake->launches;
  EXPECT_EQ(callBody(scenario.ctx,
                     [](tally_rt_context *ctx) {
                       return tally_rt_launch(ctx, &addKernel, 4, 0, 1, 1, 1, 1,
                                              0, nullptr);
                     }),
            TALLY_RT_OK);
  EXPECT_EQ(fake->launches, launches);
  EXPECT_EQ(
      tally_rt_launch(scenario.ctx, &addKernel, 1, 1, 1, 1, 1, 1, 0, nullptr),
      TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "compiled code asked for a GPU outside of a call on one");
}

TEST_F(CudaTest, failedCheckWithoutARecord) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    void *errors = tally_rt_device_errors(ctx, nullptr);
    int64_t n = -1;
    void *check[] = {&errors, &n};
    tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, check);
    return tally_rt_check_device(ctx, nullptr);
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "a kernel recorded a failed check that does not exist");
}

// A call that would only wait for checks leaves them to the caller; one that
// waits reports those that calls before it have left.
TEST_F(CudaTest, deferredChecks) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto fails = [](tally_rt_context *ctx) -> int32_t {
    void *errors = tally_rt_device_errors(ctx, &table);
    int64_t n = -1;
    void *check[] = {&errors, &n};
    tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, check);
    return tally_rt_check_device(ctx, &table);
  };
  auto holds = [](tally_rt_context *ctx) -> int32_t {
    void *errors = tally_rt_device_errors(ctx, &table);
    int64_t n = 1;
    void *check[] = {&errors, &n};
    tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, check);
    return tally_rt_check_device(ctx, &table);
  };
  // An assert of the host gives way to what kernels have found before it.
  auto failsOnHost = [](tally_rt_context *ctx) -> int32_t {
    tally_rt_device_errors(ctx, &table);
    return tally_rt_fail(ctx, &table, 0, 0, nullptr);
  };
  EXPECT_EQ(tally_rt_finish_checks(scenario.ctx), TALLY_RT_OK);
  tally_rt_defer_checks(scenario.ctx, 1);
  tally_rt_reset_counters(scenario.ctx);
  EXPECT_EQ(callBody(scenario.ctx, holds), TALLY_RT_OK);
  EXPECT_EQ(callBody(scenario.ctx, fails), TALLY_RT_OK);
  EXPECT_EQ(callBody(scenario.ctx, holds), TALLY_RT_OK);
  tally_rt_counters counters;
  tally_rt_get_counters(scenario.ctx, &counters);
  EXPECT_EQ(counters.host_waits, 0);
  EXPECT_EQ(tally_rt_finish_checks(scenario.ctx), TALLY_RT_CHECK_FAILED);
  std::string message = scenario.message();
  EXPECT_EQ(tally_rt_finish_checks(scenario.ctx), TALLY_RT_OK);
  EXPECT_EQ(callBody(scenario.ctx, fails), TALLY_RT_OK);
  EXPECT_EQ(callBody(scenario.ctx, failsOnHost), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(scenario.message(), message);
  tally_rt_defer_checks(scenario.ctx, 0);
  EXPECT_EQ(callBody(scenario.ctx, holds), TALLY_RT_OK);
  EXPECT_EQ(callBody(scenario.ctx, fails), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(scenario.message(), message);
  EXPECT_EQ(tally_rt_finish_checks(scenario.ctx), TALLY_RT_OK);
}

// A call that has read a number back, and launches nothing behind that which
// can fail, needs to look no more, and the next call has the same record.
TEST_F(CudaTest, looksWhereItReads) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  static int64_t n;
  auto body = [](tally_rt_context *ctx) -> int32_t {
    void *errors = tally_rt_device_errors(ctx, &table);
    void *check[] = {&errors, &n};
    tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, check);
    void *memory = tally_rt_alloc(ctx, 8, 64);
    int64_t number;
    int32_t status = tally_rt_read_back(ctx, &table, memory, &number, 8);
    if (status == TALLY_RT_OK) {
      // It does not fail here.
      int64_t holds = 1;
      void *last[] = {&errors, &holds};
      status = tally_rt_launch(ctx, &checkKernel, 1, 1, 1, 1, 1, 1, 0, last);
    }
    tally_rt_free(ctx, memory);
    return status;
  };
  n = 1;
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
  int64_t live = fake->liveDevice, calls = fake->calls;
  tally_rt_reset_counters(scenario.ctx);
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
  EXPECT_EQ(fake->liveDevice, live);
  int64_t first = fake->calls - calls;
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
  EXPECT_EQ(fake->calls - calls, 2 * first);
  tally_rt_counters counters;
  tally_rt_get_counters(scenario.ctx, &counters);
  EXPECT_EQ(counters.host_waits, 2);
  n = -1;
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_CHECK_FAILED);
  EXPECT_EQ(fake->liveDevice, live - 1);
  n = 1;
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
  EXPECT_EQ(fake->liveDevice, live);
}

// What a program releases is what it gets next of the same size, until the call
// ends or memory is wanted for something else.
TEST_F(CudaTest, spareBlocks) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    int64_t live = fake->liveDevice;
    void *first = tally_rt_alloc(ctx, 16, 64);
    void *other = tally_rt_alloc(ctx, 16, 64);
    EXPECT_NE(first, other);
    tally_rt_free(ctx, first);
    void *smaller = tally_rt_alloc(ctx, 8, 64);
    EXPECT_NE(smaller, first);
    EXPECT_EQ(fake->liveDevice, live + 3);
    EXPECT_EQ(tally_rt_live_allocations(ctx), 2);
    EXPECT_EQ(tally_rt_alloc(ctx, 16, 64), first);
    EXPECT_EQ(tally_rt_live_allocations(ctx), 3);
    EXPECT_EQ(fake->liveDevice, live + 3);
    // One of nothing is one of a byte.
    void *empty = tally_rt_alloc(ctx, 0, 64);
    tally_rt_free(ctx, empty);
    EXPECT_EQ(tally_rt_alloc(ctx, 1, 64), empty);

    void *large = tally_rt_alloc(ctx, (1 << 20) + 1, 64);
    EXPECT_EQ(fake->liveDevice, live + 5);
    tally_rt_free(ctx, large);
    EXPECT_EQ(fake->liveDevice, live + 4);

    std::vector<void *> many(40);
    for (void *&block : many)
      block = tally_rt_alloc(ctx, 100, 64);
    for (void *block : many)
      tally_rt_free(ctx, block);
    EXPECT_EQ(fake->liveDevice, live + 4 + 32);
    fake->memory = 0;
    EXPECT_EQ(tally_rt_alloc(ctx, 200, 64), nullptr);
    EXPECT_EQ(fake->liveDevice, live + 4);
    return TALLY_RT_OK;
  };
  callBody(scenario.ctx, body);
}

// What a call or its caller has released is what the next call on the stream
// gets, without the driver: no other stream gets it, not even a later one with
// the same handle, and no graph.
TEST_F(CudaTest, keptBlocks) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  static void *last;
  auto body = [](tally_rt_context *ctx) -> int32_t {
    last = tally_rt_alloc(ctx, 1000, 64);
    return TALLY_RT_OK;
  };
  auto call = [&] {
    EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_OK);
    return last;
  };
  fake->firstNumber = 1000;
  int64_t live = fake->liveDevice;
  void *first = call();
  EXPECT_EQ(fake->liveDevice, live + 1);
  int64_t calls = fake->calls;
  EXPECT_EQ(call(), first);
  int64_t without = fake->calls - calls;
  EXPECT_EQ(fake->liveDevice, live + 1);

  // Two on the way at once, each of which a later call gets.
  auto two = [](tally_rt_context *ctx) -> int32_t {
    EXPECT_NE(tally_rt_alloc(ctx, 1000, 64), tally_rt_alloc(ctx, 1001, 64));
    return TALLY_RT_OK;
  };
  EXPECT_EQ(callBody(scenario.ctx, two), TALLY_RT_OK);
  EXPECT_EQ(fake->liveDevice, live + 2);
  EXPECT_EQ(callBody(scenario.ctx, two), TALLY_RT_OK);
  EXPECT_EQ(fake->liveDevice, live + 2);

  char other;
  tally_rt_set_stream(scenario.ctx, &other);
  call();
  EXPECT_EQ(fake->liveDevice, live + 3);
  tally_rt_set_stream(scenario.ctx, nullptr);
  fake->firstNumber = 2000;
  call();
  EXPECT_EQ(fake->liveDevice, live + 4);

  fake->isCapturing = 1;
  calls = fake->calls;
  call();
  EXPECT_EQ(fake->calls - calls, without + 2);
  EXPECT_EQ(fake->liveDevice, live + 4);
  fake->isCapturing = 0;

  // What is kept is there for others when there is nothing else.
  auto fails = [](tally_rt_context *ctx) -> int32_t {
    EXPECT_EQ(tally_rt_alloc(ctx, 5000, 64), nullptr);
    return TALLY_RT_OUT_OF_MEMORY;
  };
  uint64_t memory = fake->memory;
  fake->memory = 0;
  EXPECT_EQ(callBody(scenario.ctx, fails), TALLY_RT_OUT_OF_MEMORY);
  EXPECT_EQ(fake->liveDevice, live);
  fake->memory = memory;
  call();
  EXPECT_EQ(fake->liveDevice, live + 1);
  tally_rt_context_trim(scenario.ctx);
  EXPECT_EQ(fake->liveDevice, live);
  fake->firstNumber = 0;
}

// There are bounds to how much is kept.
TEST(CudaBlocksTest, limits) {
  CudaBlocks blocks(10000);
  CudaStreamMark mark{nullptr, 1};
  EXPECT_FALSE(blocks.keep({1, 10001}, mark));
  EXPECT_FALSE(blocks.keep({1, 100}, {nullptr, 0}));
  EXPECT_TRUE(blocks.keep({1, 9000}, mark));
  EXPECT_FALSE(blocks.keep({2, 1000}, mark));
  EXPECT_TRUE(blocks.keep({2, 500}, mark));
  EXPECT_EQ(blocks.take(512, {nullptr, 2}), 0u);
  EXPECT_EQ(blocks.take(512, mark), 2u);
  EXPECT_EQ(blocks.take(512, mark), 0u);
  auto oldest = blocks.takeOldest();
  ASSERT_TRUE(oldest.has_value());
  EXPECT_EQ(oldest->first.pointer, 1u);
  EXPECT_FALSE(blocks.takeOldest().has_value());
  for (cuda::Pointer pointer = 1; pointer <= 19; ++pointer)
    EXPECT_TRUE(blocks.keep({pointer, 1}, mark)) << pointer;
  EXPECT_FALSE(blocks.keep({20, 1}, mark));
  // The last one that was released comes first.
  EXPECT_EQ(blocks.take(1, mark), 19u);
  CudaBlocks many(1 << 20);
  for (cuda::Pointer pointer = 1; pointer <= 64; ++pointer)
    EXPECT_TRUE(many.keep({pointer, 1}, mark)) << pointer;
  EXPECT_FALSE(many.keep({65, 1}, mark));
}

TEST_F(CudaTest, failedCopy) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  auto body = [](tally_rt_context *ctx) -> int32_t {
    void *source = tally_rt_alloc(ctx, 16, 64);
    void *target = tally_rt_alloc(ctx, 16, 64);
    fake->failAt = 1;
    int32_t status = tally_rt_copy(ctx, target, source, 16);
    fake->failAt = 0;
    return status;
  };
  EXPECT_EQ(callBody(scenario.ctx, body), TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(), "cannot copy 16 bytes within the GPU: "
                                "CUDA_ERROR_UNKNOWN: as the driver says");
}

TEST_F(CudaTest, copiesThatCannotBe) {
  Scenario scenario;
  scenario.ctx = tally_rt_context_create(nullptr);
  int64_t strides[] = {1, 2};
  DLTensor transposed = scenario.hostX;
  transposed.strides = strides;
  EXPECT_EQ(tally_rt_copy_to_device(scenario.ctx, 0, &transposed, &scenario.x),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(),
            "only a compact tensor on the CPU can be copied to the GPU");
  EXPECT_EQ(tally_rt_copy_to_host(scenario.ctx, &scenario.hostX, nullptr),
            TALLY_RT_INVALID_ARGUMENT);
  EXPECT_EQ(scenario.message(),
            "only a compact tensor on a GPU can be copied to the CPU");

  constexpr int rank = TALLY_RT_MAX_COPY_RANK + 1;
  int64_t open[rank], sizes[rank], reversed[rank];
  const char *names[rank];
  for (int d = 0; d < rank; ++d) {
    open[d] = -1;
    sizes[d] = 2;
    reversed[d] = int64_t(1) << d;
    names[d] = "s";
  }
  const tally_rt_value value = {"x", f32, rank, 0, -1, open, names, ""};
  const tally_rt_entry deep = {"deep",  1,       0,       0,       0, &value,
                               nullptr, nullptr, runBody, nullptr, 0, -1};
  float data = 0;
  DLTensor x = {&data, {kDLCUDA, 0}, rank, f32, sizes, reversed, 0};
  DLTensor *arguments[] = {&x};
  EXPECT_EQ(
      tally_rt_invoke(&library, &deep, scenario.ctx, arguments, 1, nullptr, 0),
      TALLY_RT_DEVICE_ERROR);
  EXPECT_EQ(scenario.message(),
            "a tensor of more than 16 dimensions that cannot be merged cannot "
            "be made compact on the GPU");
}

TEST_F(CudaTest, threads) {
  auto work = [](int *wrong) {
    for (int i = 0; i < 100; ++i) {
      Scenario scenario(i % 3 == 2 ? -1 : i);
      int32_t expected = i % 3 == 2 ? TALLY_RT_CHECK_FAILED : TALLY_RT_OK;
      *wrong += scenario.run() != expected;
      *wrong += scenario.numWrong;
    }
  };
  int first = 0, second = 0;
  std::thread thread(work, &first);
  work(&second);
  thread.join();
  EXPECT_EQ(first + second, 0);
}

} // namespace
