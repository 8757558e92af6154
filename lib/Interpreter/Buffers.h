//===- Buffers.h - Accesses of buffers --------------------------*- C++ -*-===//

#ifndef TALLY_LIB_INTERPRETER_BUFFERS_H
#define TALLY_LIB_INTERPRETER_BUFFERS_H

#include "Races.h"
#include "tally/Interpreter/Execution.h"

namespace tally::interpreter {

/// Ends the run because the program does what has no meaning.
llvm::LogicalResult refuseAccess(mlir::Operation *op,
                                 const llvm::Twine &message,
                                 Execution &execution);

/// Fails where the memory of a buffer has been freed.
llvm::LogicalResult requireLive(mlir::Operation *op, const Buffer &buffer,
                                Execution &execution);

/// The element of the allocation at these indices. Fails where it is outside,
/// may not be accessed in this way, or was accessed by another thread that
/// nothing orders with this one.
llvm::FailureOr<int64_t> accessElement(mlir::Operation *op,
                                       const Buffer &buffer,
                                       llvm::ArrayRef<int64_t> indices,
                                       AccessKind kind, Execution &execution);

llvm::FailureOr<Scalar> loadElement(mlir::Operation *op, const Buffer &buffer,
                                    llvm::ArrayRef<int64_t> indices,
                                    Execution &execution);
llvm::LogicalResult storeElement(mlir::Operation *op, const Buffer &buffer,
                                 llvm::ArrayRef<int64_t> indices,
                                 const Scalar &value, Execution &execution);

/// The elements of a buffer as a tensor, by the host.
llvm::FailureOr<Tensor> readBuffer(mlir::Operation *op, const Buffer &buffer,
                                   Execution &execution);

/// Runs a function of a GPU in every thread of a grid.
llvm::LogicalResult
launchKernel(mlir::Operation *op, mlir::FunctionOpInterface kernel,
             std::array<int64_t, 3> gridSize, std::array<int64_t, 3> blockSize,
             llvm::ArrayRef<RuntimeValue> arguments, Execution &execution);

} // namespace tally::interpreter

#endif // TALLY_LIB_INTERPRETER_BUFFERS_H
