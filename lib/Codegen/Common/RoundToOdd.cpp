//===- RoundToOdd.cpp - Rounding that can be done twice -------------------===//

#include "RoundToOdd.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using arith::CmpIPredicate;

Value tally::codegen::roundToOdd(ImplicitLocOpBuilder &b, Value nearest,
                                 Value isInexact, Value isBelow) {
  Type type = nearest.getType();
  Type element =
      b.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  auto vector = dyn_cast<VectorType>(type);
  Type integer = vector ? vector.clone(element) : element;
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (vector)
      attr = DenseElementsAttr::get(vector.clone(element), Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  };
  Value zero = constant(0), one = constant(1);
  Value bits = arith::BitcastOp::create(b, integer, nearest);
  Value lastBit = arith::AndIOp::create(b, bits, one);
  Value isEven = arith::CmpIOp::create(b, CmpIPredicate::eq, lastBit, zero);
  Value moves = arith::AndIOp::create(b, isInexact, isEven);
  // The value lies toward the odd neighbor: up in magnitude where rounding went
  // down.
  Value isNegative = arith::CmpIOp::create(b, CmpIPredicate::slt, bits, zero);
  Value grows = arith::XOrIOp::create(b, isBelow, isNegative);
  Value step = arith::SelectOp::create(b, grows, one, constant(-1));
  step = arith::SelectOp::create(b, moves, step, zero);
  Value odd = arith::AddIOp::create(b, bits, step);
  return arith::BitcastOp::create(b, type, odd);
}
