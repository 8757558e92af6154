//===- DataFile.h - Constants beside the library ----------------*- C++ -*-===//
//
// Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_DATAFILE_H
#define TALLY_LIB_RUNTIME_DATAFILE_H

#include "tally/Runtime/tally_runtime.h"

namespace tally::runtime {

/// Maps the file that a library keeps its constants in, unless that has been
/// done or it keeps them itself. Returns false, with the error recorded, where
/// it cannot. May be called from several threads at once.
bool mapConstants(const tally_rt_library &library, tally_rt_context &ctx);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_DATAFILE_H
