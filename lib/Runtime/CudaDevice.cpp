//===- CudaDevice.cpp - What the runtime keeps for a GPU ------------------===//

#include "CudaDevice.h"
#include "CudaDnn.h"
#include "CudaFFT.h"
#include "CudaMatmul.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace tally::runtime;

/// The shared memory that every launch may use without asking for more.
static constexpr int64_t kDefaultSharedLimit = 48 * 1024;

/// So much memory is kept for later at most, and a 16th of what there is.
static constexpr size_t kMostKept = size_t(1) << 30;

/// The GPUs that are in use; they stay until the process ends, when the driver
/// may be gone before them.
namespace {
struct Registry {
  std::mutex mutex;
  std::vector<CudaDevice *> devices;
};
} // namespace

static Registry &getRegistry() {
  static auto *registry = new Registry();
  return *registry;
}

CudaDevice *CudaDevice::get(int ordinal, std::string &why) {
  const CudaDriver *driver = CudaDriver::get(why);
  if (!driver)
    return nullptr;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (CudaDevice *device : registry.devices)
    if (device->ordinal == ordinal)
      return device;
  std::unique_ptr<CudaDevice> device(new CudaDevice(*driver, ordinal));
  if (!device->initialize(why))
    return nullptr;
  registry.devices.push_back(device.get());
  return device.release();
}

CudaDevice::CudaDevice(const CudaDriver &driver, int ordinal)
    : driver(driver), ordinal(ordinal) {}

CudaDevice::~CudaDevice() {
  // Only one that could not be initialized gets here.
  if (pool)
    driver.poolDestroy(pool);
  if (context)
    driver.primaryCtxRelease(device);
}

bool CudaDevice::initialize(std::string &why) {
  int count = 0;
  if (cuda::Result result = driver.deviceGetCount(&count)) {
    why = "cannot count the GPUs: " + driver.describe(result);
    return false;
  }
  if (ordinal < 0 || ordinal >= count) {
    why = "there is no GPU " + std::to_string(ordinal) + ": there are " +
          std::to_string(count);
    return false;
  }
  int major = 0, minor = 0;
  size_t bytes = 0;
  cuda::Result result = driver.deviceGet(&device, ordinal);
  if (!result)
    result = driver.deviceGetAttribute(&major, cuda::kComputeCapabilityMajor,
                                       device);
  if (!result)
    result = driver.deviceGetAttribute(&minor, cuda::kComputeCapabilityMinor,
                                       device);
  if (!result)
    result = driver.deviceTotalMem(&bytes, device);
  if (!result)
    result = driver.primaryCtxRetain(&context, device);
  if (result) {
    context = nullptr;
    why = "cannot use GPU " + std::to_string(ordinal) + ": " +
          driver.describe(result);
    return false;
  }
  // From Hopper on, what a chip alone can do has a name with an `a`.
  chip = "sm_" + std::to_string(major) + std::to_string(minor) +
         (major >= 9 ? "a" : "");
  matmul = std::make_unique<CudaMatmul>();
  dnn = std::make_unique<CudaDnn>();
  fft = std::make_unique<CudaFFT>();
  kept = std::make_unique<CudaBlocks>(std::min(kMostKept, bytes / 16));
  return createPool(why);
}

bool CudaDevice::createPool(std::string &why) {
  cuda::PoolProperties properties = {};
  properties.allocationType = cuda::kAllocationTypePinned;
  properties.locationType = cuda::kLocationTypeDevice;
  properties.locationId = device;
  cuda::Result result = driver.poolCreate(&pool, &properties);
  if (result)
    pool = nullptr;
  // Memory that was released stays here for the next call.
  uint64_t threshold = UINT64_MAX;
  if (!result)
    result =
        driver.poolSetAttribute(pool, cuda::kPoolReleaseThreshold, &threshold);
  if (result)
    why = "cannot make a pool of memory on GPU " + std::to_string(ordinal) +
          ": " + driver.describe(result);
  return !result;
}

