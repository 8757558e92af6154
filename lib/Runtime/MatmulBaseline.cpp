//===- MatmulBaseline.cpp - Matmuls on every processor --------------------===//

#define TALLY_MATMUL_LEVEL matmulBaseline
#define TALLY_MATMUL_TITLE "baseline"
#define TALLY_MATMUL_BYTES 16
#if defined(__x86_64__)
// Of 16 registers 12 hold the tile.
#define TALLY_MATMUL_ROWS 6
#else
// Of 32 registers 24 hold the tile.
#define TALLY_MATMUL_ROWS 12
#endif
#include "MatmulKernels.h"
