//===- Invoke.cpp - Calling a compiled function ---------------------------===//
//
// The one entry wrapper of every compiled function, driven by the description
// of its entry point: checks the arguments, hands compact tensors to the
// compiled code as memref descriptors, and results to the caller.
//
//===----------------------------------------------------------------------===//

#include "Invoke.h"
#include "Context.h"
#include "CudaDevice.h"
#include "DataFile.h"
#include "PackedWeights.h"
#include "Strided.h"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace tally::runtime;

static bool isComplex(DLDataType type) { return type.code == kDLComplex; }

namespace {

/// A memref descriptor without its sizes and strides, which follow it.
struct DescriptorHead {
  char *allocated;
  char *aligned;
  int64_t offset;
};

/// One call of an entry point.
class Call {
public:
  /// `memory` is where the program runs. `arguments` are those of the caller;
  /// `state` is what the context keeps for the entry point.
  Call(const tally_rt_entry &entry, tally_rt_context &ctx, CallMemory &memory,
       DLTensor *const *arguments, ProgramState *state)
      : entry(entry), ctx(ctx), memory(memory), host(ctx),
        numArguments(entry.num_arguments + entry.num_states),
        arguments(arguments), state(state), scratch(ctx.scratch) {
    if (state)
      this->arguments = state->append(arguments, entry.num_arguments);
  }

  /// Runs the call. On success the results that are returned are in `results`.
  tally_rt_status run(DLManagedTensor **results);

private:
  void makeSlots();
  bool checkArgument(int32_t index);
  bool checkSizes(int32_t index);
  bool checkLimit(int32_t index);
  NamedValue nameSize(int32_t index, int32_t dim) const;
  bool packArgument(int32_t index);
  bool packHidden(int32_t index);
  bool invalid(int32_t index, const std::string &what);
  bool makeResult(int32_t index, DLManagedTensor *&result);
  bool fillResult(int32_t index, Managed &managed);
  bool checkMutated(int32_t index, const DLTensor &result);
  bool handOver(DLManagedTensor **results);

  /// Words that the descriptor or number of `value` takes.
  static size_t words(const tally_rt_value &value) {
    auto rank = static_cast<size_t>(value.rank) + isComplex(value.dtype);
    return value.is_scalar ? 1 : 3 + 2 * rank;
  }

  const tally_rt_entry &entry;
  tally_rt_context &ctx;
  CallMemory &memory;
  /// Numbers are on the CPU wherever the program runs.
  HostMemory host;
  /// Those of the caller and the state.
  int32_t numArguments;
  DLTensor *const *arguments;
  ProgramState *state;
  CallScratch &scratch;
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
  std::string misplaced = expected.is_scalar && isOnHost(*tensor)
                              ? std::string()
                              : memory.checkPlace(*tensor);
  if (!misplaced.empty())
    return invalid(index, misplaced);
  if (!sameType(tensor->dtype, expected.dtype))
    return invalid(index, "has data type " + printType(tensor->dtype) +
                              ", expected " + printType(expected.dtype));
  if (tensor->ndim != expected.rank)
    return invalid(index, "has rank " + std::to_string(tensor->ndim) +
                              ", expected " + std::to_string(expected.rank));
  return checkSizes(index);
}

/// The size of an argument as errors tell of it.
NamedValue Call::nameSize(int32_t index, int32_t dim) const {
  NamedValue value;
  value.name = std::string(entry.arguments[index].name) + ".size(" +
               std::to_string(dim) + ")";
  value.value = arguments[index]->shape[dim];
  value.floatValue = static_cast<double>(value.value);
  return value;
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
    NamedValue value = nameSize(index, d);
    record.expression = value.name + " == " + std::to_string(expected.sizes[d]);
    record.declaredBy = expected.name;
    record.values.push_back(std::move(value));
    ctx.fail(std::move(record));
    return false;
  }
  if (!checkLimit(index))
    return false;
  int64_t bytes = 0;
  sizeInBytes(*tensor, bytes);
  if (bytes > 0 && !tensor->data)
    return invalid(index, "has no data");
  return true;
}

