//===- SortBaseline.cpp - Sorting on every processor ----------------------===//

#define TALLY_SORT_LEVEL sortBaseline
#define TALLY_SORT_TITLE "baseline"
#include "SortKernels.h"
