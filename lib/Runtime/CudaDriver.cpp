//===- CudaDriver.cpp - The driver of NVIDIA GPUs -------------------------===//

#include "CudaDriver.h"
#include "DynamicLibrary.h"

#include <atomic>
#include <mutex>

using namespace tally::runtime;

/// Fills in the table. Returns false after saying what is missing.
static bool resolve(CudaDriver &driver, const DynamicLibrary &library,
                    std::string &why) {
#define TALLY_CUDA_RESOLVE(member, symbol, type)                               \
  if (!library.find(driver.member, #symbol, why))                              \
    return false;
  TALLY_CUDA_FUNCTIONS(TALLY_CUDA_RESOLVE)
#undef TALLY_CUDA_RESOLVE
  std::string ignored;
#define TALLY_CUDA_RESOLVE(member, symbol, type)                               \
  if (!library.find(driver.member, #symbol, ignored))                          \
    driver.member = nullptr;
  TALLY_CUDA_NEWER_FUNCTIONS(TALLY_CUDA_RESOLVE)
#undef TALLY_CUDA_RESOLVE
  return true;
}

const CudaDriver *CudaDriver::get(std::string &why) {
  // Set once and kept until the process ends, as the driver is.
  static std::atomic<const CudaDriver *> ready{nullptr};
  static std::mutex mutex;
  static DynamicLibrary library("the NVIDIA driver is too old: it");
  static bool isOpen = false;
  static CudaDriver driver;
  if (const CudaDriver *known = ready.load(std::memory_order_acquire))
    return known;
  std::lock_guard<std::mutex> lock(mutex);
  if (const CudaDriver *known = ready.load(std::memory_order_acquire))
    return known;
  if (!isOpen)
    isOpen = library.open("TALLY_LIBCUDA", {"libcuda.so.1"}, why);
  if (!isOpen) {
    why = "there is no NVIDIA driver: " + why;
    return nullptr;
  }
  if (!resolve(driver, library, why))
    return nullptr;
  if (cuda::Result result = driver.init(0)) {
    why = "there is no usable NVIDIA GPU: " + driver.describe(result);
    return nullptr;
  }
  ready.store(&driver, std::memory_order_release);
  return &driver;
}

std::string CudaDriver::describe(cuda::Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != cuda::kSuccess || !name)
    return "CUDA error " + std::to_string(result);
  if (getErrorString(result, &text) != cuda::kSuccess || !text)
    return name;
  return std::string(name) + ": " + text;
}

CurrentContext::CurrentContext(const CudaDriver &driver, cuda::Context context)
    : driver(driver) {
  cuda::Context current = nullptr;
  result = driver.ctxGetCurrent(&current);
  if (result == cuda::kSuccess && current == context)
    return;
  result = driver.ctxPush(context);
  pushed = result == cuda::kSuccess;
}

CurrentContext::~CurrentContext() {
  cuda::Context popped = nullptr;
  // There is no one left to tell of a failure; a second try costs nothing.
  if (pushed && driver.ctxPop(&popped) != cuda::kSuccess)
    driver.ctxPop(&popped);
}
