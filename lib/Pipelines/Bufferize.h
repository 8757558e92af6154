//===- Bufferize.h - Tensors become buffers ---------------------*- C++ -*-===//

#ifndef TALLY_LIB_PIPELINES_BUFFERIZE_H
#define TALLY_LIB_PIPELINES_BUFFERIZE_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace tally {

/// Upstream's one-shot bufferization of a module, with the project's options
/// and in time that grows with the module.
std::unique_ptr<mlir::Pass> createBufferize();

} // namespace tally

#endif // TALLY_LIB_PIPELINES_BUFFERIZE_H
