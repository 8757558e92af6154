//===- BlockEmitter.h - Host code that one block runs -----------*- C++ -*-===//
//
// Kernels, copies and accesses of host code, one after the other, by the
// threads of one block, which meet between what depends on each other.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_BLOCKEMITTER_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_BLOCKEMITTER_H

#include "DeviceLoop.h"
#include "Emitter.h"
#include "Kernels/Kernels.h"

namespace tally::codegen {

class BlockEmitter {
public:
  /// Fills `kernel` at `builder`. `canFail` says whether asserts are among what
  /// will be emitted: behind a failed one nothing is done any more.
  BlockEmitter(Kernel &kernel, mlir::OpBuilder &builder, unsigned numThreads,
               bool canFail);

  /// Emits a loop of the host and returns its numbers. Each carried buffer has
  /// its place, to which what the second region yields is copied, by way of
  /// `temporaries` where that is the place of another one.
  llvm::SmallVector<mlir::Value>
  emitLoop(const DeviceLoop &device, llvm::ArrayRef<mlir::Value> temporaries);
  /// Has one thread store a number.
  void store(mlir::Value value, mlir::Value buffer);
  /// Has the threads for which an assert fails tell the others, who would wait
  /// for them. Comes last.
  void noteFailures();

private:
  void emitBlock(mlir::Block &block);
  void emitOp(mlir::Operation &op);
  void emitKernel(KernelOp op);
  void emitBranch(mlir::scf::IfOp op);
  void emitLoad(mlir::memref::LoadOp op);
  void emitAssert(AssertOp op);
  void startRegion(mlir::Region &region, mlir::ValueRange arguments);
  void emitNext(const DeviceLoop &device,
                llvm::ArrayRef<mlir::Value> temporaries);
  llvm::SmallVector<mlir::Value> getInside(mlir::ValueRange values);
  void emitCopy(mlir::Value from, mlir::Value to);
  void emitCopies(llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> copies);
  void emitInOneThread(mlir::Operation &op);
  void write(bool canFail, llvm::function_ref<void()> body);
  void meet();
  void readState();
  mlir::Value isFirstThread();
  mlir::Value get(mlir::Value value) {
    return kernel.map.lookupOrDefault(value);
  }

  Kernel &kernel;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  Emitter emit;
  IndexMath math;
  unsigned numThreads;
  mlir::Value thread;
  /// Whether an assert has failed, in shared memory, and whether none had when
  /// threads last met; null where nothing can fail.
  mlir::Value failed, isRight;
  /// Whether threads may be reading what others must not write yet.
  bool areReading = false;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_BLOCKEMITTER_H
