/* Libraries that are not for this package: of another version, or for a GPU. */

#include "tally/Runtime/tally_runtime.h"

#ifdef GPU
static const tally_rt_library library = {
    TALLY_RT_ABI_VERSION, 0, NULL, kDLCUDA, 0, NULL};
#else
static const tally_rt_library library = {0, 0, NULL, kDLCPU, 0, NULL};
uint32_t tally_rt_abi_version(void) { return 0; }
#endif

const tally_rt_library *tally_library(void) { return &library; }
