//===- MatmulV3.cpp - Matmuls on x86-64-v3: AVX2 and FMA ------------------===//

#define TALLY_MATMUL_LEVEL matmulV3
#define TALLY_MATMUL_TITLE "x86-64-v3"
#define TALLY_MATMUL_BYTES 32
// Of 16 registers 12 hold the tile.
#define TALLY_MATMUL_ROWS 6
#include "MatmulKernels.h"
