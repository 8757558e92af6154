//===- Creation.cpp - New tensors -----------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

/// The sizes of a new tensor must not be negative.
static Sizes getSizes(Lowering &op, StringRef name) {
  Sizes sizes = op.symInts(name);
  for (Expr size : sizes)
    op.check(Comparison::le(op.literal(0), size),
             Twine(op.target) + ": a negative size");
  return sizes;
}

static void resultFilled(Lowering &op, const Sizes &sizes, Expr value) {
  // Only the type of this one counts.
  Dtype own = op.has("self") ? op.tensor("self").dtype : Dtype::Undefined;
  Dtype dtype = op.resultDtype(0, own);
  op.result(op.fill(sizes, dtype, op.parameter(value, dtype)));
}

/// Elements of an empty tensor may be anything: they are zeros.
template <int value>
static void lowerConstant(Lowering &op) {
  resultFilled(op, getSizes(op, "size"), op.literal(value));
}
/// How the elements lie in memory is told by the strides of what is recorded.
static void lowerEmptyPermuted(Lowering &op) {
  op.ignoreArguments();
  resultFilled(op, getSizes(op, "size"), op.literal(0));
}
template <int value>
static void lowerConstantLike(Lowering &op) {
  resultFilled(op, op.tensor("self").sizes, op.literal(value));
}
static void lowerFull(Lowering &op) {
  resultFilled(op, getSizes(op, "size"), op.number("fill_value"));
}
static void lowerFullLike(Lowering &op) {
  resultFilled(op, op.tensor("self").sizes, op.number("fill_value"));
}
static void lowerScalarTensor(Lowering &op) {
  resultFilled(op, {}, op.number("s"));
}

/// x.fill_(v), x.zero_(): all elements get one value. The elements of another
/// tensor are copied, whatever becomes of them in the type of this one.
static void lowerFill(Lowering &op) {
  Tensor self = op.tensor("self");
  Operand value = op.operand("value");
  if (!value.tensor)
    value = Operand(op.parameter(value, self.dtype), self.dtype);
  op.result(op.map(
      {value}, self.dtype, self.dtype,
      [](Scalars &, ArrayRef<Value> args) { return args[0]; }, self.sizes));
}
static void lowerZero(Lowering &op) {
  Tensor self = op.tensor("self");
  op.result(op.fill(self.sizes, self.dtype, 0.0));
}

/// x.copy_(y): the elements of y, broadcast and converted.
static void lowerCopy(Lowering &op) {
  Tensor self = op.tensor("self"), source = op.tensor("src");
  op.result(op.expand(op.convert(source, self.dtype), self.sizes));
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// start + i * step, computed in the element type (halves in f32).
static Tensor buildRange(Lowering &op, Expr count, Expr start, Expr step,
                         Dtype dtype) {
  Dtype compute = getComputeDtype(dtype);
  Value first = op.scalar(start, compute);
  Value gap = op.scalar(step, compute);
  return op.generate({count}, dtype, [&](Scalars &s, ValueRange indices) {
    Value i =
        arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), indices[0]);
    Scalars c(s.b, s.loc, compute);
    Value x = Scalars(s.b, s.loc, Dtype::I64).castTo(compute, i);
    return c.castTo(dtype, c.add(first, c.mul(x, gap)));
  });
}

/// Writes numbers as multiples of one part of 1, which change no quotient,
/// where that is a small power of two: integers are exact, floats are not.
static void toMultiples(Lowering &op, MutableArrayRef<Expr> numbers) {
  auto isMultiple = [](Expr expr, double parts) {
    if (!expr.isFloat())
      return true;
    if (expr.getKind() != symbolic::ExprKind::FloatConstant)
      return false;
    double multiple = expr.getFloat() * parts;
    return std::abs(multiple) < double(1 << 20) &&
           std::floor(multiple) == multiple;
  };
  for (int64_t parts = 1; parts <= 1024; parts *= 2) {
    if (!llvm::all_of(numbers, [&](Expr expr) {
          return isMultiple(expr, double(parts));
        }))
      continue;
    for (Expr &expr : numbers)
      expr = expr.isFloat()
                 ? op.literal(int64_t(expr.getFloat() * double(parts)))
                 : op.exprs.mul(expr, op.literal(parts));
    return;
  }
}

