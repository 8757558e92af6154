//===- TallyLinearAlgebraOps.h - Factors of matrices ------------*- C++ -*-===//
//
// Operations with a header of their own: few files need them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_TALLYLINEARALGEBRAOPS_H
#define TALLY_IR_TALLYLINEARALGEBRAOPS_H

#include "tally/IR/Tally.h"
#include "tally/IR/TallyLinearAlgebraEnums.h.inc"

namespace tally {
/// An operand of a `tally.linear_algebra`.
struct LinearAlgebraOperand {
  /// The dimensions behind those of the batch, a letter each: equal ones are of
  /// one size, and `k` is the lesser of `m` and `n`. A digit is a size: `2` is
  /// that of the parts of complex numbers.
  llvm::StringRef dims;
  /// Elements are i32.
  bool isInteger = false;

  /// Elements are complex numbers.
  bool hasParts() const { return dims.ends_with("2"); }
  /// A matrix of m rows and n columns lies transposed.
  bool isTurned() const { return dims.starts_with("nm"); }
};
} // namespace tally

#define GET_OP_CLASSES
#include "tally/IR/TallyLinearAlgebraOps.h.inc"

#endif // TALLY_IR_TALLYLINEARALGEBRAOPS_H
