//===- SortV3.cpp - Sorting on x86-64-v3: AVX2 ----------------------------===//

#define TALLY_SORT_LEVEL sortV3
#define TALLY_SORT_TITLE "x86-64-v3"
#include "SortKernels.h"
