//===- EmptyTensors.h - A tensor for each use -------------------*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_EMPTYTENSORS_H
#define TALLY_LIB_PIPELINES_EMPTYTENSORS_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// A pass that gives each use a `tensor.empty` of its own. CSE makes two that
/// are alike one, and one-shot bufferization sees no conflict between what has
/// no contents: two tensors that an `scf.while` carries would become one
/// buffer. It also compares all uses of a tensor with each other, which takes
/// long where there are many. Runs right before the tensors become allocations,
/// which are not merged any more.
std::unique_ptr<mlir::Pass> createSeparateEmptyTensors();

std::unique_ptr<mlir::Pass> createEliminateEmptyTensors();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_EMPTYTENSORS_H
