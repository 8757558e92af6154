//===- ParallelFor.h - Parallel loops of compiled code ----------*- C++ -*-===//

#ifndef TALLY_LIB_RUNTIME_PARALLELFOR_H
#define TALLY_LIB_RUNTIME_PARALLELFOR_H

#include "tally/Runtime/tally_runtime.h"

namespace tally::runtime {

/// The parallel-for that is used where the caller brings none.
int32_t defaultParallelFor(void *user, int64_t begin, int64_t end,
                           int64_t grain, tally_rt_chunk chunk, void *closure);

/// The threads that it runs on.
int64_t getDefaultThreads();

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PARALLELFOR_H
