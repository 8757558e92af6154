//===- TallyFFTOps.h - Fourier transforms -----------------------*- C++ -*-===//
//
// Operations with a header of their own: few files need them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_TALLYFFTOPS_H
#define TALLY_IR_TALLYFFTOPS_H

#include "tally/IR/Tally.h"
#include "tally/IR/TallyFFTEnums.h.inc"

#define GET_OP_CLASSES
#include "tally/IR/TallyFFTOps.h.inc"

#endif // TALLY_IR_TALLYFFTOPS_H