/// How many steps lead from the start to the end, rounded up.
static Expr countSteps(Lowering &op, Expr start, Expr end, Expr step) {
  Expr numbers[] = {start, end, step};
  toMultiples(op, numbers);
  Expr span = op.exprs.sub(numbers[1], numbers[0]), by = numbers[2];
  // Steps away from the end are an error; an empty range is not.
  Expr zero = op.literal(0);
  op.check(op.exprs.logicalAnd(op.exprs.ne(by, zero),
                               op.exprs.ge(op.exprs.mul(span, by), zero)),
           Twine(op.target) +
               ": the bounds do not agree with the sign of the step");
  if (span.isInt() && by.isInt())
    return op.state.simplify(op.exprs.ceilDiv(span, by));
  return op.state.simplify(
      op.exprs.toInt(op.exprs.trueDiv(span, by), symbolic::RoundingMode::Up));
}

static void lowerArange(Lowering &op) {
  Expr start = op.numeric("start", 0), end = op.numeric("end");
  Expr step = op.numeric("step", 1);
  // PyTorch rounds what ranges of i64 are made from, of no other integers.
  if (op.resultDtype() == Dtype::I64)
    for (Expr *number : {&start, &end, &step})
      if (number->isFloat())
        *number = op.exprs.toInt(*number, symbolic::RoundingMode::TowardZero);
  op.result(buildRange(op, countSteps(op, start, end, step), start, step,
                       op.resultDtype()));
}

/// The number of elements of a new tensor.
static Expr getSteps(Lowering &op) {
  Expr steps = op.symInt("steps");
  op.check(Comparison::le(op.literal(0), steps),
           Twine(op.target) + ": the number of steps must not be negative");
  return steps;
}

/// Both halves are computed from their own end, as PyTorch does.
static void lowerLinspace(Lowering &op) {
  Expr steps = getSteps(op);
  Dtype dtype = op.resultDtype(), compute = getComputeDtype(dtype);
  if (!isFloating(dtype))
    compute = Dtype::F64;
  // Bounds of integers are rounded toward zero.
  auto getBound = [&](StringRef name) {
    Value value = op.parameter(op.operand(name), dtype);
    return Scalars(op.b, op.loc, dtype).castTo(compute, value);
  };
  Value first = getBound("start");
  Value last = getBound("end");
  Value count = op.size(steps);
  op.result(op.generate({steps}, dtype, [&](Scalars &s, ValueRange indices) {
    Scalars c(s.b, s.loc, compute), wide(s.b, s.loc, Dtype::I64);
    auto toNumber = [&](Value index) {
      Value i = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index);
      return wide.castTo(compute, i);
    };
    Value i = toNumber(indices[0]), n = toNumber(count), one = c.number(1);
    Value gaps = c.max(c.sub(n, one), one);
    Value gap = c.divFloat(c.sub(last, first), gaps);
    Value low = c.add(first, c.mul(gap, i));
    Value high = c.sub(last, c.mul(gap, c.sub(c.sub(n, i), one)));
    Value isLow = c.compare(Compare::Lt, i, c.divFloat(n, c.number(2)));
    // A range of one step is its start.
    Value isOne = c.compare(Compare::Le, n, one);
    Value value = c.select(isOne, first, c.select(isLow, low, high));
    return c.castTo(dtype, value);
  }));
}

