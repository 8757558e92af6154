//===- Runner.cpp - Calls of a compiled program ---------------------------===//

#include "Runner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdlib>
#include <new>

using namespace llvm;
using namespace tally::run;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocateAligned(void *, size_t bytes, size_t alignment) {
  void *pointer = nullptr;
  alignment = std::max(alignment, sizeof(void *));
  return posix_memalign(&pointer, alignment, bytes) == 0 ? pointer : nullptr;
}

static void deallocateAligned(void *, void *pointer, size_t, size_t) {
  std::free(pointer);
}

CountingAllocator::CountingAllocator()
    : counting{this, allocate, deallocate},
      underlying{nullptr, allocateAligned, deallocateAligned} {
  if (const char *value = std::getenv("TALLY_GUARD_PAGES"))
    guard = value;
  startRound(0);
}

void CountingAllocator::startRound(unsigned round) {
  if (!guard.empty() && guard != "0")
    underlying = *tally_rt_guard_page_allocator(guard == "before" || round > 0);
}

void *CountingAllocator::allocate(void *self, size_t bytes, size_t alignment) {
  auto *allocator = static_cast<CountingAllocator *>(self);
  const tally_rt_allocator &underlying = allocator->underlying;
  void *pointer = underlying.allocate(underlying.user, bytes, alignment);
  if (pointer)
    ++allocator->live;
  return pointer;
}

