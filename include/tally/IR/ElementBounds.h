//===- ElementBounds.h - The least and the greatest element -----*- C++ -*-===//
//
// Between which numbers the integers of a data file lie.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_IR_ELEMENTBOUNDS_H
#define TALLY_IR_ELEMENTBOUNDS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <utility>

namespace tally {

/// Returns the least and the greatest of the elements whose bytes these are:
/// row by row, little-endian, without padding, a boolean being a byte. Integers
/// are read as signed ones; a boolean is 0 or 1. Returns nothing where there is
/// no element, or where elements are no integers of at most 64 bits.
std::optional<std::pair<int64_t, int64_t>>
getElementBounds(mlir::Type elementType, llvm::StringRef bytes);

} // namespace tally

#endif // TALLY_IR_ELEMENTBOUNDS_H
