//===- QuadsReference.cpp - Matmuls of bytes on every processor ---------===//
//
// The kernels for AVX512-VNNI, with loops in the place of its instruction.
//
//===----------------------------------------------------------------------===//

#include "Levels.h"

#define TALLY_MATMUL_LEVEL matmulQuadsReference
#define TALLY_MATMUL_TITLE "quads on every processor"
#define TALLY_MATMUL_BYTES 16
#define TALLY_MATMUL_ROWS 5
#define TALLY_MATMUL_QUADS
#include "../../../lib/Runtime/MatmulKernels.h"
