//===- Dtypes.h - Element types of exported programs ------------*- C++ -*-===//
//
// PyTorch's element types, their place in MLIR, and PyTorch's rules of type
// promotion.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_DTYPES_H
#define TALLY_LIB_IMPORT_DTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tally::import_pt2 {

/// An element type, with the number that the archive's schema gives it.
enum class Dtype : int {
  Undefined = 0,
  U8 = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  Bool = 12,
  BF16 = 13,
};

/// The element type of this number in the schema, if it is supported.
std::optional<Dtype> getDtype(int64_t schemaNumber);
/// The name of any element type of the schema.
llvm::StringRef getDtypeName(int64_t schemaNumber);

inline bool isFloating(Dtype dtype) {
  return dtype == Dtype::F16 || dtype == Dtype::F32 || dtype == Dtype::F64 ||
         dtype == Dtype::BF16;
}
inline bool isHalf(Dtype dtype) {
  return dtype == Dtype::F16 || dtype == Dtype::BF16;
}
inline bool isInteger(Dtype dtype) {
  return dtype != Dtype::Bool && !isFloating(dtype);
}

/// Bytes of one element in memory.
unsigned getByteWidth(Dtype dtype);
/// The MLIR type; integers are signless.
mlir::Type getElementType(Dtype dtype, mlir::MLIRContext *context);

/// The type that PyTorch computes in for elements of `dtype`: halves are
/// computed in f32 and rounded once.
inline Dtype getComputeDtype(Dtype dtype) {
  return isHalf(dtype) ? Dtype::F32 : dtype;
}
/// The type of a float result of `dtype`: integers become f32.
inline Dtype getFloatDtype(Dtype dtype) {
  return isFloating(dtype) ? dtype : Dtype::F32;
}

/// The numbers that PyTorch converts to an element type; for others it raises
/// an error. An integer may be negative for an unsigned type, which it wraps
/// to. None: every number of 64 bits has a place.
std::optional<std::pair<int64_t, int64_t>> getIntegerBounds(Dtype dtype);
/// The same for numbers that are floats. Infinities are bounds of no float
/// type, and a NaN is converted to all but the integers.
std::optional<std::pair<double, double>> getFloatBounds(Dtype dtype);
/// Whether a float is converted to an element type.
bool fits(double value, Dtype dtype);

/// The type that PyTorch sums elements in, and gives the sum in.
inline Dtype getSumDtype(Dtype dtype) {
  return isFloating(dtype) ? dtype : Dtype::I64;
}

/// torch.promote_types.
Dtype promoteTypes(Dtype a, Dtype b);

/// Collects operands and gives the type of their result, as torch.result_type
/// does: tensors with dimensions come before tensors without, and those before
/// Python numbers, inside one category.
class ResultType {
public:
  void addTensor(Dtype dtype, bool hasDims) {
    Dtype &slot = hasDims ? dims : zeroDims;
    slot = promote(slot, dtype);
  }
  /// Python numbers: Bool, I64, or F64 for a float.
  void addScalar(Dtype dtype) {
    numbers = promote(numbers, isFloating(dtype) ? Dtype::F32 : dtype);
  }
  Dtype get() const { return combine(dims, combine(zeroDims, numbers)); }

private:
  static Dtype promote(Dtype a, Dtype b);
  static Dtype combine(Dtype higher, Dtype lower);

  Dtype dims = Dtype::Undefined;
  Dtype zeroDims = Dtype::Undefined;
  Dtype numbers = Dtype::Undefined;
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_DTYPES_H
