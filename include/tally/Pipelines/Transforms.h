//===- Transforms.h - Passes that only pipelines have -----------*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example. `tally-canonicalize` is a pass alone: it keeps its
// patterns from run to run.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_PIPELINES_TRANSFORMS_H
#define TALLY_PIPELINES_TRANSFORMS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally {

/// Adds patterns for what upstream's verifiers and folders do not take although
/// it is right, once constants are known: a slice of no elements behind the
/// last one, a shape that is collapsed although a size is the constant 0, a
/// step in a dimension of which one element is taken. They are a part of
/// `tally-canonicalize`.
void populateDegenerateSlicePatterns(mlir::RewritePatternSet &patterns);

/// Eliminates common subexpressions in `root`; returns whether there were any.
bool eliminateCommonSubexpressions(mlir::Operation *root,
                                   mlir::DominanceInfo &dominance);

/// Has calls return one tensor where a callee returns it several times.
void mergeEqualResults(mlir::ModuleOp module);

/// Gives each use of an empty tensor one of its own.
void separateEmptyTensors(mlir::Operation *root);

/// Computes tensors where they are inserted.
mlir::LogicalResult eliminateEmptyTensors(mlir::ModuleOp module);

/// Bufferizes a module in one shot, and leaves the bodies of kernels alone.
mlir::LogicalResult bufferizeModule(mlir::ModuleOp module);

/// Copies what is cast to a buffer without gaps and may have some.
void copyStridedCasts(mlir::Operation *root);

/// Has loops pass on the buffers that they carry where they own them.
void forwardCarried(mlir::Operation *root);

/// Ends a block behind each branch or loop of a function.
void splitBlocks(mlir::FunctionOpInterface function);

} // namespace tally

#endif // TALLY_PIPELINES_TRANSFORMS_H
