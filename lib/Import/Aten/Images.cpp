//===- Images.cpp - Resizing ----------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Images.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

/// A size times a factor, rounded down, as PyTorch computes it in doubles.
static Expr multiplySize(Lowering &op, Expr size, double factor) {
  if (factor == std::round(factor))
    return op.exprs.mul(size, op.literal(int64_t(factor)));
  // A double has five bits more than any size: such a product is exact.
  constexpr double largest = 1 << 5;
  double numerator = factor;
  int64_t denominator = 1;
  for (; numerator != std::round(numerator) && numerator < largest;
       numerator *= 2)
    denominator *= 2;
  if (numerator < largest)
    return op.state.simplify(
        op.exprs.floorDiv(op.exprs.mul(size, op.literal(int64_t(numerator))),
                          op.literal(denominator)));
  return op.state.simplify(op.exprs.toInt(
      op.exprs.mul(op.exprs.toFloat(size), op.exprs.floatConstant(factor))));
}

/// The steps where factors are given beside the sizes.
static SmallVector<std::optional<double>> getSteps(Lowering &op,
                                                   int64_t spatial) {
  static constexpr StringLiteral names[] = {"scales_d", "scales_h", "scales_w"};
  SmallVector<std::optional<double>> steps;
  for (StringRef name : ArrayRef(names).take_back(size_t(spatial))) {
    if (spatial == 1)
      name = "scales";
    double factor = op.real(name, 0);
    steps.push_back(factor > 0 ? std::optional<double>(1 / factor)
                               : std::nullopt);
  }
  return steps;
}

std::optional<Resizing> getResizing(Lowering &op, const Tensor &in,
                                    int64_t spatial) {
  Resizing resizing;
  int64_t lead = in.rank() - spatial;
  if (lead < 1) {
    (void)op.error("the tensor has too few dimensions");
    return std::nullopt;
  }
  resizing.sizes = op.symInts("output_size");
  if (int64_t(resizing.sizes.size()) == spatial) {
    resizing.steps = getSteps(op, spatial);
    return resizing;
  }
  const Argument *factors = op.find("scale_factors");
  for (int64_t i = 0; i < spatial; ++i) {
    if (!factors) {
      resizing.steps.push_back(std::nullopt);
      continue;
    }
    if (size_t(i) >= factors->list.size())
      break;
    const Argument &factor = factors->list[size_t(i)];
    if (factor.kind != Argument::Kind::Float) {
      (void)op.error("factors that are not literals are not supported");
      return std::nullopt;
    }
    if (!(factor.real > 0 && factor.real <= INT32_MAX)) {
      (void)op.error("a factor is not positive, or too large");
      return std::nullopt;
    }
    resizing.steps.push_back(1 / factor.real);
    resizing.sizes.push_back(multiplySize(op, in.sizes[lead + i], factor.real));
  }
  if (int64_t(resizing.sizes.size()) == spatial)
    return resizing;
  (void)op.error("there is no size for each dimension");
  return std::nullopt;
}

Value toFloat(OpBuilder &b, Location loc, Value index, Dtype dtype) {
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  return arith::SIToFPOp::create(b, loc, getElementType(dtype, b.getContext()),
                                 wide);
}

Value buildClampedIndex(OpBuilder &b, Location loc, Value number, Value last) {
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value most = arith::MinSIOp::create(b, loc, index, last);
  return arith::MaxSIOp::create(b, loc, most, zero);
}

/// The whole part of a number, at least zero and at most `last`.
static Value toIndex(OpBuilder &b, Location loc, Value number, Value last) {
  Value wide = arith::FPToSIOp::create(b, loc, b.getI64Type(), number);
  return buildClampedIndex(b, loc, wide, last);
}

void checkResizable(Lowering &op, const Tensor &in, int64_t dim, Expr size) {
  op.check(op.exprs.logicalAnd(op.exprs.gt(in.sizes[dim], op.literal(0)),
                               op.exprs.gt(size, op.literal(0))),
           Twine(op.target) + ": a resized dimension must not be empty");
}

void checkChannels(Lowering &op, const Tensor &in, int64_t spatial) {
  for (int64_t dim = 1; dim < in.rank() - spatial; ++dim)
    op.check(op.exprs.gt(in.sizes[dim], op.literal(0)),
             Twine(op.target) + ": the input is empty");
}

/// The step in the input for each step in the output, as a value.
static Value getStep(Lowering &op, Expr from, Expr to,
                     std::optional<double> given, Dtype dtype = Dtype::F32) {
  Scalars s(op.b, op.loc, dtype);
  if (given)
    return s.number(*given);
  return s.divFloat(op.scalar(from, dtype), op.scalar(to, dtype));
}

Value getStepBetween(Lowering &op, Expr from, Expr to,
                     std::optional<double> given, bool alignsCorners,
                     Dtype dtype) {
  if (!alignsCorners)
    return getStep(op, from, to, given, dtype);
  // One output element is the first one of the input.
  Expr one = op.literal(1);
  Expr gaps = op.exprs.max(op.exprs.sub(to, one), one);
  return getStep(op, op.exprs.sub(from, one), gaps, std::nullopt, dtype);
}

