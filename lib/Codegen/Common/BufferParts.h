//===- BufferParts.h - Parts of a buffer that share no element -*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_BUFFERPARTS_H
#define TALLY_LIB_CODEGEN_COMMON_BUFFERPARTS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"

namespace tally::codegen {

/// Whether two parts of one buffer, which `memref.subview` made of it, are
/// known to have no element in common. `sizes` are numbers that are not
/// negative, such as the sizes of other parts that lie between the two.
bool areApart(mlir::Value a, mlir::Value b,
              const llvm::DenseSet<mlir::Value> &sizes);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_BUFFERPARTS_H
