//===- ProgramState.h - What a program keeps between calls ------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_PROGRAMSTATE_H
#define TALLY_LIB_RUNTIME_PROGRAMSTATE_H

#include "CallMemory.h"

#include <memory>
#include <new>
#include <utility>

namespace tally::runtime {

/// The tensors that a context keeps for the entry points with one initial
/// state.
class ProgramState {
public:
  explicit ProgramState(int32_t count) : tensors(count, nullptr) {}
  ProgramState(const ProgramState &) = delete;
  ProgramState &operator=(const ProgramState &) = delete;
  ~ProgramState() {
    for (DLManagedTensor *tensor : tensors)
      if (tensor)
        tensor->deleter(tensor);
  }

  DLManagedTensor **getTensors() { return tensors.data(); }
  DLTensor &get(int32_t index) { return tensors[index]->dl_tensor; }

  /// The arguments of a call: those of the caller, and the state.
  DLTensor *const *append(DLTensor *const *given, int32_t count) {
    arguments.assign(given, given + count);
    for (DLManagedTensor *tensor : tensors)
      arguments.push_back(&tensor->dl_tensor);
    return arguments.data();
  }

  /// Puts a new value in place of the old one, which `value` then is.
  void replace(int32_t index, DLManagedTensor *&value) {
    std::swap(tensors[index], value);
  }

private:
  std::vector<DLManagedTensor *> tensors;
  std::vector<DLTensor *> arguments;
};

/// The memory of a call with these arguments, where the library runs.
std::unique_ptr<CallMemory> makeCallMemory(const tally_rt_library &library,
                                           const tally_rt_entry &entry,
                                           tally_rt_context &ctx,
                                           DLTensor *const *arguments);

/// Finds what the context keeps for an entry point, and calls what returns the
/// first values if that is nothing; null where the entry point has no state.
/// Returns false after recording an error.
bool findState(const tally_rt_library &library, const tally_rt_entry &entry,
               tally_rt_context &ctx, CallMemory &memory, ProgramState *&state);

/// Does something in a context as one call. What `body` throws because there is
/// no memory is the error of the call.
template <typename Body>
int32_t serveCall(const tally_rt_library &library, tally_rt_context &ctx,
                  Body body) {
  if (ctx.busy.exchange(true, std::memory_order_acquire))
    return TALLY_RT_BUSY;
  ctx.resetError();
  ctx.library = &library;
  int32_t status = TALLY_RT_OUT_OF_MEMORY;
  try {
    status = body();
  } catch (const std::bad_alloc &) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    ctx.fail(std::move(record));
  }
  ctx.releaseAll();
  ctx.busy.store(false, std::memory_order_release);
  return status;
}

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PROGRAMSTATE_H
