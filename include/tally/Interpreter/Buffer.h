//===- Buffer.h - Memory of the interpreter ---------------------*- C++ -*-===//
//
// The value of a memref: a part of an allocation, which other values share. An
// element that was never written is poison.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_INTERPRETER_BUFFER_H
#define TALLY_INTERPRETER_BUFFER_H

#include "tally/Interpreter/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace tally::interpreter {

class AccessLog;

/// An allocation: elements of one type, one after the other.
struct Memory {
  Memory(Tensor elements, int64_t address);
  ~Memory();

  /// Of one dimension.
  Tensor elements;
  /// Where it starts, in bytes. No other allocation is near.
  int64_t address;
  bool isFreed = false;
  /// Whether nothing may write to it: a constant, or an argument of the caller.
  bool isConstant = false;
  /// What the threads of the launch that is running have accessed, or null.
  std::unique_ptr<AccessLog> log;
};

/// What a memref sees of an allocation.
struct Buffer {
  std::shared_ptr<Memory> memory;
  /// The element that its pointer points to, and how far the first one is from
  /// that.
  int64_t base = 0;
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;
  /// Whether a kernel has promised not to write through it.
  bool isReadOnly = false;

  /// All of an allocation, row-major.
  Buffer(std::shared_ptr<Memory> memory, llvm::ArrayRef<int64_t> shape);

  mlir::Type getElementType() const {
    return memory->elements.getElementType();
  }
  /// The address in bytes of the pointer.
  int64_t getAddress() const;
  /// The element of the allocation at these indices; nothing where one is
  /// outside of the buffer, or the element is outside of the allocation.
  std::optional<int64_t> getPosition(llvm::ArrayRef<int64_t> indices) const;
};

/// The strides of a buffer without gaps.
llvm::SmallVector<int64_t, 4> getRowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace tally::interpreter

#endif // TALLY_INTERPRETER_BUFFER_H
