//===- MatmulV4.cpp - Matmuls on x86-64-v4: AVX-512 -----------------------===//

#define TALLY_MATMUL_LEVEL matmulV4
#define TALLY_MATMUL_TITLE "x86-64-v4"
#define TALLY_MATMUL_BYTES 64
// Of 32 registers 28 hold the tile.
#define TALLY_MATMUL_ROWS 14
#include "MatmulKernels.h"
