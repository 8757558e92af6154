//===- Value.h - Values of the interpreter ----------------------*- C++ -*-===//
//-*-===//
//
// The value of an SSA value while a program is interpreted: a scalar of a
// builtin type, a tensor or a vector of such scalars, or a buffer. Every scalar
// may be poison.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_INTERPRETER_VALUE_H
#define TALLY_INTERPRETER_VALUE_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>
#include <vector>

namespace tally::interpreter {

/// The bits of a scalar type: 64 for an index. Nothing for a type that the
/// interpreter does not know.
std::optional<unsigned> getBitWidth(mlir::Type type);

/// Returns whether the interpreter has values of the type: an index, a signless
/// integer, a float, or a ranked or unranked tensor of these.
bool isKnownType(mlir::Type type);

/// A scalar: the bits of an integer, an index (64 bits) or a float, or poison.
/// It does not know its type, which is that of the SSA value that holds it.
class Scalar {
public:
  /// Poison of no particular type.
  Scalar() : bits(1, 0), poison(true) {}
  Scalar(llvm::APInt bits) : bits(std::move(bits)) {}
  Scalar(const llvm::APFloat &value) : bits(value.bitcastToAPInt()) {}
  static Scalar ofIndex(int64_t value) {
    return Scalar(llvm::APInt(64, static_cast<uint64_t>(value)));
  }
  static Scalar ofBool(bool value) { return Scalar(llvm::APInt(1, value)); }
  static Scalar ofPoison() { return Scalar(); }

  bool isPoison() const { return poison; }
  /// The bits; asserted not to be poison.
  const llvm::APInt &getBits() const {
    assert(!poison && "poison has no bits");
    return bits;
  }
  bool getBool() const { return !getBits().isZero(); }
  /// The value as a signed integer, which must fit 64 bits.
  int64_t getInt() const { return getBits().getSExtValue(); }
  /// The bits as a float of that type.
  llvm::APFloat getFloat(mlir::Type type) const;

  bool operator==(const Scalar &other) const {
    return poison == other.poison && (poison || bits == other.bits);
  }

private:
  llvm::APInt bits;
  bool poison = false;
};

/// A tensor of scalars, row-major and compact. An element takes as many bytes
/// as its bits need, a boolean one, an index eight, as at the C interface.
/// Copies share their elements until one of them is written to.
class Tensor {
public:
  Tensor() = default;
  /// Every element is poison. The sizes must not be negative, and their bytes
  /// must fit 63 bits (see `getNumBytes`).
  Tensor(mlir::Type elementType, llvm::ArrayRef<int64_t> shape);
  /// Takes the elements from memory, `getNumBytes(elementType, shape)` bytes.
  static Tensor fromBytes(mlir::Type elementType, llvm::ArrayRef<int64_t> shape,
                          const char *bytes);
  /// Every element has the same value.
  static Tensor splat(mlir::Type elementType, llvm::ArrayRef<int64_t> shape,
                      const Scalar &value);

  /// The bytes of a tensor; nothing if they do not fit 63 bits, a size is
  /// negative or the interpreter does not know the type.
  static std::optional<int64_t> getNumBytes(mlir::Type elementType,
                                            llvm::ArrayRef<int64_t> shape);

  explicit operator bool() const { return storage != nullptr; }
  mlir::Type getElementType() const { return header->elementType; }
  llvm::ArrayRef<int64_t> getShape() const { return header->shape; }
  int64_t getRank() const { return static_cast<int64_t>(header->shape.size()); }
  int64_t getDim(int64_t dim) const { return header->shape[dim]; }
  int64_t getNumElements() const { return header->numElements; }

  /// An element by its row-major position.
  Scalar get(int64_t position) const;
  void set(int64_t position, const Scalar &value);

  /// The row-major position of an element; nothing if an index is outside.
  std::optional<int64_t> getPosition(llvm::ArrayRef<int64_t> indices) const;

  /// The bytes of the elements; those of poison are zero.
  llvm::ArrayRef<char> getBytes() const;
  bool isPoison(int64_t position) const;
  /// The position of the first element that is poison, or nothing.
  std::optional<int64_t> findPoison() const;

  /// The same elements as a tensor of another shape of as many elements, or of
  /// another type of the same bytes.
  Tensor withShape(llvm::ArrayRef<int64_t> newShape) const;
  Tensor withElementType(mlir::Type newType) const;

private:
  struct Header {
    mlir::Type elementType;
    llvm::SmallVector<int64_t, 4> shape;
    int64_t numElements = 0;
    unsigned bitWidth = 0;
    unsigned elementBytes = 0;
  };
  struct Storage {
    std::vector<char> bytes;
    /// One for each element, or nothing where none is poison.
    std::vector<bool> poison;
  };

  std::shared_ptr<const Header> header;
  std::shared_ptr<Storage> storage;
};

struct Buffer;

/// A scalar, a tensor (or a vector) or a buffer.
class RuntimeValue {
public:
  RuntimeValue() = default;
  RuntimeValue(Scalar scalar) : scalar(std::move(scalar)) {}
  RuntimeValue(Tensor tensor) : tensor(std::move(tensor)) {}
  RuntimeValue(Buffer buffer);

  bool isTensor() const { return static_cast<bool>(tensor); }
  bool isBuffer() const { return buffer != nullptr; }
  const Scalar &getScalar() const {
    assert(!isTensor() && !isBuffer() && "this is no scalar");
    return scalar;
  }
  const Tensor &getTensor() const {
    assert(isTensor() && "a scalar is no tensor");
    return tensor;
  }
  Tensor &getTensor() {
    assert(isTensor() && "a scalar is no tensor");
    return tensor;
  }
  const Buffer &getBuffer() const {
    assert(isBuffer() && "this is no buffer");
    return *buffer;
  }

private:
  Scalar scalar;
  Tensor tensor;
  std::shared_ptr<const Buffer> buffer;
};

} // namespace tally::interpreter

#endif // TALLY_INTERPRETER_VALUE_H
