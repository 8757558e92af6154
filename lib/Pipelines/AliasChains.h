//===- AliasChains.h - Long chains of tensors in one buffer -----*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_ALIASCHAINS_H
#define TALLY_LIB_PIPELINES_ALIASCHAINS_H

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tally {

/// One-shot analysis compares each read of a buffer with each write, again for
/// every operation, which takes long where hundreds of tensors may share one.
/// This cuts such a chain where one of its tensors is all that is used any
/// more: what comes behind reads that through a buffer of its own, and to the
/// analysis it is another buffer.
///
///   %8 = linalg.generic ... outs(%7)
///   %m = bufferization.to_buffer %8
///   %c = bufferization.to_tensor %m restrict writable
///   %9 = linalg.generic ... outs(%c)
///
/// Shorter chains stay as they are. With `mayInsert`, those that something is
/// inserted into may be longer: parts are still to be placed in them.
///
/// A tensor that nothing writes to may have thousands of readers; a few each
/// read it through a tensor of their own.
class AliasChains {
public:
  AliasChains(const mlir::bufferization::OneShotBufferizationOptions &options,
              bool mayInsert)
      : options(options), mayInsert(mayInsert) {}

  /// Cuts the chains in all functions of a module.
  void cut(mlir::ModuleOp module);

  /// Undoes what `cut` did.
  void join();

private:
  void separateReaders(mlir::func::FuncOp function, bool isCalled);
  mlir::bufferization::ToBufferOp getBuffer(mlir::Value value, bool isWritable);
  mlir::bufferization::ToTensorOp
  addTensor(mlir::bufferization::ToBufferOp buffer, bool isWritable);

  const mlir::bufferization::OneShotBufferizationOptions &options;
  bool mayInsert;
  llvm::SmallVector<mlir::bufferization::ToTensorOp> cuts;
};

} // namespace tally

#endif // TALLY_LIB_PIPELINES_ALIASCHAINS_H
