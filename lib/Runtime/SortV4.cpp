//===- SortV4.cpp - Sorting on x86-64-v4: AVX-512 -------------------------===//

#define TALLY_SORT_LEVEL sortV4
#define TALLY_SORT_TITLE "x86-64-v4"
#include "SortKernels.h"
