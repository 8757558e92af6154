//===- CudaFailuresTest.cpp - Failures of the driver ----------------------===//
//
// A failure is injected into every call of the driver in turn, each time in a
// process of its own, as what was loaded stays loaded.
//
//===----------------------------------------------------------------------===//

#include "CudaScenario.h"

#include <algorithm>
#include <set>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace tally::cuda_test;

namespace {

/// Functions after whose failure the call still succeeds: there is another way,
/// or nobody to tell.
bool isTolerated(const std::string &name) {
  static const std::set<std::string> names = {
      "cuCtxGetCurrent", "cuCtxPopCurrent_v2", "cuMemFreeAsync"};
  // Without cuBLASLt there is the compiler's kernel.
  return names.count(name) ||
         (name.rfind("cublasLt", 0) == 0 && name != "cublasLtMatmul");
}

enum Injection { Good, Bad, NotReached };

/// Lets driver call `index` fail in a process where nothing is loaded.
Injection injectInto(int64_t index, std::string &function,
                     std::string &message) {
  loadFake();
  fake->failAt = index;
  bool good = true;
  {
    Scenario scenario;
    int32_t status = scenario.run();
    fake->failAt = 0;
    if (!fake->failed)
      return NotReached;
    function = fake->failed;
    message = scenario.message();
    std::string text = function == "cublasLtMatmul" ? "CUBLAS_STATUS_FAKE"
                                                    : "CUDA_ERROR_UNKNOWN";
    if (status == TALLY_RT_OK)
      good = isTolerated(function) && scenario.numWrong == 0;
    else
      good = status == TALLY_RT_DEVICE_ERROR &&
             scenario.message().find(text) != std::string::npos;
    good &= tally_rt_live_allocations(scenario.ctx) == 0;
    if (!good)
      std::fprintf(stderr, "status %d after %s: %s\n", status, function.c_str(),
                   scenario.message().c_str());
  }
  // What failed does not keep the next one from succeeding.
  {
    Scenario again;
    good &= again.run() == TALLY_RT_OK && again.numWrong == 0;
  }
  return good && isClean() ? Good : Bad;
}

/// Does it in a child process; returns the function that was made to fail, and
/// the error of the call.
Injection injectInChild(int64_t index, std::string &function,
                        std::string &message) {
  int ends[2];
  if (pipe(ends) != 0)
    return Bad;
  pid_t child = fork();
  if (child == 0) {
    Injection result = injectInto(index, function, message);
    std::string both = function + '\n' + message;
    ssize_t written = write(ends[1], both.data(), both.size());
    _exit(written < 0 ? static_cast<int>(Bad) : static_cast<int>(result));
  }
  close(ends[1]);
  char text[512] = {};
  ssize_t size = read(ends[0], text, sizeof(text) - 1);
  close(ends[0]);
  std::string both(text, size > 0 ? size : 0);
  size_t end = std::min(both.find('\n'), both.size());
  function = both.substr(0, end);
  message = both.substr(std::min(end + 1, both.size()));
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Injection>(WEXITSTATUS(status)) : Bad;
}

// Suites of this name run first, while nothing is loaded.
TEST(CudaFailureDeathTest, everyCallOfTheDriver) {
  std::set<std::string> failed;
  std::string messages;
  Injection result = Good;
  for (int64_t index = 1; result != NotReached && index < 1000; ++index) {
    std::string function, message;
    result = injectInChild(index, function, message);
    EXPECT_NE(result, Bad) << "call " << index << ", " << function;
    failed.insert(function);
    messages += message + '\n';
  }
  EXPECT_EQ(result, NotReached);
  for (const char *name :
       {"cuInit", "cuDevicePrimaryCtxRetain", "cuMemPoolCreate",
        "cuCtxPushCurrent_v2", "cuMemAllocFromPoolAsync", "cuMemHostAlloc",
        "cuMemcpyHtoDAsync_v2", "cuModuleLoadDataEx", "cuModuleGetFunction",
        "cuLaunchKernel", "cuFuncSetAttribute", "cublasLtMatmul",
        "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemFreeAsync"})
    EXPECT_TRUE(failed.count(name)) << name << " was never made to fail";
  for (const char *message :
       {"there is no usable NVIDIA GPU: ", "cannot count the GPUs: ",
        "cannot use GPU 0: ", "cannot make a pool of memory on GPU 0: ",
        "cannot describe the GPU: ", "cannot copy 24 bytes to the GPU: ",
        "cannot copy a constant of 16 bytes to GPU 0: ",
        "cannot allocate memory for failed checks: ",
        "cannot allocate memory of the host for copies: ",
        "cannot read failed checks from the GPU: ",
        "cannot read 4 bytes from the GPU: ",
        "cannot fill memory of the GPU with zeros: ",
        "cannot allocate 1024 bytes of workspace: ",
        "the GPU failed in a kernel or copy of this or an earlier call: ",
        "cannot multiply matrices (2 x 3 by 3 x 2): "})
    EXPECT_NE(messages.find(message), std::string::npos)
        << message << " is in none of\n"
        << messages;
}

/// Exits 0 if a product without cuBLASLt is done by the compiler's kernel.
int runWithoutCublas() {
  loadFake("/nowhere/libcublasLt.so");
  Scenario scenario;
  if (scenario.run() != TALLY_RT_OK)
    return 1;
  tally_rt_counters counters;
  tally_rt_get_counters(scenario.ctx, &counters);
  float corner = 0;
  std::memcpy(&corner, scenario.results[0]->dl_tensor.data, sizeof(corner));
  scenario.call();
  return counters.library_calls == 0 && corner >= 1000 ? 0 : 1;
}

TEST(CudaFailureDeathTest, withoutCublas) {
  EXPECT_EXIT(_exit(runWithoutCublas()), testing::ExitedWithCode(0),
              "^tally: warning: matrix products run slowly, without cuBLASLt: "
              "/nowhere/libcublasLt.so: [^\n]*\n$");
}

/// Does the same where a library of that name has other functions.
int runWithoutFunctions() {
  loadFake("libm.so.6");
  Scenario scenario;
  return scenario.run() == TALLY_RT_OK ? 0 : 1;
}

TEST(CudaFailureDeathTest, withoutFunctionsOfCublas) {
  EXPECT_EXIT(_exit(runWithoutFunctions()), testing::ExitedWithCode(0),
              "without cuBLASLt: libcublasLt has no cublasLtCreate\n$");
}

/// Prints the error where there is no driver.
int runWithoutDriver() {
  setenv("TALLY_LIBCUDA", "/nowhere/libcuda.so", 1);
  Scenario scenario;
  int32_t status = scenario.run();
  std::fprintf(stderr, "%s\n", scenario.message().c_str());
  return status == TALLY_RT_DEVICE_ERROR ? 0 : 1;
}

TEST(CudaFailureDeathTest, withoutDriver) {
  EXPECT_EXIT(_exit(runWithoutDriver()), testing::ExitedWithCode(0),
              "^there is no NVIDIA driver: /nowhere/libcuda.so: cannot open "
              "shared object file");
}

} // namespace
