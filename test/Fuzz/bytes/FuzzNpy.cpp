//===- FuzzNpy.cpp - Any bytes as an .npy file ----------------------------===//
//
// What can be read is printed, compared with itself and copied, as tally-run
// does.
//
//===----------------------------------------------------------------------===//

#include "Array.h"

#include <cstdio>
#include <cstdlib>

using namespace llvm;
using namespace tally::run;

/// Gives each array memory of its exact size, where a tool that checks memory
/// sees its end; there is no more of it than a small file needs.
static void *allocate(void *, size_t bytes, size_t alignment) {
  void *memory = nullptr;
  if (bytes > size_t(1) << 20 || posix_memalign(&memory, alignment, bytes))
    return nullptr;
  return memory;
}

static void deallocate(void *, void *memory, size_t, size_t) {
  std::free(memory);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef content(reinterpret_cast<const char *>(data), size);
  tally_rt_allocator allocator = {nullptr, allocate, deallocate};
  Expected<Array> array = parseNpy("input", content, allocator);
  if (!array) {
    consumeError(array.takeError());
    return 0;
  }
  std::string printed;
  raw_string_ostream os(printed);
  printArray(os, *array);
  Expected<Array> copy = array->clone(allocator);
  if (!copy) {
    consumeError(copy.takeError());
    return 0;
  }
  if (auto difference = compareArrays(*copy, *array, Tolerance())) {
    std::fprintf(stderr, "a copy differs: %s\n", difference->c_str());
    std::abort();
  }
  return 0;
}
