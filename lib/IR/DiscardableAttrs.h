//===- DiscardableAttrs.h - Attributes on operations of others --*- C++ -*-===//

#ifndef TALLY_LIB_IR_DISCARDABLEATTRS_H
#define TALLY_LIB_IR_DISCARDABLEATTRS_H

#include "tally/IR/Tally.h"

#include "mlir/IR/Operation.h"

namespace tally::detail {

/// Refuses an attribute of the dialect that nobody would read. `where` is what
/// it stands on, for messages.
mlir::LogicalResult verifyIsKnown(mlir::Operation *op, llvm::StringRef name,
                                  llvm::ArrayRef<llvm::StringRef> known,
                                  const llvm::Twine &where);

/// Verifies an attribute of the dialect on an operation: that there is one of
/// that name, its place and its value.
mlir::LogicalResult verifyDiscardableAttr(mlir::Operation *op,
                                          mlir::NamedAttribute attr);

/// Ends a message about an unknown symbol: which are declared, or that there is
/// no table.
void describeDeclared(mlir::InFlightDiagnostic &diagnostic, SymbolsAttr table);

} // namespace tally::detail

#endif // TALLY_LIB_IR_DISCARDABLEATTRS_H
