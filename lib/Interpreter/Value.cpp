//===- Value.cpp - Values of the interpreter ------------------------------===//

#include "tally/Interpreter/Value.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace tally::interpreter;

std::optional<unsigned> tally::interpreter::getBitWidth(mlir::Type type) {
  if (type.isIndex())
    return 64;
  if (auto integer = dyn_cast<mlir::IntegerType>(type);
      integer && integer.isSignless() && integer.getWidth() > 0)
    return integer.getWidth();
  if (auto real = dyn_cast<mlir::FloatType>(type))
    return real.getWidth();
  return std::nullopt;
}

bool tally::interpreter::isKnownType(mlir::Type type) {
  if (auto tensor = dyn_cast<mlir::TensorType>(type)) {
    auto ranked = dyn_cast<mlir::RankedTensorType>(type);
    return getBitWidth(tensor.getElementType()) &&
           (!ranked || !ranked.getEncoding());
  }
  return getBitWidth(type).has_value();
}

APFloat Scalar::getFloat(mlir::Type type) const {
  return {cast<mlir::FloatType>(type).getFloatSemantics(), getBits()};
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

std::optional<int64_t> Tensor::getNumBytes(mlir::Type elementType,
                                           ArrayRef<int64_t> shape) {
  std::optional<unsigned> width = getBitWidth(elementType);
  if (!width || any_of(shape, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  if (is_contained(shape, 0))
    return 0;
  int64_t bytes = divideCeil(*width, 8);
  for (int64_t size : shape)
    if (MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

Tensor::Tensor(mlir::Type elementType, ArrayRef<int64_t> shape) {
  std::optional<int64_t> numBytes = getNumBytes(elementType, shape);
  assert(numBytes && "no such tensor");
  auto made = std::make_shared<Header>();
  made->elementType = elementType;
  made->shape.assign(shape.begin(), shape.end());
  made->bitWidth = *getBitWidth(elementType);
  made->elementBytes = divideCeil(made->bitWidth, 8);
  made->numElements = *numBytes / made->elementBytes;
  storage = std::make_shared<Storage>();
  storage->bytes.resize(*numBytes);
  storage->poison.assign(made->numElements, true);
  header = std::move(made);
}

Tensor Tensor::fromBytes(mlir::Type elementType, ArrayRef<int64_t> shape,
                         const char *bytes) {
  Tensor tensor(elementType, shape);
  if (!tensor.storage->bytes.empty())
    std::memcpy(tensor.storage->bytes.data(), bytes,
                tensor.storage->bytes.size());
  tensor.storage->poison.clear();
  return tensor;
}

Tensor Tensor::splat(mlir::Type elementType, ArrayRef<int64_t> shape,
                     const Scalar &value) {
  Tensor tensor(elementType, shape);
  if (value.isPoison() || tensor.getNumElements() == 0)
    return tensor;
  tensor.storage->poison.clear();
  tensor.set(0, value);
  std::vector<char> &bytes = tensor.storage->bytes;
  unsigned elementBytes = tensor.header->elementBytes;
  for (size_t i = elementBytes; i < bytes.size(); ++i)
    bytes[i] = bytes[i - elementBytes];
  return tensor;
}

Scalar Tensor::get(int64_t position) const {
  assert(position >= 0 && position < header->numElements && "out of bounds");
  if (isPoison(position))
    return Scalar::ofPoison();
  const char *element = storage->bytes.data() + position * header->elementBytes;
  if (header->bitWidth <= 64) {
    uint64_t word = 0;
    std::memcpy(&word, element, header->elementBytes);
    return Scalar(APInt(header->bitWidth, word, /*isSigned=*/false,
                        /*implicitTrunc=*/true));
  }
  SmallVector<uint64_t> words(divideCeil(header->bitWidth, 64));
  std::memcpy(words.data(), element, header->elementBytes);
  return Scalar(APInt(header->bitWidth, words));
}

void Tensor::set(int64_t position, const Scalar &value) {
  assert(position >= 0 && position < header->numElements && "out of bounds");
  if (storage.use_count() > 1)
    storage = std::make_shared<Storage>(*storage);
  char *element = storage->bytes.data() + position * header->elementBytes;
  if (value.isPoison()) {
    storage->poison.resize(header->numElements, false);
    storage->poison[position] = true;
    std::memset(element, 0, header->elementBytes);
    return;
  }
  assert(value.getBits().getBitWidth() == header->bitWidth && "another type");
  std::memcpy(element, value.getBits().getRawData(), header->elementBytes);
  if (!storage->poison.empty())
    storage->poison[position] = false;
}

std::optional<int64_t> Tensor::getPosition(ArrayRef<int64_t> indices) const {
  assert(indices.size() == header->shape.size() && "an index a dimension");
  int64_t position = 0;
  for (auto [index, size] : zip_equal(indices, header->shape)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    position = position * size + index;
  }
  return position;
}

ArrayRef<char> Tensor::getBytes() const { return storage->bytes; }

bool Tensor::isPoison(int64_t position) const {
  return !storage->poison.empty() && storage->poison[position];
}

std::optional<int64_t> Tensor::findPoison() const {
  for (size_t i = 0; i < storage->poison.size(); ++i)
    if (storage->poison[i])
      return static_cast<int64_t>(i);
  return std::nullopt;
}

Tensor Tensor::withShape(ArrayRef<int64_t> newShape) const {
  auto made = std::make_shared<Header>(*header);
  made->shape.assign(newShape.begin(), newShape.end());
  assert(getNumBytes(made->elementType, newShape) ==
             static_cast<int64_t>(storage->bytes.size()) &&
         "another number of elements");
  Tensor tensor = *this;
  tensor.header = std::move(made);
  return tensor;
}

Tensor Tensor::withElementType(mlir::Type newType) const {
  assert(getBitWidth(newType) == header->bitWidth && "other bits");
  auto made = std::make_shared<Header>(*header);
  made->elementType = newType;
  Tensor tensor = *this;
  tensor.header = std::move(made);
  return tensor;
}
