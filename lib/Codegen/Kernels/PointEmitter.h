//===- PointEmitter.h - The elements at a point of a kernel -----*- C++ -*-===//
//
// Emits what the operations of a kernel compute at one point of its iteration
// space, or at a few neighboring points. Schedules decide which thread is at
// which point.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_KERNELS_POINTEMITTER_H
#define TALLY_LIB_CODEGEN_KERNELS_POINTEMITTER_H

#include "KernelSpace.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace tally::codegen {

/// The operands of a kernel inside of the code that implements it.
class KernelOperands {
public:
  /// `map` tells what the operands of the kernel are called there, `isNarrow`
  /// that all places in buffers fit 32 bits, and `ofDense` what is said of
  /// offsets in a buffer whose rows lie one behind the other: no part of them
  /// is below 0.
  KernelOperands(const KernelSpace &space, const mlir::IRMapping &map,
                 mlir::OpBuilder &builder, bool isNarrow = false,
                 mlir::arith::IntegerOverflowFlags ofDense =
                     mlir::arith::IntegerOverflowFlags::none);

  const KernelSpace &getSpace() const { return space; }
  mlir::Location getLoc() const { return loc; }

  /// A buffer as one row of elements, and where its elements are in it.
  struct Buffer {
    mlir::Value flat;
    mlir::OpFoldResult offset;
    llvm::SmallVector<mlir::OpFoldResult> strides;
    /// What is said of sums of offsets.
    mlir::arith::IntegerOverflowFlags overflow =
        mlir::arith::IntegerOverflowFlags::none;
  };
  const Buffer &getBuffer(mlir::BlockArgument operand) const {
    return buffers.find(operand)->second;
  }
  /// A number from outside or a constant of the body.
  mlir::Value getScalar(mlir::OpBuilder &builder, mlir::Value value) const;
  /// How often a dimension of the schedule runs.
  mlir::Value getExtent(unsigned dim) const { return extents[dim]; }
  bool areNarrow() const { return isNarrow; }

private:
  const KernelSpace &space;
  mlir::Location loc;
  bool isNarrow;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Value, mlir::Value> numbers;
  llvm::SmallVector<mlir::Value> extents;
};

/// The reduced values, and those that follow from them for a row: one, or one
/// for each lane where lanes are rows.
using RowValues = llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>>;

/// Where a thread is: an index for each dimension of the schedule (null for
/// those that it is at no point of), and how many neighbors along a dimension
/// it takes at once.
struct Point {
  llvm::SmallVector<mlir::Value> indices;
  unsigned lanes = 1;
  /// The dimension of the lanes; only where there are several.
  unsigned laneDim = 0;
  /// Where lanes follow each other in the order of all points, across the ends
  /// of rows: the indices of each.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> laneIndices = {};
};

/// How lanes lie in memory.
enum class LaneLayout { Same, Contiguous, Apart };

/// How the elements of an access lie along a dimension; neighbors can be
/// accessed at once where they are aligned.
LaneLayout getLaneLayout(const KernelSpace &space, const KernelAccess &access,
                         unsigned dim);

/// Whether an access goes through its buffer from its start to its end when the
/// points of the kernel are taken in their order.
bool isInOrder(const KernelSpace &space, const KernelAccess &access);

/// Whether elements of a type can be accessed several at a time.
bool canVectorize(mlir::Type element);

class PointEmitter {
public:
  PointEmitter(mlir::OpBuilder &builder, const KernelOperands &kernelOperands,
               const RowValues &rows, Point point)
      : builder(builder), kernelOperands(kernelOperands),
        space(kernelOperands.getSpace()), loc(kernelOperands.getLoc()),
        rows(rows), point(std::move(point)) {}

  /// The elements of what an operation makes: one for each lane, or one that
  /// all lanes share.
  llvm::SmallVector<mlir::Value> get(mlir::Value tensor);
  /// The elements of an operand.
  llvm::SmallVector<mlir::Value> getOperand(mlir::linalg::GenericOp op,
                                            mlir::OpOperand &operand);
  /// The values that the payload yields for the given elements in a lane; an
  /// element may be null where the payload does not use it.
  llvm::SmallVector<mlir::Value>
  computePayload(mlir::linalg::GenericOp op, unsigned lane,
                 llvm::ArrayRef<mlir::Value> elements);
  /// The elements that a payload gets in a lane; those of outputs are null
  /// unless they are read and `withInits`.
  llvm::SmallVector<mlir::Value> getElements(mlir::linalg::GenericOp op,
                                             unsigned lane, bool withInits);
  /// Reads the elements of an operand of the kernel.
  llvm::SmallVector<mlir::Value> load(const KernelAccess &access);
  /// Says what an operand is, instead of having it read.
  void setOperand(mlir::OpOperand &operand, mlir::Value element) {
    operands[&operand] = {element};
  }
  /// Says what the element of a result is, instead of having it computed.
  void setResult(mlir::Value tensor, mlir::Value element) {
    known[tensor] = {element};
  }
  /// Writes the elements of the value that the access is of.
  void store(const KernelAccess &access, llvm::ArrayRef<mlir::Value> elements);

private:
  mlir::Value loadElement(mlir::Value buffer, mlir::ValueRange indices);
  mlir::Value getOffset(const KernelAccess &access, unsigned lane);
  mlir::Value getIndex(mlir::linalg::GenericOp op, unsigned loop,
                       unsigned lane);
  LaneLayout getLayout(const KernelAccess &access) const;
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value addTerm(mlir::Value sum, mlir::Value index,
                      mlir::OpFoldResult stride,
                      mlir::arith::IntegerOverflowFlags overflow);
  void mapOuterValues(mlir::linalg::GenericOp op, mlir::IRMapping &map);
  void replaceIndexing(mlir::linalg::GenericOp op, mlir::Operation *clone,
                       unsigned lane);

  mlir::OpBuilder &builder;
  const KernelOperands &kernelOperands;
  const KernelSpace &space;
  mlir::Location loc;
  const RowValues &rows;
  Point point;
  /// Results of operations, and operands, that have been computed here.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> known;
  llvm::DenseMap<mlir::OpOperand *, llvm::SmallVector<mlir::Value>> operands;
};

/// Emits what has one element for a row, at `row`, and needs no more than
/// `phase` phases; adds it to the values of the row.
void addRowValues(mlir::OpBuilder &builder,
                  const KernelOperands &kernelOperands, const Point &row,
                  unsigned phase, RowValues &values);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_KERNELS_POINTEMITTER_H
