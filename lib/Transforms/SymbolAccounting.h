//===- SymbolAccounting.h - Every symbol is defined once --------*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_SYMBOLACCOUNTING_H
#define TALLY_LIB_TRANSFORMS_SYMBOLACCOUNTING_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally {

/// Reports, for a function in the named form, every symbol that is bound twice,
/// at the end of a key path that leads to no size that changes, or nowhere
/// although it is mentioned, and every mention that its definition does not
/// dominate.
mlir::LogicalResult verifySymbolAccounts(mlir::FunctionOpInterface function);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_SYMBOLACCOUNTING_H
