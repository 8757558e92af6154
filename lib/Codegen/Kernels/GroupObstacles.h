//===- GroupObstacles.h - Groups that are no kernels ------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_GROUPOBSTACLES_H
#define TALLY_LIB_CODEGEN_KERNELS_GROUPOBSTACLES_H

#include "KernelGroups.h"

#include <optional>

namespace tally::codegen {

/// The reason why a group that reduces rows is no kernel of the CPU, whatever
/// joins it.
std::optional<FusionObstacle> findLastingObstacle(const KernelGroup &group);

/// Why the CPU gains nothing by running the group as one kernel; nothing if it
/// does.
std::optional<FusionObstacle> findObstacleOfCPU(const KernelGroup &group);

/// The reason why a group is no kernel of a GPU, whatever joins it.
std::optional<FusionObstacle> findObstacleOfGPU(const KernelGroup &group);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_GROUPOBSTACLES_H
