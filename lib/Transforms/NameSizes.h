//===- NameSizes.h - The size table and the shapes of a signature -*- C++ -*-=//
//
// Part of tally-propagate-shapes; see its description in Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_TRANSFORMS_NAMESIZES_H
#define TALLY_LIB_TRANSFORMS_NAMESIZES_H

#include "tally/Analysis/SymbolicShapes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally {

/// Gives names, in the function's table, to the sizes of arguments that have
/// none, and to integer arguments that go into sizes.
void nameSizes(mlir::FunctionOpInterface function);

/// Gives a shape to each result whose sizes can be told in the names of the
/// table.
void annotateResults(mlir::FunctionOpInterface function,
                     SymbolicShapes &shapes);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_NAMESIZES_H
