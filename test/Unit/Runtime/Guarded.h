//===- Guarded.h - Memory between inaccessible pages ------------*- C++ -*-===//

#ifndef TALLY_TEST_UNIT_RUNTIME_GUARDED_H
#define TALLY_TEST_UNIT_RUNTIME_GUARDED_H

#include "tally/Runtime/tally_runtime.h"

#include <cstddef>

/// Memory between inaccessible pages: its end lies against one.
class Guarded {
public:
  explicit Guarded(size_t bytes)
      : bytes(bytes ? bytes : 1),
        data(allocator->allocate(allocator->user, this->bytes, 1)) {}
  ~Guarded() { allocator->deallocate(allocator->user, data, bytes, 1); }
  Guarded(const Guarded &) = delete;
  Guarded &operator=(const Guarded &) = delete;

  template <typename T>
  T *as() {
    return static_cast<T *>(data);
  }

private:
  const tally_rt_allocator *allocator = tally_rt_guard_page_allocator(0);
  size_t bytes;
  void *data;
};

#endif // TALLY_TEST_UNIT_RUNTIME_GUARDED_H
