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

/// Both halves are computed from their own end, as PyTorch does.
static void lowerLinspace(Lowering &op) {
  Expr start = op.numeric("start"), end = op.numeric("end");
  Expr steps = op.symInt("steps");
  Dtype dtype = op.resultDtype(), compute = getComputeDtype(dtype);
  if (!isFloating(dtype))
    compute = Dtype::F64;
  op.check(Comparison::le(op.literal(0), steps),
           Twine(op.target) + ": the number of steps must not be negative");
  auto getBound = [&](Expr bound) {
    Value value = op.parameter(bound, dtype);
    return isFloating(dtype)
               ? Scalars(op.b, op.loc, dtype).castTo(compute, value)
               : op.scalar(bound, compute);
  };
  Value first = getBound(start), last = getBound(end);
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
  table.add("aten.ones.default", lowerConstant<1>);
  table.add("aten.empty.memory_format", lowerConstant<0>);
  table.add("aten.empty_strided.default", lowerConstant<0>);
  table.add("aten.new_zeros.default", lowerConstant<0>);
  table.add("aten.new_ones.default", lowerConstant<1>);
  table.add("aten.new_empty.default", lowerConstant<0>);
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
  table.add("aten.linspace.default", lowerLinspace);
  table.add("aten.eye.default", lowerEye);
  table.add("aten.eye.m", lowerEye);
}

} // namespace tally::import_pt2
