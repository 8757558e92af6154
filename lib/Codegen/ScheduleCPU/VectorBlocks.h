//===- VectorBlocks.h - Blocks of vectors -----------------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_VECTORBLOCKS_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_VECTORBLOCKS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace tally::codegen {

/// Returns the loop that neighbors in memory lie along, if there is one.
std::optional<unsigned> findContiguousLoop(mlir::AffineMap map);

/// Returns whether neighbors of the last dimension are neighbors in memory.
bool isContiguous(mlir::MemRefType type);

/// Transposes as many vectors as they have lanes.
llvm::SmallVector<mlir::Value>
transposeBlock(mlir::OpBuilder &builder, mlir::Location loc,
               llvm::SmallVector<mlir::Value> vectors);

/// Clones operations on elements as operations on vectors of `lanes` elements.
/// The map has a vector or a scalar, which is the same for all lanes, for each
/// argument that is used. Returns what is yielded, as vectors.
llvm::SmallVector<mlir::Value>
computeLanes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Block &body,
             mlir::IRMapping &map, int64_t lanes);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_VECTORBLOCKS_H
