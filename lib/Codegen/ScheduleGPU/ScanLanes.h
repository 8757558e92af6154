//===- ScanLanes.h - Neighboring elements of several buffers ----*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANLANES_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANLANES_H

#include "mlir/IR/Builders.h"

namespace tally::codegen {

/// Loads as many neighbors from each buffer as there are lanes, which are
/// aligned: for each lane the elements of all buffers.
llvm::SmallVector<llvm::SmallVector<mlir::Value>>
loadLanes(mlir::OpBuilder &builder, mlir::Location loc,
          mlir::ValueRange buffers, mlir::ValueRange indices, unsigned lanes);

/// Stores neighbors to each buffer: for each lane the elements of all buffers.
void storeLanes(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::ValueRange buffers, mlir::ValueRange indices,
                llvm::ArrayRef<llvm::SmallVector<mlir::Value>> lanes);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SCANLANES_H
