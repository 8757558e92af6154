//===- BufferOrigins.h - Which buffers may be one ---------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_COMMON_BUFFERORIGINS_H
#define TALLY_LIB_CODEGEN_COMMON_BUFFERORIGINS_H

#include "mlir/IR/Dominance.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace tally::codegen {

/// Tells which memrefs may lie in one allocation, for code whose buffers have
/// owners: what a function returns is an allocation of its own.
class BufferOrigins {
public:
  explicit BufferOrigins(mlir::Operation *root);

  enum class Relation { Same, Distinct, Unknown };

  /// Whether two memrefs lie in one allocation.
  Relation relate(mlir::Value a, mlir::Value b);

  /// The class of a memref: those of other classes are distinct from it, in
  /// every iteration of every loop.
  const void *getClass(mlir::Value memref);

  /// The buffer of which `memref` is a view.
  static mlir::Value getRoot(mlir::Value memref);

private:
  /// Whether `memref` is made by its operation, so that it is distinct from all
  /// that was there before.
  static bool isFresh(mlir::Value memref);
  bool isFreshAfter(mlir::Value memref, mlir::Value other);

  llvm::EquivalenceClasses<const void *> classes;
  mlir::DominanceInfo dominance;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_COMMON_BUFFERORIGINS_H
