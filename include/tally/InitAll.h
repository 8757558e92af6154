//===- InitAll.h - Registers everything of Tally ----------------*- C++ -*-===//

#ifndef TALLY_INITALL_H
#define TALLY_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tally {

/// Adds the tally dialect and the external models through which the operations
/// of other dialects take part in shape propagation. A model is attached when
/// its dialect is loaded; no dialect is added but Tally's own.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers Tally's passes and named pipelines.
void registerAllPasses();

} // namespace tally

#endif // TALLY_INITALL_H
