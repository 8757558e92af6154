//===- Bytecode.h - The dialect in bytecode ---------------------*- C++ -*-===//

#ifndef TALLY_LIB_IR_BYTECODE_H
#define TALLY_LIB_IR_BYTECODE_H

namespace mlir {
class Dialect;
} // namespace mlir

namespace tally::detail {

/// Lets the dialect write its version and its attributes into bytecode, and
/// read them.
void addBytecodeInterface(mlir::Dialect &dialect);

} // namespace tally::detail

#endif // TALLY_LIB_IR_BYTECODE_H
