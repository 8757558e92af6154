//===- TallyAttrs.h - Attributes of the tally dialect -----------*- C++ -*-===//
//
// The attributes stand below the operations, so that interfaces can speak of
// them. TallyAttrs.td documents each.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_ATTRIBUTES_TALLYATTRS_H
#define TALLY_IR_ATTRIBUTES_TALLYATTRS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

namespace tally::symbolic {
enum class SymbolType : uint8_t;
} // namespace tally::symbolic

#include "tally/IR/Attributes/TallyEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tally/IR/Attributes/TallyAttrs.h.inc"

namespace tally::detail {
/// Verifies the bindings of an operation that makes symbols: key paths fit the
/// results, and no symbol is bound twice.
llvm::LogicalResult verifyBindings(mlir::Operation *op);
} // namespace tally::detail

#endif // TALLY_IR_ATTRIBUTES_TALLYATTRS_H
