//===- GatheringLoops.h - Loops that load from anywhere --------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_GATHERINGLOOPS_H
#define TALLY_LIB_DRIVER_GATHERINGLOOPS_H

namespace llvm {
class Function;
} // namespace llvm

namespace tally {

/// Whether an innermost loop of a function loads elements at places that it
/// computes from floats, or loads, for each of its iterations: a vector of them
/// is gathered.
bool gathersElements(llvm::Function &function);

} // namespace tally

#endif // TALLY_LIB_DRIVER_GATHERINGLOOPS_H
