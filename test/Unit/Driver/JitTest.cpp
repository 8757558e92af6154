//===- JitTest.cpp - Failing calls of compiled programs -------------------===//
//
// Checks that fail inside of nested loops, of called functions and of parallel
// loops, from eight threads, 100,000 times: every call returns its error,
// nothing is left, the next call is right. AddressSanitizer sees the runtime
// here.
//
//===----------------------------------------------------------------------===//

#include "tally/Driver/Driver.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace {

// Row i of the result is row i of x, twice; the check is on every element, in a
// function that is called from a nested loop with a buffer for each row, and
// the rows run in parallel.
constexpr char program[] = R"mlir(
func.func private @checked(%v: f32, %i: index, %j: index) -> f32 {
  %limit = arith.constant 100.0 : f32
  %ok = arith.cmpf olt, %v, %limit : f32
  tally.assert %ok, <v < 100> (v = %v, i = %i, j = %j : f32, index, index)
  %r = arith.addf %v, %v : f32
  return %r : f32
}
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %e) -> tensor<?x?xf32> {
    %row = tensor.empty(%m) : tensor<?xf32>
    %filled = scf.for %k = %c0 to %c2 step %c1 iter_args(%a = %row) -> tensor<?xf32> {
      %b = scf.for %j = %c0 to %m step %c1 iter_args(%c = %a) -> tensor<?xf32> {
        %v = tensor.extract %x[%i, %j] : tensor<?x?xf32>
        %w = func.call @checked(%v, %i, %j) : (f32, index, index) -> f32
        %d = tensor.insert %w into %c[%j] : tensor<?xf32>
        scf.yield %d : tensor<?xf32>
      }
      scf.yield %b : tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %filled into %o[%i, 0] [1, %m] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
    }
  }
  return %r : tensor<?x?xf32>
}
)mlir";

std::atomic<int64_t> live{0};

void *countedAllocate(void *, size_t bytes, size_t alignment) {
  void *pointer = nullptr;
  if (posix_memalign(&pointer, alignment, bytes) != 0)
    return nullptr;
  ++live;
  return pointer;
}

void countedDeallocate(void *, void *pointer, size_t, size_t) {
  --live;
  std::free(pointer);
}

std::unique_ptr<tally::JitProgram> compile(int64_t work) {
  mlir::DialectRegistry registry;
  tally::registerDriverDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  tally::CompileOptions options;
  options.work = work;
  if (!module || failed(tally::lowerProgram(*module, options)))
    return nullptr;
  auto jit = tally::JitProgram::create(*module);
  if (jit)
    return std::move(*jit);
  ADD_FAILURE() << llvm::toString(jit.takeError());
  return nullptr;
}

/// Calls a program in a context of its own.
class Caller {
public:
  explicit Caller(const tally_rt_library &library) : library(library) {
    static const tally_rt_allocator allocator = {nullptr, countedAllocate,
                                                 countedDeallocate};
    tally_rt_config config = {sizeof(tally_rt_config), &allocator, nullptr,
                              nullptr};
    context = tally_rt_context_create(&config);
  }
  ~Caller() { tally_rt_context_destroy(context); }

  /// Returns whether the call came out as it must: with an error where `bad` is
  /// an element of the input, else with twice the input.
  bool call(int64_t rows, int64_t columns, int64_t bad) {
    std::vector<float> data(rows * columns, 1.5f);
    if (bad >= 0)
      data[bad] = 200.f;
    int64_t shape[] = {rows, columns};
    DLTensor x = {data.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1},
                  shape,       nullptr,     0};
    DLTensor *arguments[] = {&x};
    DLManagedTensor *result = nullptr;
    int32_t status = tally_rt_invoke(&library, &library.entries[0], context,
                                     arguments, 1, &result, 1);
    if (tally_rt_live_allocations(context) != 0)
      return false;
    if (bad >= 0)
      return status == TALLY_RT_CHECK_FAILED && !result &&
             isRight(*tally_rt_last_error(context), bad / columns,
                     bad % columns);
    if (status != TALLY_RT_OK)
      return false;
    auto *sum = static_cast<float *>(result->dl_tensor.data);
    bool right = true;
    for (int64_t i = 0; i < rows * columns; ++i)
      right &= sum[i] == 3.f;
    result->deleter(result);
    return right;
  }

private:
  static bool isRight(const tally_rt_error &error, int64_t i, int64_t j) {
    return std::string(error.expression) == "v < 100" &&
           error.num_values == 3 && error.values[0].float_value == 200 &&
           error.values[1].value == i && error.values[2].value == j;
  }

  const tally_rt_library &library;
  tally_rt_context *context;
};

/// Calls from eight threads, of every hundred calls one that succeeds.
void hammer(const tally_rt_library &library, int64_t failingCalls, int64_t rows,
            int64_t columns) {
  constexpr int numThreads = 8;
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < numThreads; ++t)
    threads.emplace_back([&, t] {
      Caller caller(library);
      for (int64_t i = 0; i < failingCalls / numThreads; ++i) {
        int64_t bad = (i * 7 + t) % (rows * columns);
        wrong += !caller.call(rows, columns, bad);
        if (i % 100 == 0)
          wrong += !caller.call(rows, columns, -1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(live, 0);
}

TEST(JitTest, failingCallsInSerialLoops) {
  auto program = compile(/*work=*/32768);
  ASSERT_TRUE(program);
  hammer(program->getLibrary(), 90000, 3, 5);
}

TEST(JitTest, failingCallsInParallelLoops) {
  // Every row is worth a chunk.
  auto program = compile(/*work=*/1);
  ASSERT_TRUE(program);
  hammer(program->getLibrary(), 10000, 16, 3);
}

} // namespace