void CountingAllocator::deallocate(void *self, void *pointer, size_t bytes,
                                   size_t alignment) {
  auto *allocator = static_cast<CountingAllocator *>(self);
  const tally_rt_allocator &underlying = allocator->underlying;
  underlying.deallocate(underlying.user, pointer, bytes, alignment);
  --allocator->live;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The GPU that programs run on.
static constexpr int32_t kGpu = 0;

struct Runner::Tensors {
  ~Tensors() {
    for (DLManagedTensor *tensor : onGpu)
      if (tensor)
        tensor->deleter(tensor);
  }

  std::vector<DLTensor> arguments;
  /// The copy of each argument, or null where it is passed as it is.
  std::vector<DLManagedTensor *> onGpu;
  std::vector<DLManagedTensor *> results;
};

Runner::Runner(const Program &program, const tally_rt_entry &entry,
               const CountingAllocator &allocator)
    : program(program), runtime(program.getRuntime()), entry(entry),
      allocator(allocator) {
  tally_rt_config config = {sizeof(tally_rt_config), &allocator.get(), nullptr,
                            nullptr};
  context = runtime.context_create(&config);
}

Runner::~Runner() {
  if (context)
    runtime.context_destroy(context);
}

std::string Runner::getError() const {
  const tally_rt_error *error = context ? runtime.last_error(context) : nullptr;
  return error ? error->message : "out of memory";
}

/// Makes a tensor of pairs of floats one of complex numbers where an argument
/// is declared as that.
static void makeComplex(DLTensor &tensor, const tally_rt_value &declared) {
  bool isPairs = tensor.dtype.code == kDLFloat && tensor.ndim > 0 &&
                 tensor.shape[tensor.ndim - 1] == 2;
  if (declared.dtype.code != kDLComplex || !isPairs)
    return;
  tensor.dtype.code = kDLComplex;
  tensor.dtype.bits *= 2;
  --tensor.ndim;
}

/// Makes the tensors to call with. Numbers stay on the CPU.
bool Runner::prepare(std::vector<Array> &arguments, Tensors &tensors) {
  for (auto [index, argument] : enumerate(arguments)) {
    DLTensor tensor = argument.getTensor();
    DLManagedTensor *copy = nullptr;
    bool isKnown = static_cast<int64_t>(index) < entry.num_arguments;
    bool isTensor = isKnown && !entry.arguments[index].is_scalar;
    if (isKnown)
      makeComplex(tensor, entry.arguments[index]);
    if (isOnGpu() && isTensor &&
        runtime.copy_to_device(context, kGpu, &tensor, &copy) != TALLY_RT_OK)
      return false;
    tensors.onGpu.push_back(copy);
    tensors.arguments.push_back(copy ? copy->dl_tensor : tensor);
  }
  tensors.results.resize(tally_rt_num_returned(&entry));
  return true;
}

/// Calls, and measures what it takes.
bool Runner::invoke(Tensors &tensors, Outcome &outcome) {
  std::vector<DLTensor *> pointers;
  for (DLTensor &tensor : tensors.arguments)
    pointers.push_back(&tensor);
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  if (context)
    runtime.reset_counters(context);
  Clock::time_point start = Clock::now();
  int32_t status = runtime.invoke(
      &program.getLibrary(), &entry, context, pointers.data(),
      static_cast<int32_t>(pointers.size()), tensors.results.data(),
      static_cast<int32_t>(tensors.results.size()));
  outcome.hostSeconds = since(start);
  if (status == TALLY_RT_OK) {
    runtime.get_counters(context, &outcome.counters);
    if (isOnGpu())
      status = runtime.synchronize(context, kGpu);
    outcome.seconds = since(start);
  }
  outcome.status = static_cast<tally_rt_status>(status);
  return status == TALLY_RT_OK;
}

bool Runner::copyBack(const DLTensor &source, Array &target) {
  return runtime.copy_to_host(context, &source, target.getData()) ==
         TALLY_RT_OK;
}

/// Takes what the call returned and the arguments that it wrote to.
bool Runner::collect(std::vector<Array> &arguments, Tensors &tensors,
                     Outcome &outcome) {
  // Each result is released with its array, whatever happens to the others.
  for (DLManagedTensor *&result : tensors.results)
    outcome.results.push_back(Array::take(result));
  for (auto [index, result] : enumerate(tensors.results)) {
    if (result->dl_tensor.device.device_type != kDLCUDA)
      continue;
    Array &array = outcome.results[index];
    Expected<Array> copy =
        Array::create(array.getType(), array.getShape(), allocator.get());
    if (!copy) {
      outcome.message = toString(copy.takeError());
      return false;
    }
    if (!copyBack(result->dl_tensor, *copy))
      return false;
    array = std::move(*copy);
  }
  outcome.numReturned = outcome.results.size();
  for (int32_t i = 0; i < entry.num_results; ++i)
    if (entry.results[i].mutates < 0)
      outcome.names.emplace_back(entry.results[i].name);
  for (int32_t i = 0; i < entry.num_results; ++i) {
    int32_t target = entry.results[i].mutates;
    if (target < 0 || target >= entry.num_arguments)
      continue;
    if (tensors.onGpu[target] &&
        !copyBack(tensors.arguments[target], arguments[target]))
      return false;
    outcome.results.push_back(arguments[target]);
    outcome.names.emplace_back(entry.arguments[target].name);
  }
  return true;
}

Outcome Runner::call(std::vector<Array> &arguments) {
  Outcome outcome;
  Tensors tensors;
  if (context && prepare(arguments, tensors)) {
    if (invoke(tensors, outcome) && collect(arguments, tensors, outcome))
      return outcome;
  }
  if (outcome.message.empty())
    outcome.message = getError();
  if (const tally_rt_error *error =
          context ? runtime.last_error(context) : nullptr;
      error && *error->file) {
    outcome.position = std::string(error->file) + ":" +
                       std::to_string(error->line) + ":" +
                       std::to_string(error->column);
    outcome.isDeclaration = *error->declared_by;
  }
  if (outcome.status == TALLY_RT_OK)
    outcome.status = TALLY_RT_DEVICE_ERROR;
  return outcome;
}

Expected<std::optional<std::string>>
tally::run::compareResults(const Outcome &outcome, ArrayRef<std::string> files,
                           StringRef folder, const Tolerance &tolerance,
                           const tally_rt_allocator &allocator) {
  if (files.size() != outcome.numReturned &&
      files.size() != outcome.results.size())
    return createStringError(
        "the program returns " + std::to_string(outcome.numReturned) +
        " results, " + std::to_string(files.size()) + " are expected");
  for (auto [index, file] : enumerate(files)) {
    Expected<Array> expected = readSpec(file, folder, /*seed=*/0, allocator);
    if (!expected)
      return expected.takeError();
    std::optional<std::string> difference =
        compareArrays(outcome.results[index], *expected, tolerance);
    if (difference)
      return outcome.names[index] + " " + *difference;
  }
  return std::nullopt;
}
