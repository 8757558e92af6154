//===- SmallMatricesV3.cpp - Small matrices on x86-64-v3, AVX2 ------------===//

#define TALLY_SMALL_MATRIX_LEVEL smallMatrixV3
#define TALLY_SMALL_MATRIX_TITLE "x86-64-v3"
#define TALLY_SMALL_MATRIX_BYTES 32
#include "SmallMatrixKernels.h"
