//===- FloatPair.cpp - Sums of two floats ---------------------------------===//

#include "FloatPair.h"

using namespace mlir;
using namespace tally::codegen;

FloatPair tally::codegen::addExactly(FloatBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y), part = b.sub(sum, x);
  return {sum, b.add(b.sub(x, b.sub(sum, part)), b.sub(y, part))};
}

FloatPair tally::codegen::addSmaller(FloatBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y);
  return {sum, b.sub(y, b.sub(sum, x))};
}

FloatPair tally::codegen::cutPair(FloatBuilder &b, FloatPair x) {
  Value most = b.cut(x.high);
  return {most, b.add(b.sub(x.high, most), x.low)};
}

FloatPair tally::codegen::multiplyPairs(FloatBuilder &b, FloatPair x,
                                        FloatPair y) {
  Value whole = b.add(y.high, y.low);
  return {b.mul(x.high, y.high), b.fma(x.high, y.low, b.mul(x.low, whole))};
}

FloatPair tally::codegen::dividePairs(FloatBuilder &b, FloatPair x,
                                      FloatPair y) {
  Value inverse = b.div(b.constant(1), y.high);
  Value quotient = b.cut(b.mul(x.high, inverse)), most = b.cut(y.high);
  Value rest = b.sub(x.high, b.mul(quotient, most));
  rest = b.sub(rest, b.mul(quotient, b.sub(y.high, most)));
  rest = b.sub(rest, b.mul(quotient, y.low));
  if (x.low)
    rest = b.add(rest, x.low);
  return {quotient, b.mul(rest, inverse)};
}

FloatPair tally::codegen::expandSqrtOfPair(FloatBuilder &b, FloatPair x) {
  Value root = b.sqrt(x.high), most = b.cut(root);
  Value rest = b.sub(x.high, b.mul(most, most));
  rest = b.sub(rest, b.mul(b.sub(root, most), b.add(root, most)));
  if (x.low)
    rest = b.add(rest, x.low);
  // What is added leaves all but 0 as it is.
  return {root, b.div(rest, b.fma(root, 2, b.constant(0x1p-1000)))};
}
