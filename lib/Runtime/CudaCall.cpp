//===- CudaCall.cpp - A call on a GPU -------------------------------------===//

#include "CudaCall.h"
#include "Context.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

using namespace tally::runtime;

/// A page of the host that copies from the GPU go through.
struct CudaCall::Page {
  tally_rt_device_error errors;
  char staging[4096 - sizeof(tally_rt_device_error)];
};

static cuda::Pointer toPointer(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

static void *fromPointer(cuda::Pointer pointer) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(pointer));
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

bool CudaCall::fail(std::string message) {
  ErrorRecord record;
  record.status = TALLY_RT_DEVICE_ERROR;
  record.userMessage = std::move(message);
  ctx.fail(std::move(record));
  return false;
}

bool CudaCall::fail(cuda::Result result, const std::string &doing) {
  return fail("cannot " + doing + ": " + device->getDriver().describe(result));
}

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

CudaCall::~CudaCall() {
  end();
  releaseKept();
}

void CudaCall::releaseKept() {
  if (!page && !errors)
    return;
  CurrentContext holder(device->getDriver(), device->getContext());
  // The caller's stream may be gone. Nothing on it uses what is kept.
  stream = nullptr;
  mark = {};
  releaseErrors();
  if (page)
    device->getDriver().hostFree(page);
  page = nullptr;
}

bool CudaCall::begin(int ordinal, const tally_rt_library *runs) {
  if (deferred && (device->getOrdinal() != ordinal || stream != ctx.stream) &&
      !finishChecks())
    return false;
  if (!device || device->getOrdinal() != ordinal) {
    std::string why;
    CudaDevice *found = CudaDevice::get(ordinal, why);
    if (!found)
      return fail(std::move(why));
    releaseKept();
    device = found;
  }
  library = runs;
  stream = static_cast<cuda::Stream>(ctx.stream);
  current.emplace(device->getDriver(), device->getContext());
  cuda::Result result = current->getResult();
  if (!result) {
    mark = device->mark(stream);
    return true;
  }
  current.reset();
  return fail(result, "use GPU " + std::to_string(ordinal));
}

