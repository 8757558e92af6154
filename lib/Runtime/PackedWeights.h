//===- PackedWeights.h - Constants as kernels read them ---------*- C++ -*-===//
//
// A constant operand is packed for the kernels of this processor when a call
// first needs it so, and kept for all calls of all contexts. Private to the
// runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_PACKEDWEIGHTS_H
#define TALLY_LIB_RUNTIME_PACKEDWEIGHTS_H

#include "tally/Runtime/tally_runtime.h"

#include <cstddef>
#include <functional>

namespace tally::runtime {

/// Returns what is kept at `place`, a word of the library; where there is
/// nothing yet, `bytes` of memory that `pack` fills. Null where there is no
/// memory: the caller does without. May be called from several threads at once.
const void *getPackedWeights(const tally_rt_library *library, void **place,
                             size_t bytes,
                             const std::function<void(void *)> &pack);

/// Frees what is kept for a library, whose code goes away.
void releasePackedWeights(const tally_rt_library *library);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PACKEDWEIGHTS_H
