//===- MatmulQuadSquares.cpp - Matmuls of bytes with AMX-INT8 -------------===//

#define TALLY_MATMUL_LEVEL matmulQuadSquares
#define TALLY_MATMUL_TITLE "x86-64-v4 with AMX-INT8"
#define TALLY_MATMUL_BYTES 64
// Of eight registers four hold the tile, two squares high and two wide.
#define TALLY_MATMUL_ROWS 32
#define TALLY_MATMUL_QUADS
#define TALLY_MATMUL_SQUARES
#include "MatmulKernels.h"