void CudaCall::end() {
  if (!current)
    return;
  for (const Block &block : blocks)
    device->free(block, mark);
  blocks.clear();
  releaseSpare();
  releaseWorkspace();
  // A call that failed before it looked, or never did: its kernels must not
  // write into the next call. One that has succeeded and has looked launched
  // nothing behind that which can fail.
  bool mayWrite = unchecked && ctx.view.status != TALLY_RT_OK;
  if (armed && !deferred && (mayWrite || !isErrorsClear))
    releaseErrors();
  armed = unchecked = false;
  current.reset();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A block that is larger goes back to the pool at once, where one of any other
/// size can be made of it.
static constexpr size_t kMostSpareBytes = 1 << 20;
static constexpr size_t kMostSpare = 32;

cuda::Pointer CudaCall::takeSpare(size_t bytes) {
  auto it = std::find_if(spare.rbegin(), spare.rend(), [&](const Block &block) {
    return block.bytes == bytes;
  });
  if (it == spare.rend())
    return 0;
  cuda::Pointer pointer = it->pointer;
  *it = spare.back();
  spare.pop_back();
  return pointer;
}

bool CudaCall::keepSpare(Block block) {
  if (block.bytes > kMostSpareBytes || spare.size() == kMostSpare)
    return false;
  spare.push_back(block);
  return true;
}

void CudaCall::releaseSpare() {
  for (const Block &block : spare)
    device->free(block, mark);
  spare.clear();
}

void *CudaCall::allocate(int64_t bytes) {
  size_t wanted = bytes ? static_cast<size_t>(bytes) : 1;
  blocks.reserve(blocks.size() + 1);
  spare.reserve(kMostSpare);
  cuda::Result result = cuda::kSuccess;
  cuda::Pointer pointer = takeSpare(wanted);
  auto allocateNew = [&] { result = device->allocate(pointer, wanted, mark); };
  if (!pointer)
    allocateNew();
  if (result == cuda::kOutOfMemory && !spare.empty()) {
    releaseSpare();
    allocateNew();
  }
  if (result == cuda::kSuccess) {
    blocks.push_back({pointer, wanted});
    ++ctx.counters.allocations;
    ctx.counters.bytes_allocated += bytes;
    return fromPointer(pointer);
  }
  std::string doing = "allocate " + std::to_string(bytes) + " bytes on GPU " +
                      std::to_string(device->getOrdinal());
  if (result != cuda::kOutOfMemory) {
    fail(result, doing);
    return nullptr;
  }
  ErrorRecord record;
  record.status = TALLY_RT_OUT_OF_MEMORY;
  record.userMessage = "out of memory: cannot " + doing + ": " +
                       device->getDriver().describe(result);
  ctx.fail(std::move(record));
  return nullptr;
}

bool CudaCall::remove(void *pointer, Block &block) {
  auto it =
      std::find_if(blocks.rbegin(), blocks.rend(), [&](const Block &known) {
        return known.pointer == toPointer(pointer);
      });
  if (it == blocks.rend())
    return false;
  block = *it;
  *it = blocks.back();
  blocks.pop_back();
  return true;
}

bool CudaCall::takeOver(void *pointer, size_t &bytes) {
  Block block;
  if (!remove(pointer, block))
    return false;
  bytes = block.bytes;
  return true;
}

bool CudaCall::release(void *pointer) {
  Block block;
  if (!remove(pointer, block))
    return false;
  if (!keepSpare(block))
    device->free(block, mark);
  return true;
}

void CudaCall::releaseWorkspace() {
  if (workspace)
    device->free({workspace, workspaceBytes}, mark);
  workspace = 0;
  workspaceBytes = 0;
}

bool CudaCall::getWorkspace(size_t bytes, void *&pointer) {
  if (bytes > workspaceBytes) {
    releaseWorkspace();
    if (cuda::Result result = device->allocate(workspace, bytes, mark))
      return fail(result,
                  "allocate " + std::to_string(bytes) + " bytes of workspace");
    workspaceBytes = bytes;
    ++ctx.counters.allocations;
    ctx.counters.bytes_allocated += static_cast<int64_t>(bytes);
  }
  pointer = bytes ? fromPointer(workspace) : nullptr;
  return true;
}

void *CudaCall::getConstant(const void *host, int64_t bytes) {
  bool uploaded = false;
  std::string why;
  cuda::Pointer pointer = device->getConstant(host, static_cast<size_t>(bytes),
                                              library, stream, uploaded, why);
  if (uploaded) {
    ++ctx.counters.uploads;
    ++ctx.counters.host_waits;
  }
  if (!pointer)
    fail(std::move(why));
  return fromPointer(pointer);
}

//===----------------------------------------------------------------------===//
// Work on the stream
//===----------------------------------------------------------------------===//

/// Returns whether CUDA can express a size of a launch at all.
static bool fitsLaunch(const int64_t size[3]) {
  return std::all_of(size, size + 3,
                     [](int64_t s) { return s >= 0 && s <= INT32_MAX; });
}

static std::string printSize(const int64_t size[3]) {
  return std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
         std::to_string(size[2]);
}

bool CudaCall::launch(const tally_rt_kernel &kernel, const int64_t grid[3],
                      const int64_t block[3], int64_t sharedBytes,
                      void *const *arguments) {
  int64_t before = ctx.counters.launches;
  bool ok = enqueue(kernel, grid, block, sharedBytes, arguments);
  unchecked |= armed && ctx.counters.launches != before;
  return ok;
}

bool CudaCall::enqueue(const tally_rt_kernel &kernel, const int64_t grid[3],
                       const int64_t block[3], int64_t sharedBytes,
                       void *const *arguments) {
  if (!fitsLaunch(grid) || !fitsLaunch(block) || sharedBytes < 0 ||
      sharedBytes > INT32_MAX)
    return fail(std::string("cannot launch kernel '") + kernel.name +
                "': a grid of " + printSize(grid) + " blocks of " +
                printSize(block) + " threads with " +
                std::to_string(sharedBytes) +
                " bytes of shared memory is out of range");
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return true;
  std::string why;
  CudaFunction *function = device->getFunction(kernel, library, why);
  if (!function)
    return fail(std::move(why));
  const CudaDriver &driver = device->getDriver();
  cuda::Result result = cuda::kSuccess;
  if (sharedBytes > function->sharedLimit.load(std::memory_order_relaxed)) {
    result = driver.funcSetAttribute(function->function,
                                     cuda::kFunctionMaxDynamicShared,
                                     static_cast<int>(sharedBytes));
    if (!result)
      function->sharedLimit.store(sharedBytes, std::memory_order_relaxed);
  }
  auto size = [](int64_t value) { return static_cast<unsigned>(value); };
  if (!result)
    result = driver.launchKernel(
        function->function, size(grid[0]), size(grid[1]), size(grid[2]),
        size(block[0]), size(block[1]), size(block[2]), size(sharedBytes),
        stream, const_cast<void **>(arguments), nullptr);
  if (result)
    return fail(result, std::string("launch kernel '") + kernel.name +
                            "' as a grid of " + printSize(grid) +
                            " blocks of " + printSize(block) +
                            " threads with " + std::to_string(sharedBytes) +
                            " bytes of shared memory");
  ++ctx.counters.launches;
  return true;
}

bool CudaCall::copy(void *target, const void *source, int64_t bytes) {
  if (bytes == 0)
    return true;
  if (cuda::Result result =
          device->getDriver().copyOnDevice(toPointer(target), toPointer(source),
                                           static_cast<size_t>(bytes), stream))
    return fail(result,
                "copy " + std::to_string(bytes) + " bytes within the GPU");
  return true;
}

bool CudaCall::copyFromHost(void *target, const void *source, int64_t bytes) {
  if (bytes == 0)
    return true;
  if (cuda::Result result = device->getDriver().copyToDevice(
          toPointer(target), source, static_cast<size_t>(bytes), stream))
    return fail(result, "copy " + std::to_string(bytes) + " bytes to the GPU");
  return true;
}

bool CudaCall::clearRows(void *target, int64_t pitch, int64_t bytes,
                         int64_t rows) {
  if (bytes == 0 || rows == 0)
    return true;
  if (cuda::Result result = device->getDriver().fillRows(
          toPointer(target), static_cast<size_t>(pitch), 0,
          static_cast<size_t>(bytes), static_cast<size_t>(rows), stream))
    return fail(result, "fill memory of the GPU with zeros");
  return true;
}

bool CudaCall::synchronize() {
  ++ctx.counters.host_waits;
  if (cuda::Result result = device->getDriver().streamSynchronize(stream))
    return fail("the GPU failed in a kernel or copy of this or an earlier "
                "call: " +
                device->getDriver().describe(result));
  return true;
}

bool CudaCall::readBack(const tally_rt_assert_table *describes,
                        const void *source, void *target, int64_t bytes) {
  if (bytes == 0)
    return !describes || check(describes);
  if (!makePage())
    return false;
  bool staged = bytes <= static_cast<int64_t>(sizeof(page->staging));
  void *landing = staged ? page->staging : target;
  if (cuda::Result result = device->getDriver().copyToHost(
          landing, toPointer(source), static_cast<size_t>(bytes), stream))
    return fail(result,
                "read " + std::to_string(bytes) + " bytes from the GPU");
  bool checks = describes && (unchecked || deferred);
  if ((checks && !fetchErrors()) || !synchronize())
    return false;
  if (checks && !failOfKernel(describes))
    return false;
  if (staged)
    std::memcpy(target, landing, bytes);
  return true;
}

bool CudaCall::makePage() {
  if (page)
    return true;
  void *memory = nullptr;
  if (cuda::Result result = device->getDriver().hostAlloc(&memory, sizeof(Page),
                                                          cuda::kHostPortable))
    return fail(result, "allocate memory of the host for copies");
  page = static_cast<Page *>(memory);
  return true;
}

//===----------------------------------------------------------------------===//
// Asserts in kernels
//===----------------------------------------------------------------------===//

// The record is in memory of the GPU. Kernels could write to the host as well,
// which saves the copy, but atomics there take a microsecond each: a kernel all
// of whose threads fail would run for seconds.
bool CudaCall::makeErrors() {
  if (errors)
    return true;
  cuda::Result result =
      device->allocate(errors, sizeof(tally_rt_device_error), mark);
  if (!result)
    return clearRows(fromPointer(errors), sizeof(tally_rt_device_error),
                     sizeof(tally_rt_device_error), 1);
  return fail(result, "allocate memory for failed checks");
}

void *CudaCall::getErrors(const tally_rt_assert_table *describes) {
  if (deferred && deferred != describes && !checkNow(deferred))
    return nullptr;
  armed = true;
  table = describes;
  return makePage() && makeErrors() ? fromPointer(errors) : nullptr;
}

bool CudaCall::fetchErrors() {
  if (cuda::Result result = device->getDriver().copyToHost(
          &page->errors, errors, sizeof(page->errors), stream))
    return fail(result, "read failed checks from the GPU");
  return true;
}

bool CudaCall::check(const tally_rt_assert_table *describes) {
  if (unchecked && ctx.mayDefer) {
    deferred = describes;
    isErrorsClear = false;
    return true;
  }
  return checkNow(describes);
}

bool CudaCall::finishChecks() {
  if (!deferred)
    return true;
  current.emplace(device->getDriver(), device->getContext());
  bool ok = checkNow(deferred);
  if (!isErrorsClear && !deferred)
    releaseErrors();
  unchecked = false;
  current.reset();
  return ok;
}

bool CudaCall::checkNow(const tally_rt_assert_table *describes) {
  if (!unchecked && !deferred)
    return true;
  return fetchErrors() && synchronize() && failOfKernel(describes);
}

bool CudaCall::failOfKernel(const tally_rt_assert_table *describes) {
  const tally_rt_device_error &error = page->errors;
  deferred = nullptr;
  if (error.state == 0) {
    isErrorsClear = true;
    unchecked = false;
    return true;
  }
  isErrorsClear = unchecked = false;
  if (!describes || error.state < 0 || error.state > INT32_MAX)
    return fail("a kernel recorded a failed check that does not exist");
  int64_t most = std::size(error.values);
  int64_t count = std::min(std::max<int64_t>(error.count, 0), most);
  tally_rt_fail(&ctx, describes, static_cast<int32_t>(error.state - 1),
                static_cast<int32_t>(count), error.values);
  return false;
}

void CudaCall::releaseErrors() {
  if (errors)
    device->free({errors, sizeof(tally_rt_device_error)}, mark);
  errors = 0;
  isErrorsClear = false;
}
