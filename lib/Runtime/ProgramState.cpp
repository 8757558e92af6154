//===- ProgramState.cpp - Reading and writing the state of a program ------===//

#include "ProgramState.h"
#include "DataFile.h"
#include "Error.h"
#include "Invoke.h"
#include "Strided.h"

#include <cstring>

using namespace tally::runtime;

static tally_rt_status failInvalid(tally_rt_context &ctx, std::string message) {
  ErrorRecord record;
  record.status = TALLY_RT_INVALID_ARGUMENT;
  record.userMessage = std::move(message);
  ctx.fail(std::move(record));
  return TALLY_RT_INVALID_ARGUMENT;
}

/// Does something with one tensor of the state of an entry point, as a call.
template <typename Body>
static int32_t serveState(const tally_rt_library *library,
                          const tally_rt_entry *entry, tally_rt_context *ctx,
                          int32_t index, Body body) {
  if (!library || !entry || !ctx)
    return TALLY_RT_INVALID_ARGUMENT;
  return serveCall(*library, *ctx, [&]() -> int32_t {
    if (index < 0 || index >= entry->num_states)
      return failInvalid(*ctx, std::string(entry->name) + " has no state " +
                                   std::to_string(index) + ": there are " +
                                   std::to_string(entry->num_states));
    if (!mapConstants(*library, *ctx))
      return TALLY_RT_DATA_ERROR;
    // The arguments of a call do not matter: where the state is, it stays.
    tally_rt_entry withoutArguments = *entry;
    withoutArguments.num_arguments = 0;
    std::unique_ptr<CallMemory> memory =
        makeCallMemory(*library, withoutArguments, *ctx, nullptr);
    ProgramState *state = nullptr;
    if (!findState(*library, *entry, *ctx, *memory, state) || !memory->begin())
      return ctx->view.status;
    return body(*memory, state->get(index)) ? TALLY_RT_OK : ctx->view.status;
  });
}

/// Copies a compact tensor to one of its own.
static DLManagedTensor *copyTensor(tally_rt_context &ctx, CallMemory &memory,
                                   const DLTensor &source) {
  Managed *managed = makeManaged(ctx, source.dtype, source.ndim);
  if (!managed)
    return nullptr;
  DLTensor &tensor = managed->tensor.dl_tensor;
  std::memcpy(tensor.shape, source.shape, source.ndim * sizeof(int64_t));
  setCompactStrides(tensor);
  int64_t bytes = 0;
  sizeInBytes(source, bytes);
  void *copy = memory.allocate(bytes);
  if (!copy || !memory.copyFromStrided(copy, source)) {
    discard(managed);
    return nullptr;
  }
  managed->buffer = tensor.data = copy;
  memory.takeOver(*managed);
  return &managed->tensor;
}

int32_t tally_rt_get_state(const tally_rt_library *library,
                           const tally_rt_entry *entry, tally_rt_context *ctx,
                           int32_t index, DLManagedTensor **value) {
  *value = nullptr;
  return serveState(library, entry, ctx, index,
                    [&](CallMemory &memory, const DLTensor &tensor) {
                      *value = copyTensor(*ctx, memory, tensor);
                      return *value != nullptr;
                    });
}

/// Returns what is wrong with a value for a state; empty if nothing is.
static std::string checkValue(const CallMemory &memory, const DLTensor &value,
                              const DLTensor &tensor) {
  std::string misplaced = memory.checkPlace(value);
  if (!misplaced.empty())
    return misplaced;
  if (!sameType(value.dtype, tensor.dtype))
    return "has data type " + printType(value.dtype) + ", expected " +
           printType(tensor.dtype);
  if (value.ndim != tensor.ndim)
    return "has rank " + std::to_string(value.ndim) + ", expected " +
           std::to_string(tensor.ndim);
  int64_t bytes = 0;
  sizeInBytes(tensor, bytes);
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (value.shape[d] != tensor.shape[d])
      return "has size " + std::to_string(value.shape[d]) + " in dimension " +
             std::to_string(d) + ", expected " +
             std::to_string(tensor.shape[d]);
  return bytes > 0 && !value.data ? "has no data" : "";
}

int32_t tally_rt_set_state(const tally_rt_library *library,
                           const tally_rt_entry *entry, tally_rt_context *ctx,
                           int32_t index, const DLTensor *value) {
  if (!value)
    return TALLY_RT_INVALID_ARGUMENT;
  return serveState(
      library, entry, ctx, index, [&](CallMemory &memory, DLTensor &tensor) {
        std::string wrong = checkValue(memory, *value, tensor);
        if (wrong.empty())
          return memory.copyFromStrided(dataOf(tensor), *value);
        failInvalid(*ctx,
                    std::string(entry->name) + ": the value for state " +
                        std::to_string(index) + " ('" +
                        entry->arguments[entry->num_arguments + index].name +
                        "') " + wrong);
        return false;
      });
}

int32_t tally_rt_reset_state(tally_rt_context *ctx) {
  if (ctx->busy.exchange(true, std::memory_order_acquire))
    return TALLY_RT_BUSY;
  ctx->states.clear();
  ctx->busy.store(false, std::memory_order_release);
  return TALLY_RT_OK;
}

int32_t tally_rt_find_state(const tally_rt_entry *entry, const char *name) {
  for (int32_t i = 0; i < entry->num_states; ++i)
    if (std::strcmp(entry->arguments[entry->num_arguments + i].name, name) == 0)
      return i;
  return -1;
}