/// Refuses sizes that compiled code does not compute with: the product of those
/// that are not 0 bounds each of them, and each product of some of them.
bool Call::checkLimit(int32_t index) {
  const DLTensor &tensor = *arguments[index];
  int64_t product = 1;
  bool isTooLarge = false;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (tensor.shape[d] != 0)
      isTooLarge |= __builtin_mul_overflow(product, tensor.shape[d], &product);
  if (!isTooLarge && product <= TALLY_RT_MAX_ELEMENTS)
    return true;
  ErrorRecord record;
  record.status = TALLY_RT_CHECK_FAILED;
  record.declaredBy = entry.arguments[index].name;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.shape[d] == 0 || tensor.shape[d] == 1)
      continue;
    record.values.push_back(nameSize(index, d));
    record.expression +=
        (record.expression.empty() ? "" : " * ") + record.values.back().name;
  }
  record.expression += " <= " + std::to_string(TALLY_RT_MAX_ELEMENTS);
  record.userMessage = std::string("argument ") + std::to_string(index) +
                       " ('" + record.declaredBy +
                       "') is larger than any that is computed with: its sizes "
                       "that are not 0 have a product of more than 2^48";
  ctx.fail(std::move(record));
  return false;
}

/// Writes the descriptor of a compact tensor at `data` to `slot`.
static void writeDescriptor(int64_t *slot, char *data, const DLTensor &tensor) {
  DescriptorHead head = {data, data, 0};
  std::memcpy(slot, &head, sizeof(head));
  int64_t *sizes = slot + 3;
  int64_t *strides = sizes + tensor.ndim + isComplex(tensor.dtype);
  DLTensor compact = tensor;
  compact.strides = strides;
  setCompactStrides(compact);
  if (tensor.ndim > 0)
    std::memcpy(sizes, tensor.shape, tensor.ndim * sizeof(int64_t));
  if (!isComplex(tensor.dtype))
    return;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    strides[d] *= 2;
  sizes[tensor.ndim] = 2;
  strides[tensor.ndim] = 1;
}

bool Call::packArgument(int32_t index) {
  const DLTensor &tensor = *arguments[index];
  auto *slot = static_cast<int64_t *>(scratch.argumentSlots[index]);
  char *data = dataOf(tensor);
  if (entry.arguments[index].is_scalar) {
    CallMemory &where = isOnHost(tensor) ? host : memory;
    if (!where.readScalar(slot, tensor))
      return false;
    char &byte = *reinterpret_cast<char *>(slot);
    if (tensor.dtype.code == kDLBool)
      byte = byte != 0;
    return true;
  }
  if (!memory.canPassInPlace(tensor)) {
    int64_t bytes = 0;
    sizeInBytes(tensor, bytes);
    data = static_cast<char *>(memory.allocate(bytes));
    if (!data || !memory.copyFromStrided(data, tensor))
      return false;
  }
  writeDescriptor(slot, data, tensor);
  return true;
}

