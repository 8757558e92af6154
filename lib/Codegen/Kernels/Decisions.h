//===- Decisions.h - Numbers that decide branches ---------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_DECISIONS_H
#define TALLY_LIB_CODEGEN_KERNELS_DECISIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

/// Whether all that depends on a value is which branches are taken.
inline bool decidesBranchesAlone(mlir::Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), llvm::IsaPred<mlir::scf::IfOp>);
}

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_DECISIONS_H
