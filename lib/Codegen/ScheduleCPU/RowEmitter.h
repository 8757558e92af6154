//===- RowEmitter.h - What a row of a kernel computes -----------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_ROWEMITTER_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_ROWEMITTER_H

#include "Kernels/PointEmitter.h"

namespace tally::codegen {

/// An element of the row that several phases need and that is stored until the
/// last of them: in an output that is written later, or in a buffer of a row on
/// the stack.
struct KeptValue {
  mlir::OpResult value;
  /// The phase that computes it.
  unsigned phase;
  /// Nothing for the stack.
  std::optional<KernelAccess> output;
};

/// Returns whether windows that are neighbors along the last but one dimension
/// share all but one of their rows.
bool sharesWindows(const KernelSpace &space);

/// Emits what one iteration of the parallel loop does.
class RowEmitter {
public:
  /// `row` is the place of the row, and `kept` what is kept between phases.
  /// Rows of which something is kept on the stack have at most `stackLength`
  /// elements.
  RowEmitter(mlir::OpBuilder &builder, const KernelOperands &kernelOperands,
             mlir::ValueRange row, llvm::ArrayRef<KeptValue> kept,
             int64_t stackLength = 0)
      : builder(builder), kernelOperands(kernelOperands),
        space(kernelOperands.getSpace()), loc(kernelOperands.getLoc()), at(row),
        kept(kept), stackLength(stackLength) {
    at.resize(space.getDims().size());
  }

  /// Whether the elements of a row are few, and all that is done with them is
  /// one reduction: then LLVM makes vectors of rows that lie next to each
  /// other.
  bool isWindow() const;
  /// How many elements a window has, and how many follow where the outermost
  /// of its dimensions goes one further.
  int64_t getWindowLength() const { return *getConstantLength(); }
  int64_t getWindowStride() const;
  /// Does what `run` does, one element of a window after the other.
  void startWindow();
  void addElement(int64_t element);
  void finishWindow();

  void run();
  /// Whether the elements of a row can be divided into parts that threads
  /// share: what each has reduced is joined in their order.
  bool hasParts() const;
  /// Does what `run` does for all of so many rows, in parts of so many
  /// elements.
  void runInParts(mlir::Value count, int64_t size);

private:
  /// Gets the innermost index and what the loops carry.
  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      PointEmitter &, mlir::Value, mlir::ValueRange)>;

  PointEmitter atRow() {
    return PointEmitter(builder, kernelOperands, rows, {at});
  }

  /// How many elements a row has, if that is a constant.
  std::optional<int64_t> getConstantLength() const;
  /// Emits loops over the elements of a row that carry values; what was kept
  /// before `phase` is loaded.
  llvm::SmallVector<mlir::Value>
  createLoops(unsigned phase, llvm::ArrayRef<mlir::Value> carried, Body body);
  /// The operation that finds the largest or smallest float from bits, if that
  /// is what a reduction is for.
  mlir::Operation *getExtremum(mlir::linalg::GenericOp op) const;
  /// The start values of the reductions of a phase; of the largest or smallest
  /// float, what is known of bits.
  llvm::SmallVector<mlir::Value> getInits(unsigned phase);
  /// What is carried for the reductions of a phase, with one element more.
  llvm::SmallVector<mlir::Value> reduceElement(PointEmitter &emitter,
                                               unsigned phase,
                                               mlir::ValueRange carried);
  /// Sets the results of a phase from what was carried.
  void setResults(unsigned phase, mlir::ValueRange carried);
  void reduce(unsigned phase);
  /// A parallel loop over the parts of all rows; what follows is emitted in its
  /// body. Returns the number of the part.
  mlir::Value createPartLoop();
  /// What follows is of this row.
  void startRow(mlir::Value row);
  /// Sets what the row's parts have reduced before a phase, and its own values
  /// up to there.
  void joinPhases(unsigned end);
  void reduceInParts(unsigned phase);
  void storeRowsInParts();
  mlir::Value joinParts(mlir::linalg::GenericOp op, mlir::Value results);
  /// Makes the buffers for what is kept on the stack.
  void allocateRows();
  /// Loads what was kept before a phase, and stores what it computes to be
  /// kept.
  void loadKept(PointEmitter &emitter, unsigned phase, mlir::Value element);
  void storeKept(PointEmitter &emitter, unsigned phase, mlir::Value element);
  void storeElements();
  void storeRow();

  mlir::OpBuilder &builder;
  const KernelOperands &kernelOperands;
  const KernelSpace &space;
  mlir::Location loc;
  /// The row; null for the dimensions that it reduces.
  llvm::SmallVector<mlir::Value> at;
  llvm::ArrayRef<KeptValue> kept;
  int64_t stackLength;
  /// The buffers of what is kept on the stack.
  llvm::DenseMap<mlir::Value, mlir::Value> stack;
  RowValues rows;
  /// The reduced values of a window, and the sums of its odd elements if they
  /// are kept apart.
  llvm::SmallVector<mlir::Value> carried, secondSums;
  /// The elements of a part, and how many parts a row has; null for all of a
  /// row. How many rows there are, and the number of the row's first part.
  mlir::Value begin, end, numParts, numRows, firstPart;
  int64_t partSize = 0;
  /// What parts have reduced in each phase.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>, 0> partial;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_ROWEMITTER_H
