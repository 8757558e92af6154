//===- SortKeys.cpp - Elements as unsigned numbers ------------------------===//

#include "SortKeys.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tally::codegen;
using arith::CmpIPredicate;

SortKeys::SortKeys(tally::SortOp op)
    : element(getElementTypeOrSelf(op.getSource())),
      isDescending(op.getDescending()) {
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  type = IntegerType::get(op.getContext(), std::max(bits, 8u));
  bool isUnsigned = op.getIsUnsigned() || element.isInteger(1);
  kind = isa<FloatType>(element) ? Kind::Float
         : isUnsigned            ? Kind::Unsigned
                                 : Kind::Signed;
}

Value SortKeys::constant(Emitter &emitter, const APInt &value) const {
  return arith::ConstantOp::create(emitter.builder, emitter.loc,
                                   emitter.builder.getIntegerAttr(type, value));
}

/// The descending order is that of the inverted keys.
Value SortKeys::flip(Emitter &emitter, Value key) const {
  if (!isDescending)
    return key;
  Value ones = constant(emitter, APInt::getAllOnes(type.getWidth()));
  return emitter.create<arith::XOrIOp>(key, ones);
}

/// Negative numbers have all bits inverted, others the sign; both zeros are the
/// positive one, and NaN is the largest number.
Value SortKeys::orderFloat(Emitter &emitter, Value bits) const {
  unsigned width = type.getWidth();
  Value sign = constant(emitter, APInt::getSignMask(width));
  Value rest = constant(emitter, APInt::getSignedMaxValue(width));
  Value zero = constant(emitter, APInt::getZero(width));
  Value ones = constant(emitter, APInt::getAllOnes(width));
  Value infinity = constant(
      emitter, APFloat::getInf(cast<FloatType>(element).getFloatSemantics())
                   .bitcastToAPInt());
  Value magnitude = emitter.create<arith::AndIOp>(bits, rest);
  Value isNaN = emitter.compare(CmpIPredicate::ugt, magnitude, infinity);
  Value isZero = emitter.compare(CmpIPredicate::eq, bits, sign);
  bits = emitter.select(isZero, zero, bits);
  Value isNegative = emitter.compare(CmpIPredicate::slt, bits, zero);
  Value changed = emitter.select(isNegative, ones, sign);
  Value key = emitter.create<arith::XOrIOp>(bits, changed);
  return emitter.select(isNaN, ones, key);
}

Value SortKeys::encode(Emitter &emitter, Value value) const {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  if (element.isIndex())
    value = arith::IndexCastOp::create(builder, loc, type, value);
  else if (element != type && kind != Kind::Float)
    value = arith::ExtUIOp::create(builder, loc, type, value);
  if (kind == Kind::Signed)
    value = emitter.create<arith::XOrIOp>(
        value, constant(emitter, APInt::getSignMask(type.getWidth())));
  if (kind == Kind::Float)
    value = orderFloat(emitter,
                       arith::BitcastOp::create(builder, loc, type, value));
  return flip(emitter, value);
}

Value SortKeys::decode(Emitter &emitter, Value key,
                       function_ref<Value()> load) const {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.loc;
  key = flip(emitter, key);
  Value sign = constant(emitter, APInt::getSignMask(type.getWidth()));
  if (kind == Kind::Float) {
    Value ones = constant(emitter, APInt::getAllOnes(type.getWidth()));
    Value isZero = emitter.compare(CmpIPredicate::eq, key, sign);
    Value isNaN = emitter.compare(CmpIPredicate::eq, key, ones);
    auto branch = scf::IfOp::create(builder, loc, element,
                                    emitter.create<arith::OrIOp>(isZero, isNaN),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, load());
    builder.setInsertionPointToStart(branch.elseBlock());
    Value zero = constant(emitter, APInt::getZero(type.getWidth()));
    Value isPositive = emitter.compare(CmpIPredicate::slt, key, zero);
    Value bits = emitter.create<arith::XOrIOp>(
        key, emitter.select(isPositive, sign, ones));
    Value value = arith::BitcastOp::create(builder, loc, element, bits);
    scf::YieldOp::create(builder, loc, value);
    return branch.getResult(0);
  }
  if (kind == Kind::Signed)
    key = emitter.create<arith::XOrIOp>(key, sign);
  if (element.isIndex())
    return arith::IndexCastOp::create(builder, loc, element, key);
  if (element != type)
    return arith::TruncIOp::create(builder, loc, element, key);
  return key;
}
