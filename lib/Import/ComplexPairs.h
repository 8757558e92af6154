//===- ComplexPairs.h - Complex numbers as pairs ----------------*- C++ -*-===//

#ifndef TALLY_LIB_IMPORT_COMPLEXPAIRS_H
#define TALLY_LIB_IMPORT_COMPLEXPAIRS_H

#include "Schema.h"

namespace tally::import_pt2 {

/// Describes a tensor of complex numbers as the tensor of floats that
/// `torch.view_as_real` gives: its last dimension has both parts. False for
/// another tensor.
bool makePairs(TensorMeta &meta);

/// Rewrites a program on complex numbers to one on pairs. Operators that move
/// elements do the same to pairs, once their arguments count one dimension
/// more; a matmul becomes real ones; other nodes are marked as
/// operators on pairs, and have lowerings of their own.
void makePairs(Program &program);

/// Whether an operator, by its target, takes or gives complex numbers: with
/// most arguments.
bool isSupportedOnPairs(llvm::StringRef target);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_COMPLEXPAIRS_H
