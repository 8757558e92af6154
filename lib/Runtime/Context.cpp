//===- Context.cpp - The call context of the runtime ----------------------===//
//
// Memory of a call, and the recording of its first error.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "CudaCall.h"
#include "Error.h"
#include "ParallelFor.h"
#include "ProgramState.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

using namespace tally::runtime;

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

tally_rt_context::tally_rt_context(const tally_rt_config &config)
    : pool(config.allocator ? nullptr : new BlockPool()),
      allocator(pool ? pool->asAllocator() : *config.allocator),
      parallelFor(config.parallel_for ? config.parallel_for
                                      : defaultParallelFor),
      parallelForUser(config.parallel_for_user) {
  resetError();
}

tally_rt_context::~tally_rt_context() {
  releaseAll();
  states.clear();
  if (pool)
    pool->close();
}

void tally_rt_context::resetError() {
  errorState.store(ErrorState::None, std::memory_order_release);
  errorValues.clear();
  view = {};
}

void tally_rt_context::fail(ErrorRecord record) noexcept {
  ErrorState expected = ErrorState::None;
  if (!errorState.compare_exchange_strong(expected, ErrorState::Recording))
    return;
  view = {};
  view.status = record.status;
  view.message = "out of memory while reporting an error";
  view.expression = view.user_message = view.required_by = view.declared_by =
      view.file = "";
  try {
    record.message = renderMessage(record);
    error = std::move(record);
    for (const NamedValue &value : error.values)
      errorValues.push_back({value.name.c_str(), value.source.c_str(),
                             value.kind, value.value, value.floatValue});
    view.message = error.message.c_str();
    view.expression = error.expression.c_str();
    view.user_message = error.userMessage.c_str();
    view.required_by = error.requiredBy.c_str();
    view.declared_by = error.declaredBy.c_str();
    view.file = error.file.c_str();
    view.line = error.line;
    view.column = error.column;
    view.num_values = static_cast<int32_t>(errorValues.size());
    view.values = errorValues.data();
  } catch (const std::bad_alloc &) {
    view.num_values = 0;
  }
  errorState.store(ErrorState::Recorded, std::memory_order_release);
}

CudaCall &tally_rt_context::getCuda() {
  if (!cuda)
    cuda = std::make_unique<CudaCall>(*this);
  return *cuda;
}

bool tally_rt_context::isOnGpu() const { return cuda && cuda->isRunning(); }

void *tally_rt_context::allocate(int64_t bytes, int64_t alignment) noexcept {
  if (bytes < 0) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    record.userMessage = "the size of a buffer does not fit in memory";
    fail(std::move(record));
    return nullptr;
  }
  if (!isOnGpu())
    return allocateOnHost(bytes, alignment);
  try {
    std::lock_guard<std::mutex> lock(mutex);
    return cuda->allocate(bytes);
  } catch (const std::bad_alloc &) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    fail(std::move(record));
    return nullptr;
  }
}

void *tally_rt_context::allocateOnHost(int64_t bytes,
                                       int64_t alignment) noexcept {
  ErrorRecord record;
  record.status = TALLY_RT_OUT_OF_MEMORY;
  Block block = {bytes ? static_cast<size_t>(bytes) : 1,
                 alignment > 0 ? static_cast<size_t>(alignment) : 1};
  void *pointer =
      allocator.allocate(allocator.user, block.bytes, block.alignment);
  try {
    if (pointer) {
      std::lock_guard<std::mutex> lock(mutex);
      live.emplace(pointer, block);
      ++counters.allocations;
      counters.bytes_allocated += bytes;
      return pointer;
    }
    record.userMessage =
        "out of memory: cannot allocate " + std::to_string(bytes) + " bytes";
  } catch (const std::bad_alloc &) {
    if (pointer)
      allocator.deallocate(allocator.user, pointer, block.bytes,
                           block.alignment);
  }
  fail(std::move(record));
  return nullptr;
}

bool tally_rt_context::takeOver(void *pointer, Block &block) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = live.find(pointer);
  if (it == live.end())
    return false;
  block = it->second;
  live.erase(it);
  return true;
}

void tally_rt_context::release(void *pointer) {
  if (isOnGpu()) {
    std::lock_guard<std::mutex> lock(mutex);
    if (cuda->release(pointer))
      return;
  }
  Block block;
  if (takeOver(pointer, block))
    allocator.deallocate(allocator.user, pointer, block.bytes, block.alignment);
}

void tally_rt_context::releaseAll() {
  std::lock_guard<std::mutex> lock(mutex);
  if (cuda)
    cuda->end();
  for (auto &[pointer, block] : live)
    allocator.deallocate(allocator.user, pointer, block.bytes, block.alignment);
  live.clear();
  if (pool)
    pool->endCall();
}

//===----------------------------------------------------------------------===//
// C interface
//===----------------------------------------------------------------------===//

uint32_t tally_rt_abi_version(void) { return TALLY_RT_ABI_VERSION; }

tally_rt_context *tally_rt_context_create(const tally_rt_config *config) {
  // Fields that an older caller does not know are left out, and so are those
  // that a newer one has beyond these.
  tally_rt_config known = TALLY_RT_CONFIG_INIT;
  if (config) {
    if (config->size < sizeof(config->size))
      return nullptr;
    std::memcpy(&known, config, std::min(config->size, sizeof known));
  }
  try {
    return new tally_rt_context(known);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void tally_rt_context_destroy(tally_rt_context *ctx) { delete ctx; }

void tally_rt_context_trim(tally_rt_context *ctx) {
  if (ctx->pool)
    ctx->pool->trim();
  if (ctx->cuda)
    ctx->cuda->trim();
}

const tally_rt_error *tally_rt_last_error(const tally_rt_context *ctx) {
  return ctx->failed() ? &ctx->view : nullptr;
}

int64_t tally_rt_live_allocations(const tally_rt_context *ctx) {
  std::lock_guard<std::mutex> lock(ctx->mutex);
  int64_t onGpu = ctx->cuda ? ctx->cuda->getNumLive() : 0;
  return static_cast<int64_t>(ctx->live.size()) + onGpu;
}

void *tally_rt_alloc(tally_rt_context *ctx, int64_t bytes, int64_t alignment) {
  return ctx->allocate(bytes, alignment);
}

void tally_rt_free(tally_rt_context *ctx, void *pointer) {
  ctx->release(pointer);
}
