//===- Scalars.h - Scalar arithmetic with PyTorch's meaning -----*- C++ -*-===//
//
// Builds scalar operations inside the bodies of linalg ops, or outside.
//
//===----------------------------------------------------------------------===//

#ifndef TALLY_LIB_IMPORT_SCALARS_H
#define TALLY_LIB_IMPORT_SCALARS_H

#include "Dtypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tally::import_pt2 {

/// A comparison, before it is known whether of integers or of floats.
enum class Compare { Eq, Ne, Lt, Le, Gt, Ge };

/// Builds operations on scalars of one element type.
class Scalars {
public:
  Scalars(mlir::OpBuilder &builder, mlir::Location loc, Dtype dtype)
      : b(builder), loc(loc), dtype(dtype) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  Dtype dtype;

  bool isFloat() const { return isFloating(dtype); }
  mlir::Type type() const { return getElementType(dtype, b.getContext()); }

  /// A constant of the element type, converted as `castTo` does: what an
  /// integer type does not hold wraps, and all but zero is true.
  mlir::Value integer(int64_t value) const;
  mlir::Value number(double value) const;
  /// The smallest and the largest value of the type; infinities for floats.
  mlir::Value lowest() const;
  mlir::Value highest() const;

  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  /// x * y + z; floats are rounded once.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) const;
  mlir::Value neg(mlir::Value x) const;
  mlir::Value abs(mlir::Value x) const;
  /// Division of floats.
  mlir::Value divFloat(mlir::Value x, mlir::Value y) const;
  /// Division rounded to minus infinity; of integers never by zero. Each step
  /// is rounded to the type `step` of floats.
  mlir::Value divFloor(mlir::Value x, mlir::Value y, Dtype step) const;
  mlir::Value divFloor(mlir::Value x, mlir::Value y) const {
    return divFloor(x, y, dtype);
  }
  /// Division rounded toward zero; the quotient is rounded to `step` before.
  mlir::Value divTrunc(mlir::Value x, mlir::Value y, Dtype step) const;
  mlir::Value divTrunc(mlir::Value x, mlir::Value y) const {
    return divTrunc(x, y, dtype);
  }
  /// The rest with the sign of the divisor.
  mlir::Value remainder(mlir::Value x, mlir::Value y) const;
  /// The rest with the sign of the dividend.
  mlir::Value fmod(mlir::Value x, mlir::Value y) const;
  /// NaN wins.
  mlir::Value max(mlir::Value x, mlir::Value y) const;
  mlir::Value min(mlir::Value x, mlir::Value y) const;
  /// x unless it is beyond a limit; NaN if either is. At the limit, which may
  /// be a zero of another sign, the result is x, or the limit if `keepsLimit`.
  mlir::Value atLeast(mlir::Value x, mlir::Value low,
                      bool keepsLimit = false) const;
  mlir::Value atMost(mlir::Value x, mlir::Value high,
                     bool keepsLimit = false) const;
  mlir::Value pow(mlir::Value x, mlir::Value y) const;
  mlir::Value bitAnd(mlir::Value x, mlir::Value y) const;
  mlir::Value bitOr(mlir::Value x, mlir::Value y) const;
  mlir::Value bitXor(mlir::Value x, mlir::Value y) const;
  mlir::Value bitNot(mlir::Value x) const;
  mlir::Value shiftLeft(mlir::Value x, mlir::Value y) const;
  mlir::Value shiftRight(mlir::Value x, mlir::Value y) const;

  mlir::Value compare(Compare kind, mlir::Value x, mlir::Value y) const;
  mlir::Value isNan(mlir::Value x) const;
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const;

  /// Converts from `dtype` to another type.
  mlir::Value castTo(Dtype to, mlir::Value x) const;
  /// Whether PyTorch converts a number of `dtype`; null if it does all of them.
  mlir::Value fits(Dtype to, mlir::Value x) const;

private:
  /// Rounds a float to another type.
  mlir::Value roundTo(Dtype step, mlir::Value x) const;
  mlir::Value fromFloat(Dtype to, mlir::Value x) const;
  mlir::Value fromInteger(Dtype to, mlir::Value x) const;
  /// A divisor of which neither 0 nor -1 is left, and whether it was -1.
  std::pair<mlir::Value, mlir::Value> safeDivisor(mlir::Value y) const;
  mlir::Value powInteger(mlir::Value x, mlir::Value y) const;
  bool isUnsigned() const { return dtype == Dtype::U8 || dtype == Dtype::Bool; }
};

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_SCALARS_H
