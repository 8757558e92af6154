//===- MaskedTails.h - What is left of a loop, in one step ------*- C++ -*-===//

#ifndef TALLY_LIB_DRIVER_MASKEDTAILS_H
#define TALLY_LIB_DRIVER_MASKEDTAILS_H

#include "llvm/IR/PassManager.h"

namespace tally {

/// Splits loops with long bodies in front of the vectorizer: one takes whole
/// vectors, and what is left is one step with a mask, not one for each element.
/// Only for processors with registers of masks: elsewhere, a masked store takes
/// longer than several others.
struct MaskTails : public llvm::PassInfoMixin<MaskTails> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tally

#endif // TALLY_LIB_DRIVER_MASKEDTAILS_H
