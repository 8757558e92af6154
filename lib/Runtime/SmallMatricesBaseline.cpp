//===- SmallMatricesBaseline.cpp - Small matrices on every processor ------===//

#define TALLY_SMALL_MATRIX_LEVEL smallMatrixBaseline
#define TALLY_SMALL_MATRIX_TITLE "baseline"
#define TALLY_SMALL_MATRIX_BYTES 16
#include "SmallMatrixKernels.h"
