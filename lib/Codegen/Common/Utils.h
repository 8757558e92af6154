//===- Utils.h - What the codegen passes share ------------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_UTILS_H
#define TALLY_LIB_CODEGEN_COMMON_UTILS_H

#include "tally/Codegen/Common/EntryPoints.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "tally/IR/Signatures.h"
#include "tally/IR/Tally.h"

namespace tally::codegen {

/// The pointer type.
inline mlir::Type getPointerType(mlir::MLIRContext *context) {
  return mlir::LLVM::LLVMPointerType::get(context);
}

/// Appends file, line and column of a location, each as a string that ends in
/// NUL: an empty one and zeros where there is none.
void appendPosition(std::string &record, mlir::Location loc);

/// The context of the call that `op` belongs to; needs `tally-add-context`.
inline mlir::Value getCallContext(mlir::Operation *op) {
  return op->getParentOfType<mlir::FunctionOpInterface>().getArgument(0);
}

/// Reports an operation that belongs to no call, as its function has no context
/// yet.
llvm::LogicalResult requireCallContext(mlir::Operation *op);

/// Returns whether what an init holds shows in the result: the body reads it,
/// or elements of it are left as they are, because the loops write only a part
/// of it or because a reduction may have no iteration.
bool needsInit(mlir::linalg::GenericOp op, mlir::OpOperand &init);

/// The bits of a value as `tally_rt_fail` takes them: an `i64`.
mlir::Value createErrorBits(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value);

/// Branches to `next`, or to `failure`, which is not expected.
void createLikelyBranch(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value condition, mlir::Block *next,
                        mlir::Block *failure, mlir::ValueRange arguments);

/// Makes room on the stack where a function starts, so that a loop does not
/// grow the stack.
mlir::Value createStackSlot(mlir::FunctionOpInterface function,
                            mlir::Type type);

/// Marks a loop none of whose iterations reads or writes what another one
/// writes: see `tally-mark-parallel-accesses`. LLVM neither makes vectors
/// of a loop with few iterations nor unrolls it.
enum class Iterations { Any, Few };
void markIndependent(mlir::scf::ForOp loop,
                     Iterations iterations = Iterations::Any);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_UTILS_H
