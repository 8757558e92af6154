//===- Passes.h - From the named to the checked form ------------*- C++ -*-===//

#ifndef TALLY_TRANSFORMS_PASSES_H
#define TALLY_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tally {

#define GEN_PASS_DECL
#include "tally/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "tally/Transforms/Passes.h.inc"

} // namespace tally

#endif // TALLY_TRANSFORMS_PASSES_H
