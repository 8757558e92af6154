//===- Strided.h - Strided tensors of the runtime ---------------*- C++ -*-===//
//
// Sizes, layouts and copies of DLPack tensors. Private to the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_RUNTIME_STRIDED_H
#define TALLY_LIB_RUNTIME_STRIDED_H

#include "tally/Runtime/tally_runtime.h"

#include <string>

namespace tally::runtime {

/// Returns whether the two data types are the same.
bool sameType(DLDataType a, DLDataType b);

/// Returns the name of a data type: `f32`, `bf16`, `i1`, `u8`.
std::string printType(DLDataType type);

/// Returns the bytes of one element in memory.
int64_t elementSize(DLDataType type);

/// Computes the bytes of a compact copy; false where they do not fit.
bool sizeInBytes(const DLTensor &tensor, int64_t &bytes);

/// Returns whether the elements lie in row-major order without gaps.
bool isCompact(const DLTensor &tensor);

/// Returns whether the elements lie so, each at a multiple of its size.
bool isCompactAndAligned(const DLTensor &tensor);

/// Copies all elements to the compact buffer `target`, booleans as 0 or 1.
void copyFromStrided(char *target, const DLTensor &source);

/// Copies a compact tensor into `target`, whatever its strides.
void copyToStrided(const DLTensor &target, const DLTensor &source);

/// Sets the strides of a compact tensor from its sizes.
void setCompactStrides(DLTensor &tensor);

} // namespace tally::runtime

#endif // TALLY_LIB_RUNTIME_STRIDED_H
