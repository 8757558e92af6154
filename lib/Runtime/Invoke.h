//===- Invoke.h - Calls of a compiled program in a context ------*- C++ -*-===//
//
// What calls of entry points share with reading and writing their state.
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_INVOKE_H
#define TALLY_LIB_RUNTIME_INVOKE_H

#include "CallMemory.h"
#include "ProgramState.h"

#include <memory>
#include <new>
#include <utility>

namespace tally::runtime {

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

#endif // TALLY_LIB_RUNTIME_INVOKE_H
