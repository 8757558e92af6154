//===- Operators.h - Calls of operators from outside ------------*- C++ -*-===//

#ifndef TALLY_LIB_IMPORT_OPERATORS_H
#define TALLY_LIB_IMPORT_OPERATORS_H

#include "Lowering.h"

#include "tally/Import/Operators.h"

namespace tally::import_pt2 {

/// Imports a node whose operator has been registered from outside.
mlir::LogicalResult importCall(Lowering &lowering,
                               const OperatorTable::LowerFn &lower);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_OPERATORS_H
