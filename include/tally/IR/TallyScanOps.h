//===- TallyScanOps.h - Results that build on those before ------*- C++ -*-===//
//
// Operations with a header of their own: few files need them.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_TALLYSCANOPS_H
#define TALLY_IR_TALLYSCANOPS_H

#include "tally/IR/Tally.h"

namespace tally {
class AccumulateOp;

/// The accumulators of a scan.
struct AccumulatorResource
    : public mlir::SideEffects::Resource::Base<AccumulatorResource> {
  llvm::StringRef getName() final { return "tally.accumulator"; }
};
} // namespace tally

#define GET_OP_CLASSES
#include "tally/IR/TallyScanOps.h.inc"

#endif // TALLY_IR_TALLYSCANOPS_H
