//===- Bytecode.h - The version of the dialect in bytecode ------*- C++ -*-===//
//
// Bytecode carries the version of the dialect that wrote it. A later release
// reads what an earlier one wrote; test/Bytecode has a file of each.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_BYTECODE_H
#define TALLY_IR_BYTECODE_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace tally {

/// The version of the dialect's operations and attributes. It is raised, with
/// an upgrade in lib/IR/Bytecode.cpp and a stored file, where what an earlier
/// one wrote would be read as something else.
struct TallyDialectVersion : public mlir::DialectVersion {
  static constexpr uint64_t kCurrent = 4;
  /// The first version with attributes in binary; they were text before.
  static constexpr uint64_t kBinaryAttributes = 2;
  /// The first version in which a matmul may have a prologue.
  static constexpr uint64_t kPrologues = 3;
  /// The first version in which it may have a bias and a ReLU.
  static constexpr uint64_t kEpilogues = 4;

  explicit TallyDialectVersion(uint64_t number = kCurrent) : number(number) {}

  uint64_t number;
};

} // namespace tally

#endif // TALLY_IR_BYTECODE_H
