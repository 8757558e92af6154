//===- Invoke.cpp - Calling a compiled function ---------------------------===//
//
// The one entry wrapper of every compiled function, driven by the description
// of its entry point: checks the arguments, hands compact tensors to the
// compiled code as memref descriptors, and results to the caller.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Strided.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

using namespace tally::runtime;

namespace {

/// A memref descriptor without its sizes and strides, which follow it.
struct DescriptorHead {
  char *allocated;
  char *aligned;
  int64_t offset;
};

/// A result on its way to the caller: one block with sizes and strides behind.
struct Managed {
  DLManagedTensor tensor;
  tally_rt_allocator allocator;
  void *buffer;
  Block block;
};

/// One call of an entry point.
class Call {
public:
  Call(const tally_rt_entry &entry, tally_rt_context &ctx,
       DLTensor *const *arguments)
      : entry(entry), ctx(ctx), arguments(arguments) {}

  /// Runs the call. On success the results that are returned are in `results`.
  tally_rt_status run(DLManagedTensor **results);

private:
  bool checkArgument(int32_t index);
  bool checkSizes(int32_t index);
  bool packArgument(int32_t index);
  bool invalid(int32_t index, const std::string &what);
  bool makeResult(int32_t index, DLManagedTensor *&result);
  bool checkMutated(int32_t index, const DLTensor &result);

  /// Words that the descriptor or number of `value` takes.
  static size_t words(const tally_rt_value &value) {
    return value.is_scalar ? 1 : 3 + 2 * static_cast<size_t>(value.rank);
  }

  const tally_rt_entry &entry;
  tally_rt_context &ctx;
  DLTensor *const *arguments;
  std::vector<int64_t> storage;
  std::vector<void *> argumentSlots;
  std::vector<void *> resultSlots;
};

} // namespace

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static void failInvalid(tally_rt_context &ctx, std::string message) {
  ErrorRecord record;
  record.status = TALLY_RT_INVALID_ARGUMENT;
  record.userMessage = std::move(message);
  ctx.fail(std::move(record));
}

bool Call::invalid(int32_t index, const std::string &what) {
  failInvalid(ctx, std::string(entry.name) + ": argument " +
                       std::to_string(index) + " ('" +
                       entry.arguments[index].name + "') " + what);
  return false;
}

bool Call::checkArgument(int32_t index) {
  const DLTensor *tensor = arguments[index];
  const tally_rt_value &expected = entry.arguments[index];
  if (!tensor)
    return invalid(index, "is null");
  if (tensor->device.device_type != kDLCPU &&
      tensor->device.device_type != kDLCUDAHost)
    return invalid(index, "is not on the CPU (device type " +
                              std::to_string(tensor->device.device_type) + ")");
  if (!sameType(tensor->dtype, expected.dtype))
    return invalid(index, "has data type " + printType(tensor->dtype) +
                              ", expected " + printType(expected.dtype));
  if (tensor->ndim != expected.rank)
    return invalid(index, "has rank " + std::to_string(tensor->ndim) +
                              ", expected " + std::to_string(expected.rank));
  return checkSizes(index);
}

bool Call::checkSizes(int32_t index) {
  const DLTensor *tensor = arguments[index];
  const tally_rt_value &expected = entry.arguments[index];
  if (tensor->ndim > 0 && !tensor->shape)
    return invalid(index, "has no shape");
  for (int32_t d = 0; d < tensor->ndim; ++d) {
    if (tensor->shape[d] < 0)
      return invalid(index, "has a negative size");
    if (expected.sizes[d] < 0 || tensor->shape[d] == expected.sizes[d])
      continue;
    ErrorRecord record;
    record.status = TALLY_RT_CHECK_FAILED;
    NamedValue value;
    value.name =
        std::string(expected.name) + ".size(" + std::to_string(d) + ")";
    value.value = tensor->shape[d];
    value.floatValue = static_cast<double>(tensor->shape[d]);
    record.expression = value.name + " == " + std::to_string(expected.sizes[d]);
    record.declaredBy = expected.name;
    record.values.push_back(std::move(value));
    ctx.fail(std::move(record));
    return false;
  }
  int64_t bytes = 0;
  if (!sizeInBytes(*tensor, bytes))
    return invalid(index, "has more elements than fit in memory");
  if (bytes > 0 && !tensor->data)
    return invalid(index, "has no data");
  return true;
}

