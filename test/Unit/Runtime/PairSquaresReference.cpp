//===- PairSquaresReference.cpp - Matmuls of squares on every processor ===//
//
// The kernels for AMX-BF16, with loops in the place of its instructions.
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

// Vectors of that size are several registers of most processors.
#pragma GCC diagnostic ignored "-Wpsabi"

#define TALLY_MATMUL_LEVEL matmulPairSquaresReference
#define TALLY_MATMUL_TITLE "pair squares on every processor"
#define TALLY_MATMUL_BYTES 64
#define TALLY_MATMUL_ROWS 32
#define TALLY_MATMUL_PAIRS
#define TALLY_MATMUL_SQUARES
#include "../../../lib/Runtime/MatmulKernels.h"
