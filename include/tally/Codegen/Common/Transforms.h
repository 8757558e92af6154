//===- Transforms.h - What programs of every target go through -*- C++ -*-===//
//
// The passes of this folder as functions; Passes.td describes each and shows an
// example.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_CODEGEN_COMMON_TRANSFORMS_H
#define TALLY_CODEGEN_COMMON_TRANSFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace tally {

/// Gives every function of the module the call context as its first argument.
void addCallContexts(mlir::ModuleOp module);

/// Makes outer parallel loops calls of the runtime, which runs at least `work`
/// operations in a piece.
mlir::LogicalResult outlineParallelLoops(mlir::ModuleOp module,
                                         int64_t work = 32768);

/// Moves buffers of known sizes on the stack to the start of their function.
void hoistStackBuffers(mlir::func::FuncOp function);

/// Makes rounding strict and, if asked to, integer divisions total.
void hardenArith(mlir::Operation *root, bool divisions = true);

/// Drops symbols and assumptions of a checked program, and reads its constants
/// from files in a directory.
mlir::LogicalResult eraseAnnotations(mlir::ModuleOp module,
                                     llvm::StringRef dataDirectory = "");

/// Decides in straight-line code which buffers each `bufferization.dealloc`
/// frees.
mlir::LogicalResult lowerDeallocations(mlir::Operation *root);

/// Adds the patterns of `expandFloats`.
void populateExpandFloatsPatterns(mlir::RewritePatternSet &patterns);

/// Expands operations on floats that upstream rounds or orders differently.
void expandFloats(mlir::Operation *root);

/// Reads and writes booleans in memory as bytes.
void lowerBooleans(mlir::Operation *root);

/// Makes an i16 of every bf16 of an operation of the LLVM dialect and of what
/// is in it.
void lowerBFloats(mlir::Operation *root);

/// Adds the patterns of `legalizeMath`.
void populateLegalizeMathPatterns(mlir::RewritePatternSet &patterns);

/// Expands operations of math on scalars that LLVM does not have.
void legalizeMath(mlir::Operation *root);

/// Adds the patterns of `foldUnitDims`.
void populateFoldUnitDimsPatterns(mlir::RewritePatternSet &patterns,
                                  bool keepsPieces = false);

/// Drops loops of one iteration from structured operations; with `keepsPieces`
/// not those over the only column of what becomes a column of a narrow tensor.
void foldUnitDims(mlir::func::FuncOp function, bool keepsPieces = false);

/// Adds the patterns of `lowerMemory`, which call the runtime: the module has
/// to declare `tally_rt_alloc` and `tally_rt_free`.
void populateLowerMemoryPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

/// Allocates from the call context.
mlir::LogicalResult lowerMemory(mlir::ModuleOp module);

/// Makes bytes of the large constants of a module of the LLVM dialect.
void flattenConstants(mlir::ModuleOp module);

/// Turns asserts into branches to cold blocks, when loops have become branches.
mlir::LogicalResult lowerAsserts(mlir::ModuleOp module);

/// Adds the patterns of `expandMemRefOps`.
void populateExpandMemRefOpsPatterns(mlir::RewritePatternSet &patterns,
                                     bool booleans = false);

/// Expands memref operations that upstream does not lower well; with
/// `booleans`, copies of booleans as well.
mlir::LogicalResult expandMemRefOps(mlir::Operation *root,
                                    bool booleans = false);

/// Keeps minima and maxima of masked values as LLVM makes vectors of them.
void keepMaskedExtrema(mlir::LLVM::LLVMFuncOp function);

/// Tells LLVM which loops have independent iterations. Functions that are alike
/// stay so if all of a module get the same group.
void markParallelAccesses(mlir::LLVM::LLVMFuncOp function,
                          mlir::LLVM::AccessGroupAttr group);

/// Notes in the locations of named operations what they are called.
void noteOperators(mlir::Operation *root);

/// Adds the patterns of `decomposeTensorOps`.
void populateDecomposeTensorOpsPatterns(mlir::RewritePatternSet &patterns);

/// Breaks up tensor operations that cannot be bufferized.
mlir::LogicalResult decomposeTensorOps(mlir::func::FuncOp function);

/// Adds the patterns that expand math functions of f32 and f64 into arithmetic.
void populateExpandMathPatterns(mlir::RewritePatternSet &patterns);

/// Expands math functions of f32 and f64 into arithmetic.
void expandMath(mlir::Operation *root);

/// Elementwise operations write their results over operands that nobody reads
/// later.
void overwriteOperands(mlir::func::FuncOp function);

/// Has bufferization keep what loops do not write.
void keepInits(mlir::func::FuncOp function);

/// Allows sums and products of reductions to be reassociated.
void reassociateReductions(mlir::Operation *root);

/// Creates the patterns that compute elements where they are read, for
/// `fuseElementwise`: some of upstream's among them are switched off by name.
mlir::FrozenRewritePatternSet
createElementwiseFusionPatterns(mlir::MLIRContext *context);

/// Computes elements where they are read, if that is right.
void fuseElementwise(mlir::func::FuncOp function,
                     const mlir::FrozenRewritePatternSet &patterns);

/// Makes the innermost loop of a structured operation the one that walks
/// through memory.
mlir::LogicalResult orderLoops(mlir::func::FuncOp function);

} // namespace tally

#endif // TALLY_CODEGEN_COMMON_TRANSFORMS_H
