//===- EmptyTensors.h - Carried tensors of their own ------------*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_EMPTYTENSORS_H
#define TALLY_LIB_PIPELINES_EMPTYTENSORS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// A pass that gives each operand of an operation with regions a `tensor.empty`
/// of its own. CSE makes two that are alike one, and one-shot bufferization
/// sees no conflict between what has no contents: two tensors that an
/// `scf.while` carries would become one buffer. Runs right before the tensors
/// become allocations, which are not merged any more.
std::unique_ptr<mlir::Pass> createSeparateEmptyTensors();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_EMPTYTENSORS_H
