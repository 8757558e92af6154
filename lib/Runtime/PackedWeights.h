//===- PackedWeights.h - Constants as kernels read them ---------*- C++ -*-===//
//
// A constant operand is packed for the kernels of this processor when a call
// first needs it so, and kept for all calls of all contexts. Other processes
// find it in a file. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_PACKEDWEIGHTS_H
#define TALLY_LIB_RUNTIME_PACKEDWEIGHTS_H

#include "Matmul.h"

namespace tally::runtime {

/// Returns B of a task as `packColumns` of the level writes it, kept at
/// `place`, which is in the library. Null where there is no memory: the caller
/// does without. May be called from several threads at once.
const void *getPackedColumns(const tally_rt_library *library,
                             tally_rt_packed &place, const MatmulTask &task,
                             const MatmulLevel &level);

/// The same for A and `packRows`.
const void *getPackedRows(const tally_rt_library *library,
                          tally_rt_packed &place, const MatmulTask &task,
                          const MatmulLevel &level);

/// Frees what is kept for a library, whose code goes away.
void releasePackedWeights(const tally_rt_library *library);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_PACKEDWEIGHTS_H
