//===- Models.h - Shape models of operations, by dialect --------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_MODELS_MODELS_H
#define TALLY_LIB_ANALYSIS_MODELS_MODELS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "tally/Analysis/SymbolicShapes.h"
#include "tally/IR/Tally.h"

namespace tally::detail {

void registerTensorModels(mlir::DialectRegistry &registry);
void registerArithModels(mlir::DialectRegistry &registry);
void registerFloatModels(mlir::DialectRegistry &registry);
void registerAffineModels(mlir::DialectRegistry &registry);
void registerLinalgModels(mlir::DialectRegistry &registry);
void registerSCFModels(mlir::DialectRegistry &registry);
void registerGPUModels(mlir::DialectRegistry &registry);
void registerVectorModels(mlir::DialectRegistry &registry);
void registerTallyModels(mlir::DialectRegistry &registry);
void registerDataDependentModels(mlir::DialectRegistry &registry);
void registerCustomCallModel(mlir::DialectRegistry &registry);

/// The size of a loop of a structured operation: that of the first operand
/// dimension it indexes alone; null if there is none.
symbolic::Expr getLoopSize(mlir::linalg::LinalgOp op, unsigned loop,
                           SymbolicShapes &shapes);
/// What every structured operation requires: operands that are indexed by a
/// loop alone agree on its size, other indices are in bounds.
void collectLinalgPreconditions(mlir::linalg::LinalgOp op,
                                SymbolicShapes &shapes,
                                Preconditions &preconditions);

/// What every loop with bounds and steps requires: it moves upwards, and its
/// variable ends it before it wraps.
void collectLoopPreconditions(mlir::LoopLikeOpInterface loop,
                              SymbolicShapes &shapes,
                              Preconditions &preconditions);

/// Reads the sizes of a call's results off the signature of the callee.
void inferCall(mlir::CallOpInterface call, mlir::FunctionOpInterface callee,
               SymbolicShapes &shapes);
/// What a private function declares of its arguments, its callers owe.
void collectCallPreconditions(mlir::CallOpInterface call,
                              mlir::FunctionOpInterface callee,
                              SymbolicShapes &shapes,
                              Preconditions &preconditions);

/// The value of an affine expression, or null where it may overflow or divides
/// by what is no positive literal.
symbolic::Expr evaluateAffine(mlir::AffineExpr expr,
                              llvm::ArrayRef<symbolic::Expr> dims,
                              llvm::ArrayRef<symbolic::Expr> symbols,
                              SymbolicShapes &shapes);

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_MODELS_MODELS_H
