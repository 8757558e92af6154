//===- driver.cpp - Calls a program on a pool that is watched -------------===//
//
//   driver CALLS x.npy y.npy -- x.npy y.npy -- ...
//
// Each call runs on one thread and CALLS times on a pool of four, so that
// ThreadSanitizer sees all that parts of loops have in common; the pool is
// compiled with it, as oneTBB is not. What comes of a call must be the same
// each time.
//
//===----------------------------------------------------------------------===//

#include "tally/Runtime/tally_runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

extern "C" const tally_rt_library *program_library(void);

namespace {

/// Threads that share each loop. One does not wait for another before all have
/// run their parts: whoever takes a lock after another one has given it back is
/// ordered behind it, and what they have in common would be no race any more.
class Pool {
public:
  explicit Pool(int count) : count(count) {
    for (int i = 0; i < count; ++i)
      threads.emplace_back([this, i] { work(i); });
  }
  ~Pool() {
    loop.chunk = nullptr;
    round.fetch_add(1, std::memory_order_release);
    for (std::thread &thread : threads)
      thread.join();
  }

  int32_t run(int64_t begin, int64_t end, int64_t grain, tally_rt_chunk chunk,
              void *closure) {
    // A loop in a part of another one.
    if (isPartOfLoop)
      return chunk(closure, begin, end);
    loop = {begin, end, std::max<int64_t>(grain, 1), chunk, closure};
    status.store(0, std::memory_order_relaxed);
    int64_t number = round.fetch_add(1, std::memory_order_release) + 1;
    while (finished.load(std::memory_order_acquire) < number * count)
      std::this_thread::yield();
    return status.load(std::memory_order_relaxed);
  }

  int64_t getNumLoops() const { return round.load(); }

private:
  struct Loop {
    int64_t begin, end, grain;
    tally_rt_chunk chunk;
    void *closure;
  };

  void work(int64_t index) {
    isPartOfLoop = true;
    for (int64_t number = 1;; ++number) {
      while (round.load(std::memory_order_acquire) < number)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
      if (!loop.chunk)
        return;
      int64_t step = loop.grain * count;
      for (int64_t begin = loop.begin + index * loop.grain; begin < loop.end;
           begin += step)
        if (int32_t result = loop.chunk(loop.closure, begin,
                                        std::min(begin + loop.grain, loop.end)))
          status.store(result, std::memory_order_relaxed);
      finished.fetch_add(1, std::memory_order_release);
    }
  }

  static thread_local bool isPartOfLoop;
  int64_t count;
  std::vector<std::thread> threads;
  Loop loop = {0, 0, 1, nullptr, nullptr};
  std::atomic<int64_t> round{0}, finished{0};
  std::atomic<int32_t> status{0};
};

thread_local bool Pool::isPartOfLoop = false;

int32_t runOnPool(void *pool, int64_t begin, int64_t end, int64_t grain,
                  tally_rt_chunk chunk, void *closure) {
  return static_cast<Pool *>(pool)->run(begin, end, grain, chunk, closure);
}

/// An argument or a result.
struct Array {
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  bool operator==(const Array &other) const {
    return shape == other.shape && bytes == other.bytes;
  }
};

/// What came of a call.
struct Outcome {
  int32_t status = 0;
  std::vector<Array> arrays;
};

} // namespace

static Array readNpy(const char *path) {
  std::ifstream file(path, std::ios::binary);
  std::string all((std::istreambuf_iterator<char>(file)), {});
  if (all.compare(0, 7, "\x93NUMPY\x01") != 0) {
    std::fprintf(stderr, "'%s' is no array\n", path);
    std::exit(1);
  }
  size_t begin =
      10 + static_cast<uint8_t>(all[8]) + 256 * static_cast<uint8_t>(all[9]);
  Array array;
  array.bytes.assign(all.begin() + static_cast<ptrdiff_t>(begin), all.end());
  size_t place = all.find("'shape': (") + 10;
  while (all[place] != ')') {
    char *end = nullptr;
    array.shape.push_back(std::strtoll(&all[place], &end, 10));
    place = end - all.data();
    while (all[place] == ',' || all[place] == ' ')
      ++place;
  }
  return array;
}

static Array copyOf(const DLTensor &tensor) {
  Array array;
  array.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  size_t count = 1;
  for (int64_t size : array.shape)
    count *= size;
  auto *data = static_cast<const char *>(tensor.data) + tensor.byte_offset;
  array.bytes.assign(data, data + count * ((tensor.dtype.bits + 7) / 8));
  return array;
}

/// Calls with copies of the arguments, which the program may write to.
static Outcome call(tally_rt_context *ctx, const tally_rt_entry &entry,
                    std::vector<Array> arrays) {
  std::vector<DLTensor> tensors;
  std::vector<DLTensor *> arguments;
  for (size_t i = 0; i < arrays.size(); ++i)
    tensors.push_back({arrays[i].bytes.data(),
                       {kDLCPU, 0},
                       static_cast<int32_t>(arrays[i].shape.size()),
                       entry.arguments[i].dtype,
                       arrays[i].shape.data(),
                       nullptr,
                       0});
  for (DLTensor &tensor : tensors)
    arguments.push_back(&tensor);
  std::vector<DLManagedTensor *> results(tally_rt_num_returned(&entry));
  Outcome outcome;
  outcome.status =
      tally_rt_invoke(program_library(), &entry, ctx, arguments.data(),
                      static_cast<int32_t>(arguments.size()), results.data(),
                      static_cast<int32_t>(results.size()));
  if (outcome.status != TALLY_RT_OK)
    return outcome;
  for (DLManagedTensor *result : results) {
    outcome.arrays.push_back(copyOf(result->dl_tensor));
    result->deleter(result);
  }
  for (Array &array : arrays)
    outcome.arrays.push_back(std::move(array));
  return outcome;
}

static tally_rt_context *createContext(tally_rt_parallel_for_fn function,
                                       void *user) {
  tally_rt_config config = TALLY_RT_CONFIG_INIT;
  config.parallel_for = function;
  config.parallel_for_user = user;
  return tally_rt_context_create(&config);
}

int main(int argc, char **argv) {
  const tally_rt_entry *entry = tally_rt_find_entry(program_library(), "main");
  int count = std::atoi(argv[1]);
  Pool pool(4);
  tally_rt_context *serial = createContext(tally_rt_serial_for, nullptr);
  tally_rt_context *parallel = createContext(runOnPool, &pool);
  int different = 0, calls = 0, failed = 0;
  std::vector<Array> arrays;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") != 0) {
      arrays.push_back(readNpy(argv[i]));
      continue;
    }
    Outcome expected = call(serial, *entry, arrays);
    failed += expected.status != TALLY_RT_OK;
    for (int again = 0; again < count; ++again, ++calls) {
      Outcome outcome = call(parallel, *entry, arrays);
      different += outcome.status != expected.status ||
                   !(outcome.arrays == expected.arrays);
    }
    arrays.clear();
  }
  tally_rt_context_destroy(serial);
  tally_rt_context_destroy(parallel);
  std::printf("%d calls, %d arguments refused, %d different, %s\n", calls,
              failed, different,
              pool.getNumLoops() ? "loops in parallel" : "no loop in parallel");
  return different != 0;
}