/// A base to the power of numbers at equal distances, each step of which is
/// rounded to the type of the elements; the powers are those of f64.
static void lowerLogspace(Lowering &op) {
  Expr steps = getSteps(op);
  Operand start = op.operand("start"), end = op.operand("end");
  double base = op.real("base", 10);
  Dtype dtype = op.resultDtype(), compute = getComputeDtype(dtype);
  if (!isFloating(dtype))
    compute = Dtype::F64;
  Scalars own(op.b, op.loc, dtype);
  Value first = own.castTo(compute, op.parameter(start, dtype));
  Value last = own.castTo(compute, op.parameter(end, dtype));
  // One power alone is that of the start, whatever the type.
  Value only = op.parameter(start, Dtype::F64);
  Value count = op.size(steps);
  op.result(op.generate({steps}, dtype, [&](Scalars &s, ValueRange indices) {
    Scalars c(s.b, s.loc, compute), wide(s.b, s.loc, Dtype::I64);
    auto toInteger = [&](Value index) -> Value {
      return arith::IndexCastOp::create(s.b, s.loc, wide.type(), index);
    };
    auto round = [&](Value value) {
      return isHalf(dtype) ? s.castTo(compute, c.castTo(dtype, value)) : value;
    };
    auto multiply = [&](Value gap, Value number) {
      return round(c.mul(gap, round(wide.castTo(compute, number))));
    };
    Value i = toInteger(indices[0]), n = toInteger(count);
    Value one = wide.integer(1), gaps = wide.sub(n, one);
    Value span = round(c.sub(last, first));
    Value divisor = round(wide.castTo(compute, wide.max(gaps, one)));
    Value gap = round(c.divFloat(span, divisor));
    Value low = round(c.add(first, multiply(gap, i)));
    Value high = round(c.sub(last, multiply(gap, wide.sub(gaps, i))));
    Value isLow = wide.compare(Compare::Lt, i, wide.shiftRight(n, one));
    Value exponent = c.castTo(Dtype::F64, c.select(isLow, low, high));
    Value isOne = wide.compare(Compare::Le, n, one);
    Scalars powers(s.b, s.loc, Dtype::F64);
    exponent = s.select(isOne, only, exponent);
    return powers.castTo(dtype, powers.pow(powers.number(base), exponent));
  }));
}

Tensor buildIndices(Lowering &op, Expr count) {
  return op.generate({count}, Dtype::I64,
                     [](Scalars &s, ValueRange indices) -> Value {
                       return arith::IndexCastOp::create(
                           s.b, s.loc, s.b.getI64Type(), indices[0]);
                     });
}

static void lowerEye(Lowering &op) {
  Expr rows = op.symInt("n"), columns = op.symInt("m", rows);
  op.result(op.generate(
      {rows, columns}, op.resultDtype(), [](Scalars &s, ValueRange indices) {
        Value same = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::eq,
                                           indices[0], indices[1]);
        return s.select(same, s.integer(1), s.integer(0));
      }));
}

void addCreation(LoweringTable &table) {
  table.add("aten.zeros.default", lowerConstant<0>);
  table.add("aten._efficientzerotensor.default", lowerConstant<0>);
  table.add("aten.ones.default", lowerConstant<1>);
  table.add("aten.empty.memory_format", lowerConstant<0>);
  table.add("aten.empty_strided.default", lowerConstant<0>);
  table.add("aten.empty_permuted.default", lowerEmptyPermuted);
  table.add("aten.new_zeros.default", lowerConstant<0>);
  table.add("aten.new_ones.default", lowerConstant<1>);
  table.add("aten.new_empty.default", lowerConstant<0>);
  table.add("aten.new_empty_strided.default", lowerConstant<0>);
  table.add("aten.zeros_like.default", lowerConstantLike<0>);
  table.add("aten.ones_like.default", lowerConstantLike<1>);
  table.add("aten.empty_like.default", lowerConstantLike<0>);
  table.add("aten.full.default", lowerFull);
  table.add("aten.new_full.default", lowerFull);
  table.add("aten.full_like.default", lowerFullLike);
  table.add("aten.scalar_tensor.default", lowerScalarTensor);
  table.add("aten.fill.Scalar", lowerFill);
  table.add("aten.fill.Tensor", lowerFill);
  table.add("aten.zero.default", lowerZero);
  table.add("aten.copy.default", lowerCopy);
  table.add("aten.arange.default", lowerArange);
  table.add("aten.arange.start", lowerArange);
  table.add("aten.arange.start_step", lowerArange);
  for (StringRef overload :
       {"default", "Tensor_Tensor", "Tensor_Scalar", "Scalar_Tensor"}) {
    table.add(("aten.linspace." + overload).str(), lowerLinspace);
    table.add(("aten.logspace." + overload).str(), lowerLogspace);
  }
  table.add("aten.eye.default", lowerEye);
  table.add("aten.eye.m", lowerEye);
}

} // namespace tally::import_pt2
