//===- Subgraphs.h - Operands and bodies of higher-order ops ----*- C++ -*-===//
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_ATEN_SUBGRAPHS_H
#define TALLY_LIB_IMPORT_ATEN_SUBGRAPHS_H

#include "Families.h"

namespace tally::import_pt2 {

/// The value of a subgraph's input: a tensor or a number.
struct Actual {
  std::optional<Tensor> tensor;
  Expr scalar;
};

/// The operands in a list argument, or in one that is no list.
llvm::SmallVector<Actual> getActuals(Lowering &op, const Argument *list);

/// A positional argument that is a subgraph; reports anything else.
const Graph *getGraph(Lowering &op, unsigned index);

/// Imports a subgraph where the builder stands, with these inputs.
mlir::FailureOr<llvm::SmallVector<Binding>>
importBody(Lowering &op, const Graph &graph, llvm::ArrayRef<Actual> inputs);

/// A result of a body as a tensor; nothing for a number.
std::optional<Tensor> getTensor(Lowering &op, const Binding &binding);

/// A loop over slices of the first dimension, with carried tensors and stacked
/// results.
struct SliceLoop {
  Expr length;
  llvm::SmallVector<Tensor> carried, sliced;
  /// The sizes and the element types of the stacked results.
  llvm::SmallVector<Tensor> stacked;
  /// Imports the body: from the carried tensors and the slices it makes the
  /// next carried tensors and a slice of each stacked result.
  std::function<mlir::FailureOr<llvm::SmallVector<Binding>>(
      llvm::ArrayRef<Actual>)>
      body;
};

/// Gives the last carried tensors, then the stacked results.
llvm::SmallVector<Tensor> buildSliceLoop(Lowering &op, const SliceLoop &loop);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_SUBGRAPHS_H
