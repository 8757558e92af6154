//===- Combiners.h - What joins parts of a reduction ------------*- C++ -*-===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULECPU_COMBINERS_H
#define TALLY_LIB_CODEGEN_SCHEDULECPU_COMBINERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tally::codegen {

/// The operation that joins two parts of a reduction, and its neutral element.
struct Combiner {
  mlir::Operation *op;
  mlir::TypedAttr neutral;
};

/// Returns what joins elements of an operation with one result, if nothing else
/// reads what was accumulated.
std::optional<Combiner> findCombiner(mlir::linalg::GenericOp op);

/// Whether a combiner is a sum whose order does not matter.
bool isReassociated(const Combiner &combiner);

/// Has products that are added to sums in any order be added without being
/// rounded first, where the processor can.
void fuseProducts(mlir::linalg::GenericOp op);

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULECPU_COMBINERS_H
