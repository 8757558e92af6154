//===- Handlers.h - What runs which operation -------------------*- C++ -*-===//

#ifndef TALLY_LIB_INTERPRETER_HANDLERS_H
#define TALLY_LIB_INTERPRETER_HANDLERS_H

#include "tally/Interpreter/Execution.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::scf {
class ForOp;
} // namespace mlir::scf

namespace tally::interpreter {

/// Adds a handler that is written for an operation's class.
template <typename OpT>
void addHandler(HandlerTable &table,
                llvm::LogicalResult (*handler)(OpT, Execution &)) {
  table.add(OpT::getOperationName(),
            [handler](mlir::Operation *op, Execution &execution) {
              return handler(mlir::cast<OpT>(op), execution);
            });
}

/// A function of scalars that also works element by element. An operand that is
/// poison makes the result poison, and is not passed.
using ScalarFunction = llvm::FailureOr<Scalar> (*)(
    mlir::Operation *op, llvm::ArrayRef<Scalar> operands, Execution &execution);

/// Adds an operation of scalars, or of tensors element by element, which has
/// one result.
void addElementwise(HandlerTable &table, llvm::StringRef name,
                    ScalarFunction function);
template <typename OpT>
void addElementwise(HandlerTable &table, ScalarFunction function) {
  addElementwise(table, OpT::getOperationName(), function);
}

void registerAffine(HandlerTable &table);
void registerAttention(HandlerTable &table);
void registerArith(HandlerTable &table);
void registerArithFloats(HandlerTable &table);
void registerAtomics(HandlerTable &table);
void registerControlFlow(HandlerTable &table);
void registerFFT(HandlerTable &table);
void registerGPU(HandlerTable &table);
void registerIndex(HandlerTable &table);
void registerLinalg(HandlerTable &table);
void registerLinearAlgebra(HandlerTable &table);
void registerLoops(HandlerTable &table);
void registerMath(HandlerTable &table);
void registerMemRef(HandlerTable &table);
void registerScans(HandlerTable &table);
void registerTallyDataDependent(HandlerTable &table);
void registerTallyDevice(HandlerTable &table);
void registerTallySymbols(HandlerTable &table);
void registerTensor(HandlerTable &table);
void registerTensorSlices(HandlerTable &table);
void registerVector(HandlerTable &table);

/// Calls `use` with the indices of each element, in row-major order, until it
/// fails.
llvm::LogicalResult forEachIndex(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<llvm::LogicalResult(llvm::ArrayRef<int64_t>)> use);

/// The values of an induction variable, with a bit to spare.
struct LoopRange {
  llvm::APInt lower, upper, step;
};

/// Reads the bounds; the step is positive and the induction variable does not
/// leave its type.
llvm::FailureOr<LoopRange> readRange(mlir::scf::ForOp op, Execution &execution);

/// A part of a tensor.
struct Slice {
  llvm::SmallVector<int64_t> offsets, sizes, strides;
};

/// The part that an operation describes, which has to be inside of `shape`.
llvm::FailureOr<Slice> readSlice(mlir::OffsetSizeAndStrideOpInterface op,
                                 llvm::ArrayRef<int64_t> shape,
                                 Execution &execution);

/// Writes the elements of `source` to a part of `target`, in order.
void writeSlice(Tensor &target, const Slice &slice, const Tensor &source);

/// The value of an attribute as an element of that type; nothing if it is of
/// another kind.
std::optional<Scalar> getConstant(mlir::Attribute attr);

/// The tensor that an attribute holds, or the end of the run.
llvm::FailureOr<Tensor> readElements(mlir::Operation *op,
                                     mlir::ElementsAttr elements,
                                     Execution &execution);

} // namespace tally::interpreter

#endif // TALLY_LIB_INTERPRETER_HANDLERS_H
