//===- SmallMatricesV4.cpp - Small matrices on x86-64-v4, AVX-512 ---------===//

#define TALLY_SMALL_MATRIX_LEVEL smallMatrixV4
#define TALLY_SMALL_MATRIX_TITLE "x86-64-v4"
#define TALLY_SMALL_MATRIX_BYTES 64
#include "SmallMatrixKernels.h"