/// Stores a stride or the storage offset of an argument as the caller gave it,
/// in elements.
bool Call::packHidden(int32_t index) {
  const tally_rt_hidden &hidden = entry.hidden[index];
  const DLTensor &tensor = *arguments[hidden.argument];
  auto *slot =
      static_cast<int64_t *>(scratch.argumentSlots[numArguments + index]);
  if (hidden.dimension >= 0) {
    *slot = 1;
    if (tensor.strides)
      *slot = tensor.strides[hidden.dimension];
    else
      for (int32_t d = hidden.dimension + 1; d < tensor.ndim; ++d)
        *slot *= tensor.shape[d] ? tensor.shape[d] : 1;
    return true;
  }
  auto bytes = static_cast<uint64_t>(elementSize(tensor.dtype));
  if (tensor.byte_offset % bytes != 0)
    return invalid(hidden.argument, "has a byte offset that is no multiple of "
                                    "its element size");
  *slot = static_cast<int64_t>(tensor.byte_offset / bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

bool Call::makeResult(int32_t index, DLManagedTensor *&result) {
  const tally_rt_value &value = entry.results[index];
  Managed *managed = makeManaged(ctx, value.dtype, value.rank);
  if (!managed)
    return false;
  if (!fillResult(index, *managed)) {
    discard(managed);
    return false;
  }
  result = &managed->tensor;
  return true;
}

/// A tensor of complex numbers as one of floats, whose sizes and strides a
/// descriptor has; another one as it is.
static DLTensor getParts(const DLTensor &tensor, int64_t *slot) {
  DLTensor parts = tensor;
  if (!isComplex(tensor.dtype))
    return parts;
  parts.ndim = tensor.ndim + 1;
  parts.dtype.code = kDLFloat;
  parts.dtype.bits = tensor.dtype.bits / 2;
  parts.shape = slot + 3;
  parts.strides = parts.shape + parts.ndim;
  return parts;
}

/// Gives a result its sizes and a buffer of its own.
bool Call::fillResult(int32_t index, Managed &managed) {
  const tally_rt_value &value = entry.results[index];
  CallMemory &where = value.is_scalar ? host : memory;
  auto *slot = static_cast<int64_t *>(scratch.resultSlots[index]);
  DLTensor &tensor = managed.tensor.dl_tensor;
  DescriptorHead head = {nullptr, reinterpret_cast<char *>(slot), 0};
  if (!value.is_scalar) {
    std::memcpy(&head, slot, sizeof(head));
    std::memcpy(tensor.shape, slot + 3, tensor.ndim * sizeof(int64_t));
    if (!isComplex(value.dtype))
      std::memcpy(tensor.strides, slot + 3 + tensor.ndim,
                  tensor.ndim * sizeof(int64_t));
  }
  DLTensor parts = getParts(tensor, slot);
  tensor.data = parts.data =
      head.aligned + head.offset * elementSize(parts.dtype);
  managed.buffer = head.allocated;
  bool owned = !value.is_scalar && isCompact(parts) && where.takeOver(managed);
  if (!owned) {
    int64_t bytes = 0;
    sizeInBytes(parts, bytes);
    void *copy = where.allocate(bytes);
    if (!copy || !where.copyFromStrided(copy, parts))
      return false;
    managed.buffer = tensor.data = copy;
    where.takeOver(managed);
  }
  setCompactStrides(tensor);
  return true;
}

bool Call::checkMutated(int32_t index, const DLTensor &result) {
  int32_t argument = entry.results[index].mutates;
  const DLTensor &target = *arguments[argument];
  if (isOnHost(result) != isOnHost(target))
    return invalid(argument, "cannot take back its new value from elsewhere");
  if (result.ndim == target.ndim && sameType(result.dtype, target.dtype) &&
      (result.ndim == 0 || std::memcmp(result.shape, target.shape,
                                       result.ndim * sizeof(int64_t)) == 0))
    return true;
  return invalid(argument, "cannot take back its new value of another shape");
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// Makes room for the descriptors and numbers of arguments and results.
void Call::makeSlots() {
  size_t total = 0;
  for (int32_t i = 0; i < numArguments; ++i)
    total += words(entry.arguments[i]);
  total += entry.num_hidden;
  for (int32_t i = 0; i < entry.num_results; ++i)
    total += words(entry.results[i]);
  scratch.words.assign(total, 0);
  scratch.argumentSlots.clear();
  scratch.resultSlots.clear();
  int64_t *next = scratch.words.data();
  for (int32_t i = 0; i < numArguments; ++i) {
    scratch.argumentSlots.push_back(next);
    next += words(entry.arguments[i]);
  }
  for (int32_t i = 0; i < entry.num_hidden; ++i)
    scratch.argumentSlots.push_back(next++);
  for (int32_t i = 0; i < entry.num_results; ++i) {
    scratch.resultSlots.push_back(next);
    next += words(entry.results[i]);
  }
}

tally_rt_status Call::run(DLManagedTensor **results) {
  for (int32_t i = 0; i < numArguments; ++i)
    if (!checkArgument(i))
      return ctx.view.status;
  if (!memory.begin())
    return ctx.view.status;
  makeSlots();
  for (int32_t i = 0; i < numArguments; ++i)
    if (!packArgument(i))
      return ctx.view.status;
  for (int32_t i = 0; i < entry.num_hidden; ++i)
    if (!packHidden(i))
      return ctx.view.status;

  int32_t status = entry.thunk(&ctx, scratch.argumentSlots.data(),
                               scratch.resultSlots.data());
  if (status != TALLY_RT_OK) {
    // Compiled code records before it returns; a status alone says too little.
    if (!ctx.failed())
      failInvalid(ctx, "the compiled function failed without saying why");
    return ctx.view.status;
  }
  return handOver(results) ? TALLY_RT_OK : ctx.view.status;
}

/// Writes results back to arguments and gives the caller the others.
bool Call::handOver(DLManagedTensor **results) {
  // Everything that can fail comes before the first write to an argument.
  std::vector<DLManagedTensor *> &made = scratch.made;
  made.assign(entry.num_results, nullptr);
  bool ok = true;
  for (int32_t i = 0; ok && i < entry.num_results; ++i)
    ok = makeResult(i, made[i]) &&
         (entry.results[i].mutates < 0 || checkMutated(i, made[i]->dl_tensor));
  for (int32_t i = 0; ok && i < entry.num_results; ++i) {
    const tally_rt_value &value = entry.results[i];
    CallMemory &where = value.is_scalar ? host : memory;
    if (value.mutates >= 0 && value.mutates < entry.num_arguments)
      ok = where.copyToStrided(*arguments[value.mutates], made[i]->dl_tensor);
  }
  for (int32_t i = 0; ok && i < entry.num_results; ++i)
    if (entry.results[i].mutates >= entry.num_arguments)
      state->replace(entry.results[i].mutates - entry.num_arguments, made[i]);
  for (int32_t i = 0; i < entry.num_results; ++i) {
    if (ok && entry.results[i].mutates < 0)
      *results++ = made[i];
    else if (made[i])
      made[i]->deleter(made[i]);
  }
  return ok;
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
  if (library->device_type != kDLCPU && library->device_type != kDLCUDA) {
    failInvalid(ctx, "the library is compiled for devices of type " +
                         std::to_string(library->device_type) +
                         ", which this runtime does not know");
    return false;
  }
  if (numArguments != entry->num_arguments) {
    failInvalid(
        ctx, std::string(entry->name) + " takes " +
                 std::to_string(entry->num_arguments) +
                 (entry->num_arguments == 1 ? " argument, " : " arguments, ") +
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

/// Calls where the library runs.
static tally_rt_status run(const tally_rt_library &library,
                           const tally_rt_entry &entry, tally_rt_context &ctx,
                           DLTensor *const *arguments,
                           DLManagedTensor **results) {
  std::unique_ptr<CallMemory> memory =
      makeCallMemory(library, entry, ctx, arguments);
  ProgramState *state = nullptr;
  if (!findState(library, entry, ctx, *memory, state))
    return ctx.view.status;
  // An argument is written to when nothing can fail any more.
  ctx.mayDefer =
      library.device_type == kDLCUDA && ctx.defersChecks &&
      std::none_of(entry.results, entry.results + entry.num_results,
                   [](const tally_rt_value &it) { return it.mutates >= 0; });
  return Call(entry, ctx, *memory, arguments, state).run(results);
}

std::unique_ptr<CallMemory> tally::runtime::makeCallMemory(
    const tally_rt_library &library, const tally_rt_entry &entry,
    tally_rt_context &ctx, DLTensor *const *arguments) {
  if (library.device_type == kDLCPU)
    return std::make_unique<HostMemory>(ctx);
  return std::make_unique<CudaMemory>(
      ctx, library, CudaMemory::chooseDevice(entry, arguments));
}

bool tally::runtime::findState(const tally_rt_library &library,
                               const tally_rt_entry &entry,
                               tally_rt_context &ctx, CallMemory &memory,
                               ProgramState *&state) {
  state = nullptr;
  if (entry.num_states == 0)
    return true;
  const tally_rt_entry &initial = library.entries[entry.initial_state];
  auto known = ctx.states.find(&initial);
  if (known == ctx.states.end()) {
    auto made = std::make_unique<ProgramState>(initial.num_results);
    if (Call(initial, ctx, memory, /*arguments=*/nullptr, /*state=*/nullptr)
            .run(made->getTensors()) != TALLY_RT_OK)
      return false;
    ctx.releaseAll();
    known = ctx.states.emplace(&initial, std::move(made)).first;
  }
  state = known->second.get();
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
  return serveCall(*library, *ctx, [&]() -> tally_rt_status {
    if (!checkCall(library, entry, *ctx, numArguments, numResults))
      return TALLY_RT_INVALID_ARGUMENT;
    if (!mapConstants(*library, *ctx))
      return TALLY_RT_DATA_ERROR;
    return run(*library, *entry, *ctx, arguments, results);
  });
}

void tally_rt_release_library(const tally_rt_library *library) {
  CudaDevice::releaseEverywhere(library);
  releasePackedWeights(library);
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
