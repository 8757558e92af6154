//===- Runner.cpp - Calls of a compiled program ---------------------------===//

#include "Runner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

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
  StringRef guard = [] {
    const char *value = std::getenv("TALLY_GUARD_PAGES");
    return StringRef(value ? value : "");
  }();
  if (!guard.empty() && guard != "0")
    underlying = *tally_rt_guard_page_allocator(guard == "before");
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

Runner::Runner(const tally_rt_library &library, const tally_rt_entry &entry,
               const CountingAllocator &allocator)
    : library(library), entry(entry) {
  tally_rt_config config = {&allocator.get(), nullptr, nullptr};
  context = tally_rt_context_create(&config);
}

Runner::~Runner() {
  if (context)
    tally_rt_context_destroy(context);
}

Outcome Runner::call(std::vector<Array> &arguments) {
  std::vector<DLTensor> tensors;
  for (Array &argument : arguments)
    tensors.push_back(argument.getTensor());
  std::vector<DLTensor *> pointers;
  for (DLTensor &tensor : tensors)
    pointers.push_back(&tensor);
  std::vector<DLManagedTensor *> results(tally_rt_num_returned(&entry));

  Outcome outcome;
  outcome.status = static_cast<tally_rt_status>(
      tally_rt_invoke(&library, &entry, context, pointers.data(),
                      static_cast<int32_t>(pointers.size()), results.data(),
                      static_cast<int32_t>(results.size())));
  if (outcome.status != TALLY_RT_OK) {
    const tally_rt_error *error =
        context ? tally_rt_last_error(context) : nullptr;
    outcome.message = error ? error->message : "out of memory";
    return outcome;
  }
  for (DLManagedTensor *result : results)
    outcome.results.push_back(Array::take(result));
  outcome.numReturned = results.size();
  for (int32_t i = 0; i < entry.num_results; ++i)
    if (entry.results[i].mutates < 0)
      outcome.names.emplace_back(entry.results[i].name);
  for (int32_t i = 0; i < entry.num_results; ++i) {
    int32_t target = entry.results[i].mutates;
    if (target < 0)
      continue;
    outcome.results.push_back(arguments[target]);
    outcome.names.emplace_back(entry.arguments[target].name);
  }
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
