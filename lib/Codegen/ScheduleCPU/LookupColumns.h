//===- LookupColumns.h - Reductions of what is looked up --------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_LOOKUPCOLUMNS_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_LOOKUPCOLUMNS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally::codegen {

/// Makes reductions the inner loops of operations on buffers that look up what
/// they reduce along columns. LLVM makes no vectors of columns, as it does not
/// know that an index is not what is written.
void moveReductionsInside(mlir::func::FuncOp function);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_LOOKUPCOLUMNS_H
