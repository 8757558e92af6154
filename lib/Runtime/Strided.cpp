//===- Strided.cpp - Strided tensors of the runtime -----------------------===//
//
// Sizes, layouts and copies of DLPack tensors.
//
//===----------------------------------------------------------------------===//

#include "Strided.h"

#include <cstdint>
#include <cstring>

using namespace tally::runtime;

bool tally::runtime::sameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

std::string tally::runtime::printType(DLDataType type) {
  std::string bits = std::to_string(type.bits);
  std::string lanes = type.lanes == 1 ? "" : "x" + std::to_string(type.lanes);
  switch (type.code) {
  case kDLInt:
    return "i" + bits + lanes;
  case kDLUInt:
    return "u" + bits + lanes;
  case kDLFloat:
    return "f" + bits + lanes;
  case kDLBfloat:
    return "bf" + bits + lanes;
  case kDLComplex:
    return "c" + bits + lanes;
  case kDLBool:
    return "i1" + lanes;
  default:
    return "code " + std::to_string(type.code) + " of " + bits + " bits" +
           lanes;
  }
}

int64_t tally::runtime::elementSize(DLDataType type) {
  return (static_cast<int64_t>(type.bits) * type.lanes + 7) / 8;
}

bool tally::runtime::sizeInBytes(const DLTensor &tensor, int64_t &bytes) {
  bytes = elementSize(tensor.dtype);
  bool empty = false, overflow = false;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    empty |= tensor.shape[d] == 0;
    overflow |= __builtin_mul_overflow(bytes, tensor.shape[d], &bytes);
  }
  if (empty)
    bytes = 0;
  return empty || !overflow;
}

bool tally::runtime::isCompact(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  for (int32_t d = 0; d < tensor.ndim; ++d)
    if (tensor.shape[d] == 0)
      return true;
  int64_t stride = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != stride)
      return false;
    stride *= tensor.shape[d];
  }
  return true;
}

static char *dataOf(const DLTensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

bool tally::runtime::isCompactAndAligned(const DLTensor &tensor) {
  auto address = reinterpret_cast<uintptr_t>(dataOf(tensor));
  return isCompact(tensor) &&
         address % static_cast<uintptr_t>(elementSize(tensor.dtype)) == 0;
}

/// Calls `copy(strided, compact, count, stride)` for every row of `tensor`,
/// where `compact` walks through a compact buffer beside it; the stride is in
/// bytes.
template <typename Copy>
static void forEachRow(const DLTensor &tensor, char *compact, Copy copy) {
  int64_t size = elementSize(tensor.dtype);
  int64_t bytes = 0;
  sizeInBytes(tensor, bytes);
  if (bytes == 0)
    return;
  if (isCompact(tensor)) {
    copy(dataOf(tensor), compact, bytes / size, size);
    return;
  }
  // Not compact, so there is a dimension and there are strides.
  int32_t last = tensor.ndim - 1;
  int64_t row = tensor.shape[last], rows = bytes / size / row;
  for (int64_t r = 0; r < rows; ++r, compact += row * size) {
    int64_t rest = r, offset = 0;
    for (int32_t d = last; d-- > 0;) {
      offset += rest % tensor.shape[d] * tensor.strides[d];
      rest /= tensor.shape[d];
    }
    // The stride of a single element may be anything.
    copy(dataOf(tensor) + offset * size, compact, row,
         row == 1 ? size : tensor.strides[last] * size);
  }
}

/// Copies `count` elements with the given strides in bytes.
static void copyElements(char *target, int64_t targetStride, const char *source,
                         int64_t sourceStride, int64_t count, int64_t size) {
  if (targetStride == size && sourceStride == size) {
    std::memcpy(target, source, count * size);
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(target + i * targetStride, source + i * sourceStride, size);
}

void tally::runtime::copyFromStrided(char *target, const DLTensor &source) {
  int64_t size = elementSize(source.dtype);
  bool isBool = source.dtype.code == kDLBool;
  forEachRow(source, target,
             [&](char *strided, char *compact, int64_t count, int64_t stride) {
               copyElements(compact, size, strided, stride, count, size);
               for (int64_t i = 0; isBool && i < count; ++i)
                 compact[i] = compact[i] != 0;
             });
}

void tally::runtime::copyToStrided(const DLTensor &target,
                                   const DLTensor &source) {
  int64_t size = elementSize(target.dtype);
  forEachRow(target, dataOf(source),
             [&](char *strided, char *compact, int64_t count, int64_t stride) {
               copyElements(strided, stride, compact, size, count, size);
             });
}

void tally::runtime::setCompactStrides(DLTensor &tensor) {
  // Unsigned, as the product of an empty tensor's other sizes may wrap.
  uint64_t stride = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    tensor.strides[d] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(tensor.shape[d]);
  }
}
