//===- Passes.h - Passes that only pipelines have ---------------*- C++ -*-===//

#ifndef TALLY_PIPELINES_PASSES_H
#define TALLY_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tally/Pipelines/Passes.h.inc"

} // namespace tally

#endif // TALLY_PIPELINES_PASSES_H
