//===- ComplexCreation.cpp - Complex numbers of others, and back ----------===//
//
// Tensors of complex numbers that are new, that are made of other tensors, or
// that share memory with these.
//
//===----------------------------------------------------------------------===//

#include "Complex.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

/// An operand that is what it is made of.
static Complex makeSame(Scalars &, ArrayRef<Value> args) {
  return {args[0], args[1]};
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static void lowerPart(Lowering &op) {
  op.result(getPart(op, op.tensor("self", 1), op.integer("index", 0)));
}

static void lowerAsComplex(Lowering &op) {
  Parts x = getParts(op, "self");
  op.result(mapPairs(op, {x.re, x.im}, makeSame));
}

/// An operand that may be missing is zero.
static void lowerComplex(Lowering &op) {
  auto get = [&](StringRef name) {
    return op.has(name) ? op.operand(name) : Operand(op.exprs.floatConstant(0));
  };
  op.result(mapPairs(op, {get("real"), get("imag")}, makeSame));
}

static void lowerPolar(Lowering &op) {
  op.result(mapPairs(op, {op.operand("abs"), op.operand("angle")},
                     [](Scalars &s, ArrayRef<Value> args) -> Complex {
                       Value cos = math::CosOp::create(s.b, s.loc, args[1]);
                       Value sin = math::SinOp::create(s.b, s.loc, args[1]);
                       return {s.mul(args[0], cos), s.mul(args[0], sin)};
                     }));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

static void lowerViewAsComplex(Lowering &op) {
  Tensor in = op.tensor("self", 1);
  int64_t last = in.rank() - 1;
  if (in.sizes[last].isConstant(2))
    return op.resultAlias("self");
  op.resultView(
      "self",
      [last](Lowering &op, const Tensor &in) {
        return op.withStaticSize(in, last, 2);
      },
      [](Lowering &op, const Tensor &base, const Tensor &view) {
        return op.make(op.cast(view.value, base.type()), base.dtype,
                       base.sizes);
      });
}

static Tensor buildConjugate(Lowering &op, const Tensor &pairs) {
  Tensor re = getPart(op, pairs, 0);
  Tensor im =
      op.map({getPart(op, pairs, 1)}, pairs.dtype, pairs.dtype,
             [](Scalars &s, ArrayRef<Value> args) { return s.neg(args[0]); });
  return buildPairs(op, re, im);
}

/// The numbers are conjugated when they are read, and when they are written.
static void lowerConjugate(Lowering &op) {
  // A number, in a backward graph.
  if (!isComplex(op, "self")) {
    Parts x = getParts(op, "self");
    return op.result(
        mapPairs(op, {x.re, x.im}, [](Scalars &s, ArrayRef<Value> args) {
          return Complex{args[0], s.neg(args[1])};
        }));
  }
  op.resultView(
      "self",
      [](Lowering &op, const Tensor &in) { return buildConjugate(op, in); },
      [](Lowering &op, const Tensor &base, const Tensor &view) {
        Tensor result = buildConjugate(op, view);
        return op.make(op.cast(result.value, base.type()), base.dtype,
                       base.sizes);
      });
}

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

static bool givesComplex(Lowering &op) {
  return op.scope.graph.pairs.contains(op.resultName(0));
}

/// Complex numbers of another precision, of others, or the real parts.
static Tensor buildConverted(Lowering &op, StringRef name) {
  Parts x = getParts(op, name);
  if (givesComplex(op) && x.isComplex)
    return op.convert(op.tensor(name), op.resultDtype());
  if (givesComplex(op))
    return mapPairs(op, {x.re, x.im}, makeSame);
  return op.convert(*x.re.tensor, op.resultDtype());
}

static void lowerTo(Lowering &op) {
  (void)op.has("other");
  bool isSame = givesComplex(op) && isComplex(op, "self") &&
                op.tensor("self").dtype == op.resultDtype();
  if (isSame && !op.flag("copy", false))
    return op.resultAlias("self");
  op.result(buildConverted(op, "self"));
}

static void lowerToCopy(Lowering &op) {
  op.result(buildConverted(op, op.has("a") ? "a" : "self"));
}

/// x.copy_(y) of a tensor of floats: the real parts of y.
static void lowerCopy(Lowering &op) {
  Tensor self = op.tensor("self"), source = op.tensor("src", 1);
  op.result(
      op.expand(op.convert(getPart(op, source, 0), self.dtype), self.sizes));
}

//===----------------------------------------------------------------------===//
// One number
//===----------------------------------------------------------------------===//

/// A tensor in which all numbers are the same.
static void resultFilled(Lowering &op, Sizes sizes, const Parts &number) {
  // Only the type of this one counts.
  (void)op.has("self");
  if (!givesComplex(op)) {
    (void)op.error("gives no complex numbers of complex ones");
    return;
  }
  for (Expr size : sizes)
    op.check(Comparison::le(op.literal(0), size),
             Twine(op.target) + ": a negative size");
  Dtype dtype = op.resultDtype();
  auto fill = [&](const Operand &part) {
    if (part.tensor)
      return op.expand(op.convert(*part.tensor, dtype), sizes);
    return op.fill(sizes, dtype, op.scalar(part.expr, dtype));
  };
  op.result(buildPairs(op, fill(number.re), fill(number.im)));
}

static Sizes getSizesOf(Lowering &op, StringRef name) {
  Sizes sizes = op.tensor(name).sizes;
  if (isComplex(op, name) && !sizes.empty())
    sizes.pop_back();
  return sizes;
}

static Parts getConstant(Lowering &op, int64_t value) {
  return {op.exprs.floatConstant(double(value)), op.exprs.floatConstant(0),
          false};
}

template <int value>
static void lowerConstant(Lowering &op) {
  resultFilled(op, op.symInts("size"), getConstant(op, value));
}
template <int value>
static void lowerConstantLike(Lowering &op) {
  if (!givesComplex(op))
    return op.result(
        op.fill(getSizesOf(op, "self"), op.resultDtype(), double(value)));
  resultFilled(op, getSizesOf(op, "self"), getConstant(op, value));
}
static void lowerFull(Lowering &op) {
  resultFilled(op, op.symInts("size"), getParts(op, "fill_value"));
}
static void lowerFullLike(Lowering &op) {
  resultFilled(op, getSizesOf(op, "self"), getParts(op, "fill_value"));
}
static void lowerFill(Lowering &op) {
  resultFilled(op, getSizesOf(op, "self"), getParts(op, "value"));
}
static void lowerEye(Lowering &op) {
  Expr rows = op.symInt("n"), columns = op.symInt("m", rows);
  Tensor re = op.generate(
      {rows, columns}, op.resultDtype(), [](Scalars &s, ValueRange at) {
        Value same = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::eq,
                                           at[0], at[1]);
        return s.select(same, s.number(1), s.number(0));
      });
  op.result(buildPairs(op, re, op.fill(re.sizes, re.dtype, 0.0)));
}
static void lowerScalarTensor(Lowering &op) {
  resultFilled(op, {}, getParts(op, "s"));
}

static void addFilled(LoweringTable &table) {
  table.add("aten.zeros.default", lowerConstant<0>);
  table.add("aten._efficientzerotensor.default", lowerConstant<0>);
  table.add("aten.ones.default", lowerConstant<1>);
  table.add("aten.new_ones.default", lowerConstant<1>);
  table.add("aten.new_zeros.default", lowerConstant<0>);
  table.add("aten.new_empty.default", lowerConstant<0>);
  table.add("aten.new_empty_strided.default", lowerConstant<0>);
  table.add("aten.zeros_like.default", lowerConstantLike<0>);
  table.add("aten.empty_like.default", lowerConstantLike<0>);
  table.add("aten.ones_like.default", lowerConstantLike<1>);
  table.add("aten.eye.default", lowerEye);
  table.add("aten.eye.m", lowerEye);
  table.add("aten.full.default", lowerFull);
  table.add("aten.new_full.default", lowerFull);
  table.add("aten.full_like.default", lowerFullLike);
  table.add("aten.fill.Scalar", lowerFill);
  table.add("aten.fill.Tensor", lowerFill);
  table.add("aten.scalar_tensor.default", lowerScalarTensor);
}

void addComplexCreation(LoweringTable &table) {
  addFilled(table);
  table.add("tally.part", lowerPart);
  table.add("tally.as_complex", lowerAsComplex);
  table.add("aten.complex.default", lowerComplex);
  table.add("aten.polar.default", lowerPolar);
  table.add("aten.view_as_complex.default", lowerViewAsComplex);
  table.add("aten.conj.default", lowerConjugate);
  table.add("aten._conj.default", lowerConjugate);
  table.add("aten.copy.default", lowerCopy);
  for (StringRef overload : {"dtype", "dtype_layout", "device", "other"})
    table.add(("aten.to." + overload).str(), lowerTo);
  table.add("aten.to.prim_dtype", lowerTo);
  table.add("aten.type_as.default", lowerTo);
  table.add("aten._to_copy.default", lowerToCopy);
  table.add("prims.convert_element_type.default", lowerToCopy);
  for (StringRef name : {"float", "double", "cfloat", "cdouble"})
    table.add(("aten." + name + ".default").str(), lowerTo);
}

} // namespace tally::import_pt2
