//===- PairsReference.cpp - Matmuls of bf16 on every processor ----------===//
//
// The kernels for AVX512-BF16, with loops in the place of its instruction.
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#define TALLY_MATMUL_LEVEL matmulPairsReference
#define TALLY_MATMUL_TITLE "pairs on every processor"
#define TALLY_MATMUL_BYTES 16
#define TALLY_MATMUL_ROWS 5
#define TALLY_MATMUL_PAIRS
#include "../../../lib/Runtime/MatmulKernels.h"