/// The type in which places between elements are computed: f64 for elements of
/// f64, which are as exact.
static Dtype getPlaceDtype(Dtype elements) {
  return elements == Dtype::F64 ? Dtype::F64 : Dtype::F32;
}

/// The place in the input of an element of the output.
static Value getPlace(const Scalars &f, Value index, Value step,
                      bool alignsCorners, Dtype dtype) {
  Value place = toFloat(f.b, f.loc, index, dtype);
  if (alignsCorners)
    return f.mul(place, step);
  return f.sub(f.mul(f.add(place, f.number(0.5)), step), f.number(0.5));
}

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

/// Which element of the input each one of the output is: that at its start, or
/// that at its middle (`isExact`). They are computed once for each, not for
/// each row.
static Tensor findNearest(Lowering &op, Expr from, Expr size,
                          std::optional<double> given, bool isExact) {
  Value step = getStep(op, from, size, given);
  // PyTorch computes these without rounding errors, whatever factor is given.
  if (given && !isExact) {
    Scalars f(op.b, op.loc, Dtype::F32);
    Expr twice = op.exprs.mul(from, op.literal(2));
    for (auto [other, exact] : {std::pair(twice, 0.5), std::pair(from, 1.0)})
      step = f.select(op.scalar(op.exprs.eq(size, other), Dtype::Bool),
                      f.number(exact), step);
  }
  return op.generate({size}, Dtype::I64,
                     [&](Scalars &s, ValueRange indices) -> Value {
                       Scalars f(s.b, s.loc, Dtype::F32);
                       Value place = toFloat(s.b, s.loc, indices[0]);
                       if (isExact)
                         place = f.add(place, f.number(0.5));
                       return arith::FPToSIOp::create(s.b, s.loc, s.type(),
                                                      f.mul(place, step));
                     });
}

/// Each element is one of the input's.
static Tensor resizeNearest(Lowering &op, const Tensor &in, int64_t dim,
                            Expr size, std::optional<double> given,
                            bool isExact) {
  Expr from = in.sizes[dim];
  bool isSame = size == from;
  bool isDouble = !isExact && size == op.exprs.mul(from, op.literal(2));
  std::optional<Tensor> places;
  if (!isSame && !isDouble)
    places = findNearest(op, from, size, given, isExact);
  Value last = op.size(op.exprs.sub(from, op.literal(1)));
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  return op.generate(
      sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at(indices);
        if (isDouble) {
          Value two = arith::ConstantIndexOp::create(s.b, s.loc, 2);
          at[dim] = arith::DivUIOp::create(s.b, s.loc, at[dim], two);
        } else if (places) {
          Value place =
              tensor::ExtractOp::create(s.b, s.loc, places->value, at[dim]);
          at[dim] = buildClampedIndex(s.b, s.loc, place, last);
        }
        return tensor::ExtractOp::create(s.b, s.loc, in.value, at);
      });
}

template <int64_t spatial, bool isExact = false>
static void lowerNearest(Lowering &op) {
  Tensor result = op.tensor(op.has("input") ? "input" : "self");
  std::optional<Resizing> resizing = getResizing(op, result, spatial);
  if (!resizing)
    return;
  checkChannels(op, result, spatial);
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t dim = result.rank() - spatial + i;
    checkResizable(op, result, dim, resizing->sizes[i]);
    result = resizeNearest(op, result, dim, resizing->sizes[i],
                           resizing->steps[i], isExact);
  }
  op.result(result);
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

Value isSameSize(Lowering &op, Expr from, Expr to) {
  return op.scalar(op.state.simplify(op.exprs.eq(from, to)), Dtype::Bool);
}

namespace {
/// For each element of a resized dimension: the element of the input that is
/// before its place, and the share of the one behind it.
struct Position {
  Value low, share;
};
} // namespace

/// Each element is between two of the input's, which it mixes.
static Tensor resizeLinear(Lowering &op, const Tensor &in, int64_t dim,
                           Expr size, std::optional<double> given,
                           bool alignsCorners) {
  Dtype places = getPlaceDtype(in.dtype);
  Value step =
      getStepBetween(op, in.sizes[dim], size, given, alignsCorners, places);
  Value last = op.size(op.exprs.sub(in.sizes[dim], op.literal(1)));
  Value isSame = isSameSize(op, in.sizes[dim], size);
  auto findPosition = [&](const Scalars &f, Value index) -> Position {
    Value place =
        f.max(getPlace(f, index, step, alignsCorners, places), f.number(0));
    place = f.select(isSame, toFloat(f.b, f.loc, index, places), place);
    Value low = toIndex(f.b, f.loc, place, last);
    Value share = f.sub(place, toFloat(f.b, f.loc, low, places));
    return {low, f.min(f.max(share, f.number(0)), f.number(1))};
  };
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  Dtype compute = getComputeDtype(in.dtype);
  return op.generate(
      sizes, compute, [&](Scalars &s, ValueRange indices) -> Value {
        Scalars f(s.b, s.loc, places);
        auto [low, share] = findPosition(f, indices[dim]);
        // A weight of 0 does not hide an infinity: that is 0 times it.
        Value gap = arith::SelectOp::create(
            s.b, s.loc, isSame, arith::ConstantIndexOp::create(s.b, s.loc, 0),
            arith::ConstantIndexOp::create(s.b, s.loc, 1));
        Value next = arith::AddIOp::create(s.b, s.loc, low, gap);
        Value high = arith::MinSIOp::create(s.b, s.loc, next, last);
        auto read = [&](Value index) {
          SmallVector<Value> at(indices);
          at[dim] = index;
          Value x = tensor::ExtractOp::create(s.b, s.loc, in.value, at);
          return Scalars(s.b, s.loc, in.dtype).castTo(compute, x);
        };
        Value weight = f.castTo(compute, share);
        Value rest = s.sub(s.number(1), weight);
        return s.add(s.mul(rest, read(low)), s.mul(weight, read(high)));
      });
}