/// Writes the descriptor of a compact tensor at `data` to `slot`.
static void writeDescriptor(int64_t *slot, char *data, const DLTensor &tensor) {
  DescriptorHead head = {data, data, 0};
  std::memcpy(slot, &head, sizeof(head));
  int64_t *sizes = slot + 3, *strides = sizes + tensor.ndim;
  DLTensor compact = tensor;
  compact.strides = strides;
  setCompactStrides(compact);
  if (tensor.ndim > 0)
    std::memcpy(sizes, tensor.shape, tensor.ndim * sizeof(int64_t));
}

bool Call::packArgument(int32_t index) {
  const DLTensor &tensor = *arguments[index];
  auto *slot = static_cast<int64_t *>(argumentSlots[index]);
  char *data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  if (entry.arguments[index].is_scalar) {
    std::memcpy(slot, data, elementSize(tensor.dtype));
    if (tensor.dtype.code == kDLBool)
      *reinterpret_cast<char *>(slot) = *data != 0;
    return true;
  }
  if (!canPassInPlace(tensor)) {
    int64_t bytes = 0;
    sizeInBytes(tensor, bytes);
    char *copy = static_cast<char *>(ctx.allocate(bytes, 64));
    if (!copy)
      return false;
    copyFromStrided(copy, tensor);
    data = copy;
  }
  writeDescriptor(slot, data, tensor);
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static void deleteManaged(DLManagedTensor *self) {
  auto *managed = reinterpret_cast<Managed *>(self);
  managed->allocator.deallocate(managed->allocator.user, managed->buffer,
                                managed->block.bytes, managed->block.alignment);
  std::free(managed);
}

/// Makes an empty result for `value`, with room for its sizes and strides.
static Managed *makeManaged(const tally_rt_value &value,
                            const tally_rt_allocator &allocator) {
  size_t rank = static_cast<size_t>(value.rank);
  auto *managed = static_cast<Managed *>(
      std::calloc(1, sizeof(Managed) + 2 * rank * sizeof(int64_t)));
  if (!managed)
    return nullptr;
  managed->allocator = allocator;
  managed->tensor.manager_ctx = managed;
  managed->tensor.deleter = deleteManaged;
  DLTensor &tensor = managed->tensor.dl_tensor;
  tensor.device = {kDLCPU, 0};
  tensor.dtype = value.dtype;
  tensor.ndim = value.rank;
  tensor.shape = reinterpret_cast<int64_t *>(managed + 1);
  tensor.strides = tensor.shape + rank;
  return managed;
}

bool Call::makeResult(int32_t index, DLManagedTensor *&result) {
  const tally_rt_value &value = entry.results[index];
  auto *slot = static_cast<int64_t *>(resultSlots[index]);
  Managed *managed = makeManaged(value, ctx.allocator);
  if (!managed) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    record.userMessage = "out of memory: cannot describe a result";
    ctx.fail(std::move(record));
    return false;
  }
  DLTensor &tensor = managed->tensor.dl_tensor;
  DescriptorHead head = {nullptr, reinterpret_cast<char *>(slot), 0};
  if (!value.is_scalar) {
    std::memcpy(&head, slot, sizeof(head));
    std::memcpy(tensor.shape, slot + 3, 2 * tensor.ndim * sizeof(int64_t));
  }
  int64_t size = elementSize(value.dtype);
  tensor.data = head.aligned + head.offset * size;
  managed->buffer = head.allocated;
  bool owned = !value.is_scalar && isCompact(tensor) &&
               ctx.takeOver(head.allocated, managed->block);
  if (!owned) {
    int64_t bytes = 0;
    sizeInBytes(tensor, bytes);
    void *copy = ctx.allocate(bytes, 64);
    if (!copy) {
      std::free(managed);
      return false;
    }
    copyFromStrided(static_cast<char *>(copy), tensor);
    ctx.takeOver(copy, managed->block);
    managed->buffer = tensor.data = copy;
  }
  setCompactStrides(tensor);
  result = &managed->tensor;
  return true;
}

