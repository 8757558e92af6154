//===- Array.cpp - Arrays on the command line -----------------------------===//

#include "Array.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace llvm;
using namespace tally::run;

//===----------------------------------------------------------------------===//
// Data types
//===----------------------------------------------------------------------===//

namespace {

struct NamedType {
  StringLiteral name;
  DLDataType type;
};

} // namespace

static const NamedType kNamedTypes[] = {
    {"i1", {kDLBool, 8, 1}},    {"u8", {kDLUInt, 8, 1}},
    {"i8", {kDLInt, 8, 1}},     {"i16", {kDLInt, 16, 1}},
    {"i32", {kDLInt, 32, 1}},   {"i64", {kDLInt, 64, 1}},
    {"f16", {kDLFloat, 16, 1}}, {"bf16", {kDLBfloat, 16, 1}},
    {"f32", {kDLFloat, 32, 1}}, {"f64", {kDLFloat, 64, 1}},
};

bool tally::run::isSameType(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

std::optional<DLDataType> tally::run::parseType(StringRef name) {
  for (const NamedType &named : kNamedTypes)
    if (named.name == name)
      return named.type;
  return std::nullopt;
}

std::string tally::run::printType(DLDataType type) {
  for (const NamedType &named : kNamedTypes)
    if (isSameType(named.type, type))
      return named.name.str();
  return "unknown";
}

bool tally::run::isFloat(DLDataType type) {
  return type.code == kDLFloat || type.code == kDLBfloat;
}

int64_t tally::run::getElementSize(DLDataType type) { return type.bits / 8; }

std::string tally::run::describeArray(DLDataType type,
                                      ArrayRef<int64_t> shape) {
  std::string text = printType(type);
  if (shape.empty())
    return text;
  return text + "[" +
         join(map_range(shape,
                        [](int64_t size) { return std::to_string(size); }),
              ", ") +
         "]";
}

//===----------------------------------------------------------------------===//
// Array
//===----------------------------------------------------------------------===//

/// Multiplies the sizes; false where the bytes do not fit.
static bool countElements(ArrayRef<int64_t> shape, int64_t elementSize,
                          int64_t &count) {
  count = 1;
  if (is_contained(shape, 0)) {
    count = 0;
    return true;
  }
  int64_t bytes = elementSize;
  for (int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return false;
    count *= size;
  }
  return true;
}

std::optional<int64_t> tally::run::countBytes(DLDataType type,
                                              ArrayRef<int64_t> shape) {
  int64_t count = 0;
  if (!countElements(shape, getElementSize(type), count))
    return std::nullopt;
  return count * getElementSize(type);
}

Expected<Array> Array::create(DLDataType type, ArrayRef<int64_t> shape,
                              const tally_rt_allocator &allocator) {
  Array array;
  array.type = type;
  array.shape.assign(shape.begin(), shape.end());
  if (!countElements(shape, getElementSize(type), array.numElements))
    return createStringError(array.describe() + " does not fit in memory");
  size_t bytes = std::max<int64_t>(array.getNumBytes(), 1);
  constexpr size_t alignment = 64;
  void *data = allocator.allocate(allocator.user, bytes, alignment);
  if (!data)
    return createStringError("out of memory: cannot allocate " +
                             std::to_string(bytes) + " bytes for " +
                             array.describe());
  array.data.reset(static_cast<char *>(data), [=](char *pointer) {
    allocator.deallocate(allocator.user, pointer, bytes, alignment);
  });
  return array;
}

Array Array::take(DLManagedTensor *managed) {
  const DLTensor &tensor = managed->dl_tensor;
  Array array;
  array.type = tensor.dtype;
  array.shape.assign(tensor.shape, tensor.shape + tensor.ndim);
  if (tensor.dtype.code == kDLComplex) {
    array.type.code = kDLFloat;
    array.type.bits /= 2;
    array.shape.push_back(2);
  }
  countElements(array.shape, getElementSize(array.type), array.numElements);
  array.data.reset(static_cast<char *>(tensor.data) + tensor.byte_offset,
                   [managed](char *) { managed->deleter(managed); });
  return array;
}

Expected<Array> Array::clone(const tally_rt_allocator &allocator) const {
  Expected<Array> copy = create(type, shape, allocator);
  if (copy)
    std::memcpy(copy->getData(), getData(), getNumBytes());
  return copy;
}

DLTensor Array::getTensor() {
  return {data.get(), {kDLCPU, 0},  static_cast<int32_t>(shape.size()),
          type,       shape.data(), nullptr,
          0};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename T>
static T readAs(const char *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void writeAs(char *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

static const fltSemantics &getSemantics(DLDataType type) {
  return type.code == kDLBfloat ? APFloat::BFloat() : APFloat::IEEEhalf();
}

int64_t Array::getInt(int64_t index) const {
  switch (type.bits) {
  case 8:
    return type.code == kDLInt ? readAs<int8_t>(getData(), index)
                               : readAs<uint8_t>(getData(), index);
  case 16:
    return readAs<int16_t>(getData(), index);
  case 32:
    return readAs<int32_t>(getData(), index);
  default:
    return readAs<int64_t>(getData(), index);
  }
}

double Array::getFloat(int64_t index) const {
  if (!isFloat(type))
    return static_cast<double>(getInt(index));
  if (type.bits == 64)
    return readAs<double>(getData(), index);
  if (type.bits == 32)
    return readAs<float>(getData(), index);
  APFloat value(getSemantics(type),
                APInt(16, readAs<uint16_t>(getData(), index)));
  return value.convertToDouble();
}

void Array::setInt(int64_t index, int64_t value) {
  if (isFloat(type)) {
    setFloat(index, static_cast<double>(value));
    return;
  }
  switch (type.bits) {
  case 8:
    writeAs<int8_t>(getData(), index, static_cast<int8_t>(value));
    break;
  case 16:
    writeAs<int16_t>(getData(), index, static_cast<int16_t>(value));
    break;
  case 32:
    writeAs<int32_t>(getData(), index, static_cast<int32_t>(value));
    break;
  default:
    writeAs<int64_t>(getData(), index, value);
  }
}

/// Rounds to f16 or bf16.
static APFloat roundToHalf(DLDataType type, double value) {
  APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(getSemantics(type), APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded;
}

double tally::run::roundToType(DLDataType type, double value) {
  if (type.bits == 64)
    return value;
  if (type.bits == 32)
    return static_cast<float>(value);
  return roundToHalf(type, value).convertToDouble();
}

void Array::setFloat(int64_t index, double value) {
  if (type.bits == 64) {
    writeAs<double>(getData(), index, value);
    return;
  }
  if (type.bits == 32) {
    writeAs<float>(getData(), index, static_cast<float>(value));
    return;
  }
  APInt bits = roundToHalf(type, value).bitcastToAPInt();
  writeAs<uint16_t>(getData(), index,
                    static_cast<uint16_t>(bits.getZExtValue()));
}
