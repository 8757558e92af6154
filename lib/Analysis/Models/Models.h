//===- Models.h - Shape models of operations, by dialect --------*- C++ -*-===//

#ifndef TALLY_LIB_ANALYSIS_MODELS_MODELS_H
#define TALLY_LIB_ANALYSIS_MODELS_MODELS_H

#include "mlir/IR/DialectRegistry.h"
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

} // namespace tally::detail

#endif // TALLY_LIB_ANALYSIS_MODELS_MODELS_H
