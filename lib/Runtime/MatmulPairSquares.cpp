//===- MatmulPairSquares.cpp - Matmuls of bf16 with AMX-BF16 --------------===//

#define TALLY_MATMUL_LEVEL matmulPairSquares
#define TALLY_MATMUL_TITLE "x86-64-v4 with AMX-BF16"
#define TALLY_MATMUL_BYTES 64
// Of eight registers four hold the tile, two squares high and two wide.
#define TALLY_MATMUL_ROWS 32
#define TALLY_MATMUL_PAIRS
#define TALLY_MATMUL_SQUARES
#include "MatmulKernels.h"
