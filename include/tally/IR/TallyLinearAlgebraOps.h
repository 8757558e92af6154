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
  /// one size, and `k` is the lesser of `m` and `n`.
  llvm::StringRef dims;
  /// Elements are i32.
  bool isInteger = false;
};
} // namespace tally

#define GET_OP_CLASSES
#include "tally/IR/TallyLinearAlgebraOps.h.inc"

#endif // TALLY_IR_TALLYLINEARALGEBRAOPS_H
