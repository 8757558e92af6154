//===- MatmulPairs.cpp - Matmuls of bf16 with AVX512-BF16 -----------------===//

#define TALLY_MATMUL_LEVEL matmulPairs
#define TALLY_MATMUL_TITLE "x86-64-v4 with AVX512-BF16"
#define TALLY_MATMUL_BYTES 64
// Of 32 registers 28 hold the tile.
#define TALLY_MATMUL_ROWS 14
#define TALLY_MATMUL_PAIRS
#include "MatmulKernels.h"