bool Call::checkMutated(int32_t index, const DLTensor &result) {
  int32_t argument = entry.results[index].mutates;
  const DLTensor &target = *arguments[argument];
  if (result.ndim == target.ndim && sameType(result.dtype, target.dtype) &&
      (result.ndim == 0 || std::memcmp(result.shape, target.shape,
                                       result.ndim * sizeof(int64_t)) == 0))
    return true;
  return invalid(argument, "cannot take back its new value of another shape");
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

tally_rt_status Call::run(DLManagedTensor **results) {
  for (int32_t i = 0; i < entry.num_arguments; ++i)
    if (!checkArgument(i))
      return ctx.view.status;

  size_t total = 0;
  for (int32_t i = 0; i < entry.num_arguments; ++i)
    total += words(entry.arguments[i]);
  for (int32_t i = 0; i < entry.num_results; ++i)
    total += words(entry.results[i]);
  storage.resize(total);
  int64_t *next = storage.data();
  for (int32_t i = 0; i < entry.num_arguments; ++i) {
    argumentSlots.push_back(next);
    next += words(entry.arguments[i]);
    if (!packArgument(i))
      return ctx.view.status;
  }
  for (int32_t i = 0; i < entry.num_results; ++i) {
    resultSlots.push_back(next);
    next += words(entry.results[i]);
  }

  int32_t status = entry.thunk(&ctx, argumentSlots.data(), resultSlots.data());
  if (status != TALLY_RT_OK) {
    // Compiled code records before it returns; a status alone says too little.
    if (!ctx.failed())
      failInvalid(ctx, "the compiled function failed without saying why");
    return ctx.view.status;
  }

  // Everything that can fail comes before the first write to an argument.
  std::vector<DLManagedTensor *> made(entry.num_results, nullptr);
  bool ok = true;
  for (int32_t i = 0; ok && i < entry.num_results; ++i)
    ok = makeResult(i, made[i]) &&
         (entry.results[i].mutates < 0 || checkMutated(i, made[i]->dl_tensor));
  for (int32_t i = 0; i < entry.num_results; ++i) {
    int32_t mutates = entry.results[i].mutates;
    if (ok && mutates < 0) {
      *results++ = made[i];
      continue;
    }
    if (ok)
      copyToStrided(*arguments[mutates], made[i]->dl_tensor);
    if (made[i])
      made[i]->deleter(made[i]);
  }
  return ok ? TALLY_RT_OK : ctx.view.status;
}

/// Refuses a call that has nothing to do with its entry point.
static bool checkCall(const tally_rt_library *library,
                      const tally_rt_entry *entry, tally_rt_context &ctx,
                      int32_t numArguments, int32_t numResults) {
  if (library->abi_version != TALLY_RT_ABI_VERSION) {
    failInvalid(ctx, "the library was compiled for version " +
                         std::to_string(library->abi_version) +
                         " of the runtime, this is version " +
                         std::to_string(TALLY_RT_ABI_VERSION));
    return false;
  }
  if (library->device_type != kDLCPU) {
    failInvalid(ctx, "the library is compiled for devices of type " +
                         std::to_string(library->device_type) +
                         ", which this runtime does not know");
    return false;
  }
  if (numArguments != entry->num_arguments) {
    failInvalid(ctx, std::string(entry->name) + " takes " +
                         std::to_string(entry->num_arguments) + " arguments, " +
                         std::to_string(numArguments) + " given");
    return false;
  }
  int32_t returned = tally_rt_num_returned(entry);
  if (numResults != returned) {
    failInvalid(ctx, std::string(entry->name) + " returns " +
                         std::to_string(returned) + " results, room for " +
                         std::to_string(numResults) + " given");
    return false;
  }
  return true;
}

int32_t tally_rt_invoke(const tally_rt_library *library,
                        const tally_rt_entry *entry, tally_rt_context *ctx,
                        DLTensor *const *arguments, int32_t numArguments,
                        DLManagedTensor **results, int32_t numResults) {
  for (int32_t i = 0; i < numResults; ++i)
    results[i] = nullptr;
  if (!library || !entry || !ctx)
    return TALLY_RT_INVALID_ARGUMENT;
  if (ctx->busy.exchange(true, std::memory_order_acquire))
    return TALLY_RT_BUSY;
  ctx->resetError();
  int32_t status = TALLY_RT_INVALID_ARGUMENT;
  try {
    if (checkCall(library, entry, *ctx, numArguments, numResults))
      status = Call(*entry, *ctx, arguments).run(results);
  } catch (const std::bad_alloc &) {
    ErrorRecord record;
    record.status = TALLY_RT_OUT_OF_MEMORY;
    record.userMessage.clear();
    ctx->fail(std::move(record));
    status = TALLY_RT_OUT_OF_MEMORY;
  }
  ctx->releaseAll();
  ctx->busy.store(false, std::memory_order_release);
  return status;
}

const tally_rt_entry *tally_rt_find_entry(const tally_rt_library *library,
                                          const char *name) {
  for (int32_t i = 0; i < library->num_entries; ++i)
    if (std::strcmp(library->entries[i].name, name) == 0)
      return &library->entries[i];
  return nullptr;
}

int32_t tally_rt_num_returned(const tally_rt_entry *entry) {
  int32_t count = 0;
  for (int32_t i = 0; i < entry->num_results; ++i)
    count += entry->results[i].mutates < 0;
  return count;
}