cuda::Result CudaDevice::describe(tally_rt_gpu_info &info) const {
  info = {};
  std::strncpy(info.chip, chip.c_str(), sizeof(info.chip) - 1);
  size_t bytes = 0;
  cuda::Result result =
      driver.deviceGetName(info.name, sizeof(info.name) - 1, device);
  if (!result)
    result = driver.deviceGetAttribute(&info.multiprocessors,
                                       cuda::kMultiprocessorCount, device);
  if (!result)
    result = driver.deviceTotalMem(&bytes, device);
  info.memory_bytes = static_cast<int64_t>(bytes);
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CudaStreamMark CudaDevice::mark(cuda::Stream stream) const {
  CudaStreamMark mark{stream, 0};
  if (!driver.streamGetId || !driver.streamIsCapturing)
    return mark;
  int isCaptured = 0;
  unsigned long long number = 0;
  if (driver.streamIsCapturing(stream, &isCaptured) == cuda::kSuccess &&
      !isCaptured && driver.streamGetId(stream, &number) == cuda::kSuccess)
    mark.number = number + 1;
  return mark;
}

cuda::Result CudaDevice::allocate(cuda::Pointer &pointer, size_t bytes,
                                  const CudaStreamMark &mark) {
  pointer = kept->take(bytes, mark);
  if (pointer)
    return cuda::kSuccess;
  bytes = CudaBlocks::roundUp(bytes, mark);
  cuda::Result result;
  do
    result = driver.memAlloc(&pointer, bytes, pool, mark.stream);
  while (result == cuda::kOutOfMemory && releaseOldest(mark));
  if (result)
    pointer = 0;
  return result;
}

void CudaDevice::free(const CudaBlock &block, const CudaStreamMark &mark) {
  if (kept->mayKeep(block, mark))
    do
      if (kept->keep(block, mark))
        return;
    while (releaseOldest(mark));
  release(block.pointer, mark.stream);
}

/// Gives a block that is kept back to the driver; false if there is none. The
/// stream of the caller exists; another one may be gone, and is waited for.
bool CudaDevice::releaseOldest(const CudaStreamMark &current) {
  auto oldest = kept->takeOldest();
  if (!oldest)
    return false;
  const auto &[block, mark] = *oldest;
  if (mark.number == current.number) {
    release(block.pointer, current.stream);
    return true;
  }
  driver.ctxSynchronize();
  driver.memFreeNow(block.pointer);
  return true;
}

void CudaDevice::trim() {
  CurrentContext current(driver, context);
  while (releaseOldest({}))
    continue;
}

void CudaDevice::release(cuda::Pointer pointer, cuda::Stream stream) const {
  if (driver.memFree(pointer, stream) != cuda::kSuccess)
    driver.memFreeNow(pointer);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

cuda::Module CudaDevice::loadModule(const tally_rt_gpu_module &module,
                                    const tally_rt_library *owner,
                                    std::string &why) {
  auto known = modules.find(&module);
  if (known != modules.end())
    return known->second.handle;
  // The driver's compiler writes here what it has against PTX.
  char log[2048] = {};
  int options[] = {cuda::kJitErrorLog, cuda::kJitErrorLogSize};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  cuda::Module handle = nullptr;
  cuda::Result result =
      driver.moduleLoad(&handle, module.image, 2, options, values);
  if (result) {
    why = "cannot load kernels that were compiled for " +
          std::string(module.chip) + " on GPU " + std::to_string(ordinal) +
          ", which is " + chip + ": " + driver.describe(result) +
          (log[0] ? std::string(": ") + log : "");
    return nullptr;
  }
  modules.emplace(&module, LoadedModule{handle, owner});
  return handle;
}

CudaFunction *CudaDevice::getFunction(const tally_rt_kernel &kernel,
                                      const tally_rt_library *owner,
                                      std::string &why) {
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto known = functions.find(&kernel);
    if (known != functions.end())
      return known->second.get();
  }
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto known = functions.find(&kernel);
  if (known != functions.end())
    return known->second.get();
  cuda::Module module = loadModule(*kernel.module, owner, why);
  if (!module)
    return nullptr;
  cuda::Function handle = nullptr;
  if (cuda::Result result =
          driver.moduleGetFunction(&handle, module, kernel.name)) {
    why = std::string("cannot find kernel '") + kernel.name +
          "': " + driver.describe(result);
    return nullptr;
  }
  std::unique_ptr<CudaFunction> function(
      new CudaFunction{handle, owner, {kDefaultSharedLimit}});
  return functions.emplace(&kernel, std::move(function)).first->second.get();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

cuda::Pointer CudaDevice::getConstant(const void *host, size_t bytes,
                                      const tally_rt_library *owner,
                                      cuda::Stream stream, bool &uploaded,
                                      std::string &why) {
  ConstantKey key = {host, bytes};
  {
    std::shared_lock<std::shared_mutex> lock(mutex);
    auto known = constants.find(key);
    if (known != constants.end())
      return known->second.pointer;
  }
  std::unique_lock<std::shared_mutex> lock(mutex);
  auto known = constants.find(key);
  if (known != constants.end())
    return known->second.pointer;
  cuda::Pointer pointer = 0;
  cuda::Result result =
      driver.memAlloc(&pointer, bytes ? bytes : 1, pool, stream);
  bool allocated = !result;
  if (!result && bytes)
    result = driver.copyToDevice(pointer, host, bytes, stream);
  // Other streams read it without being ordered after this one.
  if (!result)
    result = driver.streamSynchronize(stream);
  if (result) {
    why = "cannot copy a constant of " + std::to_string(bytes) +
          " bytes to GPU " + std::to_string(ordinal) + ": " +
          driver.describe(result);
    if (allocated)
      release(pointer, stream);
    return 0;
  }
  uploaded = true;
  constants.emplace(key, Constant{pointer, owner});
  return pointer;
}

//===----------------------------------------------------------------------===//
// The end of a library
//===----------------------------------------------------------------------===//

void CudaDevice::release(const tally_rt_library *owner) {
  CurrentContext current(driver, context);
  if (current.getResult() != cuda::kSuccess)
    return;
  std::unique_lock<std::shared_mutex> lock(mutex);
  // Nothing may still be running from it.
  driver.ctxSynchronize();
  for (auto it = functions.begin(); it != functions.end();)
    it = it->second->owner == owner ? functions.erase(it) : std::next(it);
  for (auto it = modules.begin(); it != modules.end();) {
    bool released = it->second.owner == owner;
    if (released)
      driver.moduleUnload(it->second.handle);
    it = released ? modules.erase(it) : std::next(it);
  }
  for (auto it = constants.begin(); it != constants.end();) {
    bool released = it->second.owner == owner;
    if (released)
      release(it->second.pointer, nullptr);
    it = released ? constants.erase(it) : std::next(it);
  }
}

void CudaDevice::releaseEverywhere(const tally_rt_library *owner) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  for (CudaDevice *device : registry.devices)
    device->release(owner);
}
