//===- SortKeys.h - Elements as unsigned numbers ----------------*- C++ -*-===//
//
// The order of elements as that of unsigned numbers, so that one kernel sorts
// all types.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKEYS_H
#define TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKEYS_H

#include "Emitter.h"
#include "tally/IR/Tally.h"

namespace tally::codegen {

/// Makes unsigned keys of the elements that an operation sorts. Elements that
/// are equal have the same key.
class SortKeys {
public:
  explicit SortKeys(tally::SortOp op);

  /// The type of a key: the bits of an element, and a byte for a boolean.
  mlir::IntegerType getType() const { return type; }
  /// The 8 bit digits of a key that may differ.
  int64_t getNumDigits() const { return type.getWidth() / 8; }
  /// Whether different elements may be equal, so that a key does not tell the
  /// element: zeros of both signs, and NaN.
  bool areAmbiguous() const { return kind == Kind::Float; }

  mlir::Value encode(Emitter &emitter, mlir::Value element) const;
  /// The element of a key; `load` loads it where the key does not tell it.
  mlir::Value decode(Emitter &emitter, mlir::Value key,
                     llvm::function_ref<mlir::Value()> load) const;

private:
  enum class Kind { Unsigned, Signed, Float };

  mlir::Value constant(Emitter &emitter, const llvm::APInt &value) const;
  mlir::Value flip(Emitter &emitter, mlir::Value key) const;
  mlir::Value orderFloat(Emitter &emitter, mlir::Value bits) const;

  mlir::Type element;
  mlir::IntegerType type;
  Kind kind;
  bool isDescending;
};

} // namespace tally::codegen

#endif // TALLY_LIB_CODEGEN_SCHEDULEGPU_SORTKEYS_H
