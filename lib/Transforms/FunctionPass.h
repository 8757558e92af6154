//===- FunctionPass.h - Passes that work function by function ---*- C++ -*-===//

#ifndef TALLY_LIB_TRANSFORMS_FUNCTIONPASS_H
#define TALLY_LIB_TRANSFORMS_FUNCTIONPASS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tally {

/// Applies `transform` to the operation if it is a function, else to every
/// function in it. Passes of functions are passes of any operation in this way:
/// they work nested as well as on a whole module from the command line. Goes on
/// after a failure, so that every function gets its diagnostics.
inline mlir::LogicalResult forEachFunction(
    mlir::Operation *op,
    llvm::function_ref<mlir::LogicalResult(mlir::FunctionOpInterface)>
        transform) {
  llvm::SmallVector<mlir::FunctionOpInterface> functions;
  op->walk([&](mlir::FunctionOpInterface function) {
    functions.push_back(function);
  });
  bool failed = false;
  for (mlir::FunctionOpInterface function : functions)
    failed |= transform(function).failed();
  return mlir::failure(failed);
}

/// Warns that a pass has nothing to do where a function has dynamic sizes, but
/// no symbol yet: whoever runs the pass by itself most likely expects more.
void warnWithoutSymbols(mlir::FunctionOpInterface function,
                        llvm::StringRef pass);

} // namespace tally

#endif // TALLY_LIB_TRANSFORMS_FUNCTIONPASS_H
