//===- DataCheck.h - Asserts about all elements of buffers ------*- C++ -*-===//
//
// A check of data is a kernel that finds out whether something holds for all
// elements, and an assert of its answer. It can be taken apart: the same is
// asserted of one element after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_DATACHECK_H
#define TALLY_LIB_CODEGEN_KERNELS_DATACHECK_H

#include "tally/IR/Tally.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

#include <optional>

namespace tally::codegen {

/// Whether a number can be an argument of a kernel.
bool canBePassed(mlir::Value number);

/// An assert of a conjunction over all points of a kernel that computes nothing
/// else.
struct DataCheck {
  /// The check that an assert is about, if it is one.
  static std::optional<DataCheck> match(AssertOp assertion);

  AssertOp assertion;
  /// What the host reads; its only use is in the assert.
  mlir::memref::LoadOp flag;
  KernelOp kernel;
  /// The conjunction, in the kernel.
  mlir::linalg::GenericOp reduction;
  /// What else makes the assert hold, each with its operand that is known on
  /// the host; from the flag to the condition.
  mlir::SmallVector<mlir::OpOperand *> alternatives;

  /// How often each loop of the conjunction runs.
  mlir::SmallVector<mlir::Value> getExtents() const;
  /// The buffer that is checked, where whether an element is right follows from
  /// itself alone; else null.
  mlir::Value getOnlyInput() const;
  /// Erases all of it.
  void erase() const;
};

/// Asserts what a check does of the elements at one point.
class CheckEmitter {
public:
  virtual ~CheckEmitter() = default;

  /// `indices` says where each loop of the conjunction is.
  void emit(mlir::ArrayRef<mlir::Value> indices);

protected:
  CheckEmitter(DataCheck &check, mlir::OpBuilder &builder)
      : check(check), builder(builder), loc(check.assertion.getLoc()) {}

  /// A number of the host where the code is emitted.
  virtual mlir::Value getNumber(mlir::Value outside) = 0;
  /// An element of a buffer that is read at `indices`.
  virtual mlir::Value getElement(mlir::BlockArgument buffer,
                                 mlir::ValueRange indices) = 0;

  mlir::Value getOperandOfKernel(mlir::BlockArgument argument) const;

  DataCheck &check;
  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  mlir::Value getScalar(mlir::Value inside);
  mlir::Value compute(mlir::linalg::GenericOp op, unsigned result,
                      mlir::ArrayRef<mlir::Value> loops);
  mlir::Value getOperand(mlir::linalg::GenericOp op, mlir::OpOperand &operand,
                         mlir::ArrayRef<mlir::Value> loops);
};

/// Emits it into loops on buffers.
class LoopCheckEmitter : public CheckEmitter {
public:
  LoopCheckEmitter(DataCheck &check, mlir::OpBuilder &builder)
      : CheckEmitter(check, builder) {}

private:
  mlir::Value getNumber(mlir::Value outside) override { return outside; }
  mlir::Value getElement(mlir::BlockArgument buffer,
                         mlir::ValueRange indices) override;
};

/// Emits it into the body of an operation of another kernel, for an element of
/// the only input.
class KernelCheckEmitter : public CheckEmitter {
public:
  KernelCheckEmitter(DataCheck &check, mlir::OpBuilder &builder,
                     KernelOp kernel, mlir::Value element)
      : CheckEmitter(check, builder), kernel(kernel), element(element) {}

private:
  mlir::Value getNumber(mlir::Value outside) override;
  mlir::Value getElement(mlir::BlockArgument, mlir::ValueRange) override {
    return element;
  }

  KernelOp kernel;
  mlir::Value element;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_DATACHECK_H