//===----------------------------------------------------------------------===//
// Cubic
//===----------------------------------------------------------------------===//

std::pair<Value, Value> getCubicWeight(const Scalars &f, Value x, double a) {
  auto horner = [&](ArrayRef<double> factors) {
    Value sum = f.number(factors[0]);
    for (double factor : factors.drop_front())
      sum = f.add(f.mul(sum, x), f.number(factor));
    return sum;
  };
  return {horner({a + 2, -(a + 3), 0, 1}), horner({a, -5 * a, 8 * a, -4 * a})};
}

std::array<Value, 4> getCubicWeights(const Scalars &f, Value t) {
  constexpr double a = -0.75;
  auto near = [&](Value x) { return getCubicWeight(f, x, a).first; };
  auto far = [&](Value x) { return getCubicWeight(f, x, a).second; };
  Value one = f.number(1), rest = f.sub(one, t);
  return {far(f.add(t, one)), near(t), near(rest), far(f.add(rest, one))};
}

/// Each element is between four of the input's; beyond its ends the outermost
/// are repeated.
static Tensor resizeCubic(Lowering &op, const Tensor &in, int64_t dim,
                          Expr size, std::optional<double> given,
                          bool alignsCorners) {
  Dtype places = getPlaceDtype(in.dtype);
  Value step =
      getStepBetween(op, in.sizes[dim], size, given, alignsCorners, places);
  Value last = op.size(op.exprs.sub(in.sizes[dim], op.literal(1)));
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  Dtype compute = getComputeDtype(in.dtype);
  return op.generate(
      sizes, compute, [&](Scalars &s, ValueRange indices) -> Value {
        Scalars f(s.b, s.loc, places);
        Value place = getPlace(f, indices[dim], step, alignsCorners, places);
        Value second = math::FloorOp::create(s.b, s.loc, place);
        Value sum;
        for (auto [i, share] :
             llvm::enumerate(getCubicWeights(f, f.sub(place, second)))) {
          Value wanted = f.add(second, f.number(double(i) - 1));
          SmallVector<Value> at(indices);
          at[dim] = toIndex(s.b, s.loc, wanted, last);
          Value x = tensor::ExtractOp::create(s.b, s.loc, in.value, at);
          Value term = s.mul(f.castTo(compute, share),
                             Scalars(s.b, s.loc, in.dtype).castTo(compute, x));
          sum = sum ? s.add(sum, term) : term;
        }
        return sum;
      });
}

/// PyTorch resizes bytes in integers, which is built for antialiasing only.
template <int64_t spatial, ResizeFn resize>
static void lowerResizeOfFloats(Lowering &op) {
  if (isFloating(op.tensor(op.has("input") ? "input" : "self").dtype))
    return lowerResize<spatial, resize>(op);
  (void)op.error("an image of integers is resized with antialias=True, or by "
                 "its nearest elements, only: convert it to floats before");
}

void addImages(LoweringTable &table) {
  auto add = [&](StringRef name, LowerFn lower) {
    for (StringRef overload : {"vec", "default"})
      table.add(("aten." + name + "." + overload).str(), lower);
  };
  add("upsample_nearest1d", lowerNearest<1>);
  add("upsample_nearest2d", lowerNearest<2>);
  add("upsample_nearest3d", lowerNearest<3>);
  add("_upsample_nearest_exact1d", lowerNearest<1, /*isExact=*/true>);
  add("_upsample_nearest_exact2d", lowerNearest<2, /*isExact=*/true>);
  add("_upsample_nearest_exact3d", lowerNearest<3, /*isExact=*/true>);
  add("upsample_linear1d", lowerResizeOfFloats<1, resizeLinear>);
  add("upsample_bilinear2d", lowerResizeOfFloats<2, resizeLinear>);
  add("upsample_trilinear3d", lowerResizeOfFloats<3, resizeLinear>);
  add("upsample_bicubic2d", lowerResizeOfFloats<2, resizeCubic>);
  addAntialias(table);
}

} // namespace tally::import_pt2
