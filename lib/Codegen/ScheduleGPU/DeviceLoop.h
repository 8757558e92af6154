//===- DeviceLoop.h - Loops that one block can run --------------*- C++ -*-===//
//
// Which loops of the host one block of the device can run, what memory they
// take, and whose it is.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_DEVICELOOP_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_DEVICELOOP_H

#include "Schedules.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tally::codegen {

/// Whether a branch of the host only frees buffers.
bool isRelease(mlir::scf::IfOp branch);

/// A `scf.while` on buffers that have owners. Each buffer that it carries has
/// one place for all iterations: as many elements in each, as a test of the
/// host makes sure.
class DeviceLoop {
public:
  explicit DeviceLoop(mlir::scf::WhileOp loop);

  /// Why one block cannot run the loop; empty where it can.
  llvm::StringRef findObstacle();

  mlir::scf::WhileOp getLoop() const { return loop; }

  /// What happens to the buffer that a carry has.
  enum class Carry {
    /// It is a number.
    Number,
    /// It stays as it is, or is written in place.
    Kept,
    /// It belongs to the loop.
    Owned,
    /// What it starts with belongs to others.
    Borrowed
  };
  Carry getCarry(unsigned number) const { return carries[number]; }

  /// The carry that the first region passes on at a place; nothing where it
  /// passes on what it has made.
  std::optional<unsigned> getPassed(unsigned place) const;
  /// The place at which a carry is passed on.
  std::optional<unsigned> findPlace(unsigned carry) const;

  /// Whether a number of the loop says whether a buffer belongs to it. All
  /// that it results in does.
  bool isFlag(mlir::Value value) const;
  /// Whether a carry gets the buffer of another one.
  bool getsOther(unsigned carry) const;

  /// Emits a number that the host can compute before the loop.
  mlir::Value createNumber(mlir::OpBuilder &host, mlir::Value value);
  /// Emits the size of a buffer of the loop.
  mlir::Value createSize(mlir::OpBuilder &host, mlir::Value buffer,
                         int64_t dim);
  /// Emits whether each carry always has as many elements as it starts with.
  mlir::Value createKeepsSizes(mlir::OpBuilder &host);
  /// Emits how much work an iteration is, in points of a kernel.
  mlir::Value createWork(mlir::OpBuilder &host);

private:
  llvm::StringRef checkBlock(mlir::Block &block);
  llvm::StringRef checkOp(mlir::Operation &op);
  llvm::StringRef checkBranch(mlir::scf::IfOp branch);
  llvm::StringRef checkPassed();
  llvm::StringRef checkRelease(mlir::memref::DeallocOp op);
  llvm::StringRef checkReleaseOfCarry(mlir::memref::DeallocOp op,
                                      unsigned carry);
  llvm::StringRef checkCarries();
  void findFlags();
  bool isFresh(mlir::Value yielded) const;
  bool findOwned();
  bool isKnown(mlir::Value number) const;
  bool hasKnownSizes(mlir::Value buffer) const;
  /// A buffer of the second region as the first one knows it.
  mlir::Value getBefore(mlir::Value value) const;

  mlir::scf::WhileOp loop;
  mlir::scf::ConditionOp condition;
  mlir::scf::YieldOp yield;
  llvm::SmallVector<Carry> carries;
  /// The carries whose buffers the loop frees, always or if it made them.
  llvm::SmallDenseSet<unsigned> freed, freedByFlag;
  llvm::SmallDenseSet<unsigned> flags;
  /// Numbers that have been emitted.
  llvm::DenseMap<mlir::Value, mlir::Value> numbers;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_DEVICELOOP_H
