//===- ElementBounds.cpp - The least and the greatest element -------------===//

#include "tally/IR/ElementBounds.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

/// Reads a little-endian integer of at most 8 bytes.
static uint64_t readBytes(StringRef bytes) {
  uint64_t result = 0;
  for (auto [index, byte] : llvm::enumerate(bytes))
    result |= uint64_t(uint8_t(byte)) << (8 * index);
  return result;
}

std::optional<std::pair<int64_t, int64_t>>
tally::getElementBounds(Type elementType, StringRef bytes) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer || integer.getWidth() == 0 || integer.getWidth() > 64)
    return std::nullopt;
  unsigned width = integer.getWidth();
  size_t step = llvm::divideCeil(width, 8);
  std::optional<std::pair<int64_t, int64_t>> bounds;
  for (size_t at = 0; at + step <= bytes.size(); at += step) {
    uint64_t bits = readBytes(bytes.substr(at, step));
    int64_t element =
        width == 1 ? int64_t(bits != 0) : llvm::SignExtend64(bits, width);
    if (!bounds)
      bounds.emplace(element, element);
    bounds->first = std::min(bounds->first, element);
    bounds->second = std::max(bounds->second, element);
  }
  return bounds;
}
