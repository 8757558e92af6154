//===- Buffer.cpp - Memory of the interpreter -----------------------------===//

#include "tally/Interpreter/Buffer.h"

#include "Races.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tally::interpreter;

Memory::Memory(Tensor elements, int64_t address)
    : elements(std::move(elements)), address(address) {}

Memory::~Memory() = default;

RuntimeValue::RuntimeValue(Buffer buffer)
    : buffer(std::make_shared<const Buffer>(std::move(buffer))) {}

SmallVector<int64_t, 4>
tally::interpreter::getRowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

Buffer::Buffer(std::shared_ptr<Memory> memory, ArrayRef<int64_t> shape)
    : memory(std::move(memory)), sizes(shape),
      strides(getRowMajorStrides(shape)) {}

int64_t Buffer::getAddress() const {
  return memory->address + base * static_cast<int64_t>(divideCeil(
                                      *getBitWidth(getElementType()), 8));
}

std::optional<int64_t> Buffer::getPosition(ArrayRef<int64_t> indices) const {
  assert(indices.size() == sizes.size() && "an index a dimension");
  __int128 position = static_cast<__int128>(base) + offset;
  for (auto [index, size, stride] : zip_equal(indices, sizes, strides)) {
    if (index < 0 || index >= size)
      return std::nullopt;
    position += static_cast<__int128>(index) * stride;
  }
  if (position < 0 || position >= memory->elements.getNumElements())
    return std::nullopt;
  return static_cast<int64_t>(position);
}
