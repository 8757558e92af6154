//===- Operators.h - What users call operations -----------------*- C++ -*-===//
//
// A front end makes several operations of one operator. It notes the operator's
// name in their location, in the metadata of a fused one, so that messages can
// say `needed by add`.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_OPERATORS_H
#define TALLY_IR_OPERATORS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tally {

/// In a dictionary that is the metadata of a fused location: what the user
/// calls the operator, such as "add".
inline constexpr llvm::StringLiteral kOperatorKey{"tally.operator"};

/// A location that tells the operator, too.
inline mlir::Location getOperatorLoc(mlir::Location loc, llvm::StringRef name) {
  mlir::MLIRContext *context = loc.getContext();
  mlir::NamedAttribute entry(kOperatorKey,
                             mlir::StringAttr::get(context, name));
  return mlir::FusedLoc::get(context, loc,
                             mlir::DictionaryAttr::get(context, entry));
}

/// The name of the operator, where the location has one.
inline std::optional<llvm::StringRef> findOperatorName(mlir::Location loc) {
  using OperatorLoc = mlir::FusedLocWith<mlir::DictionaryAttr>;
  if (auto fused = loc->findInstanceOf<OperatorLoc>())
    if (auto name = fused.getMetadata().getAs<mlir::StringAttr>(kOperatorKey))
      return name.getValue();
  return std::nullopt;
}

/// The name of an operation: the user's, where its location has it, or its own.
inline llvm::StringRef getOperatorName(mlir::Operation *op) {
  return findOperatorName(op->getLoc()).value_or(op->getName().getStringRef());
}

} // namespace tally

#endif // TALLY_IR_OPERATORS_H
