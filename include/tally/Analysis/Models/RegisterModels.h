//===- RegisterModels.h - What is known of upstream's operations -*- C++ -*-==//

#ifndef TALLY_ANALYSIS_MODELS_REGISTERMODELS_H
#define TALLY_ANALYSIS_MODELS_REGISTERMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tally {

/// Adds the external models of SymbolicShapeOpInterface for the operations of
/// upstream's dialects and of the tally dialect; each is attached when its
/// dialect is loaded.
void registerSymbolicShapeModels(mlir::DialectRegistry &registry);

/// Adds the external models of ElementRangeOpInterface for the operations of
/// upstream's dialects and of the tally dialect.
void registerElementRangeModels(mlir::DialectRegistry &registry);

} // namespace tally

#endif // TALLY_ANALYSIS_MODELS_REGISTERMODELS_H
