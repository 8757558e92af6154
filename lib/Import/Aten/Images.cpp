//===- Images.cpp - Resizing ----------------------------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// How the last dimensions of a tensor are resized.
struct Resizing {
  Sizes sizes;
  /// The step in the input for each step in the output, where it was given.
  SmallVector<std::optional<double>> steps;
};
} // namespace

static std::optional<Resizing> getResizing(Lowering &op, const Tensor &in,
                                           int64_t spatial) {
  Resizing resizing;
  int64_t lead = in.rank() - spatial;
  if (lead < 1) {
    (void)op.error("the tensor has too few dimensions");
    return std::nullopt;
  }
  resizing.sizes = op.symInts("output_size");
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
    double whole = std::round(factor.real);
    Expr size = in.sizes[lead + i];
    if (whole == factor.real)
      resizing.sizes.push_back(op.exprs.mul(size, op.literal(int64_t(whole))));
    else
      resizing.sizes.push_back(op.state.simplify(op.exprs.toInt(op.exprs.mul(
          op.exprs.toFloat(size), op.exprs.floatConstant(factor.real)))));
  }
  if (int64_t(resizing.sizes.size()) == spatial)
    return resizing;
  (void)op.error("there is no size for each dimension");
  return std::nullopt;
}

static Value toFloat(OpBuilder &b, Location loc, Value index) {
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), wide);
}

/// The whole part of a number, at least zero and at most `last`.
static Value toIndex(OpBuilder &b, Location loc, Value number, Value last) {
  Value wide = arith::FPToSIOp::create(b, loc, b.getI64Type(), number);
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), wide);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value most = arith::MinSIOp::create(b, loc, index, last);
  return arith::MaxSIOp::create(b, loc, most, zero);
}

static void checkResizable(Lowering &op, const Tensor &in, int64_t dim,
                           Expr size) {
  op.check(op.exprs.logicalAnd(op.exprs.gt(in.sizes[dim], op.literal(0)),
                               op.exprs.gt(size, op.literal(0))),
           Twine(op.target) + ": a resized dimension must not be empty");
}

/// The dimensions between the batch and those that are resized.
static void checkChannels(Lowering &op, const Tensor &in, int64_t spatial) {
  for (int64_t dim = 1; dim < in.rank() - spatial; ++dim)
    op.check(op.exprs.gt(in.sizes[dim], op.literal(0)),
             Twine(op.target) + ": the input is empty");
}

/// The step in the input for each step in the output, as a value.
static Value getStep(Lowering &op, Expr from, Expr to,
                     std::optional<double> given) {
  Scalars s(op.b, op.loc, Dtype::F32);
  if (given)
    return s.number(*given);
  return s.divFloat(op.scalar(from, Dtype::F32), op.scalar(to, Dtype::F32));
}

/// The same for what is between elements.
static Value getStepBetween(Lowering &op, Expr from, Expr to,
                            std::optional<double> given, bool alignsCorners) {
  if (!alignsCorners)
    return getStep(op, from, to, given);
  // One output element is the first one of the input.
  Expr one = op.literal(1);
  Expr gaps = op.exprs.max(op.exprs.sub(to, one), one);
  return getStep(op, op.exprs.sub(from, one), gaps, std::nullopt);
}

/// The place in the input of an element of the output.
static Value getPlace(const Scalars &f, Value index, Value step,
                      bool alignsCorners) {
  Value place = toFloat(f.b, f.loc, index);
  if (alignsCorners)
    return f.mul(place, step);
  return f.sub(f.mul(f.add(place, f.number(0.5)), step), f.number(0.5));
}

//===----------------------------------------------------------------------===//
// Nearest
//===----------------------------------------------------------------------===//

static Tensor resizeNearest(Lowering &op, const Tensor &in, int64_t dim,
                            Expr size, std::optional<double> given) {
  Value step = getStep(op, in.sizes[dim], size, given);
  Value last = op.size(op.exprs.sub(in.sizes[dim], op.literal(1)));
  // PyTorch computes these without rounding errors.
  bool isSame = size == in.sizes[dim];
  bool isDouble = size == op.exprs.mul(in.sizes[dim], op.literal(2));
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  return op.generate(
      sizes, in.dtype, [&](Scalars &s, ValueRange indices) -> Value {
        SmallVector<Value> at(indices);
        if (isDouble) {
          Value two = arith::ConstantIndexOp::create(s.b, s.loc, 2);
          at[dim] = arith::DivUIOp::create(s.b, s.loc, at[dim], two);
        } else if (!isSame) {
          Value place = arith::MulFOp::create(
              s.b, s.loc, toFloat(s.b, s.loc, at[dim]), step);
          at[dim] = toIndex(s.b, s.loc, place, last);
        }
        return tensor::ExtractOp::create(s.b, s.loc, in.value, at);
      });
}

template <int64_t spatial>
static void lowerNearest(Lowering &op) {
  Tensor result = op.tensor(op.has("input") ? "input" : "self");
  std::optional<Resizing> resizing = getResizing(op, result, spatial);
  if (!resizing)
    return;
  checkChannels(op, result, spatial);
  for (int64_t i = 0; i < spatial; ++i) {
    int64_t dim = result.rank() - spatial + i;
    checkResizable(op, result, dim, resizing->sizes[i]);
    result =
        resizeNearest(op, result, dim, resizing->sizes[i], resizing->steps[i]);
  }
  op.result(result);
}

//===----------------------------------------------------------------------===//
// Linear
//===----------------------------------------------------------------------===//

/// Each element is between two of the input's, which it mixes.
static Tensor resizeLinear(Lowering &op, const Tensor &in, int64_t dim,
                           Expr size, std::optional<double> given,
                           bool alignsCorners) {
  Value step = getStepBetween(op, in.sizes[dim], size, given, alignsCorners);
  Value last = op.size(op.exprs.sub(in.sizes[dim], op.literal(1)));
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  Dtype compute = getComputeDtype(in.dtype);
  return op.generate(
      sizes, compute, [&](Scalars &s, ValueRange indices) -> Value {
        Scalars f(s.b, s.loc, Dtype::F32);
        Value place =
            f.max(getPlace(f, indices[dim], step, alignsCorners), f.number(0));
        Value low = toIndex(s.b, s.loc, place, last);
        Value oneIndex = arith::ConstantIndexOp::create(s.b, s.loc, 1);
        Value next = arith::AddIOp::create(s.b, s.loc, low, oneIndex);
        Value high = arith::MinSIOp::create(s.b, s.loc, next, last);
        Value share = f.sub(place, toFloat(s.b, s.loc, low));
        share = f.min(f.max(share, f.number(0)), f.number(1));
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

/// The weights of four elements for a place `t` behind the second of them.
static std::array<Value, 4> getCubicWeights(const Scalars &f, Value t) {
  constexpr double a = -0.75;
  auto horner = [&](Value x, ArrayRef<double> factors) {
    Value sum = f.number(factors[0]);
    for (double factor : factors.drop_front())
      sum = f.add(f.mul(sum, x), f.number(factor));
    return sum;
  };
  auto near = [&](Value x) { return horner(x, {a + 2, -(a + 3), 0, 1}); };
  auto far = [&](Value x) { return horner(x, {a, -5 * a, 8 * a, -4 * a}); };
  Value one = f.number(1), rest = f.sub(one, t);
  return {far(f.add(t, one)), near(t), near(rest), far(f.add(rest, one))};
}

/// Each element is between four of the input's; beyond its ends the outermost
/// are repeated.
static Tensor resizeCubic(Lowering &op, const Tensor &in, int64_t dim,
                          Expr size, std::optional<double> given,
                          bool alignsCorners) {
  Value step = getStepBetween(op, in.sizes[dim], size, given, alignsCorners);
  Value last = op.size(op.exprs.sub(in.sizes[dim], op.literal(1)));
  Sizes sizes = in.sizes;
  sizes[dim] = size;
  Dtype compute = getComputeDtype(in.dtype);
  return op.generate(
      sizes, compute, [&](Scalars &s, ValueRange indices) -> Value {
        Scalars f(s.b, s.loc, Dtype::F32);
        Value place = getPlace(f, indices[dim], step, alignsCorners);
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

using ResizeFn = Tensor(Lowering &op, const Tensor &in, int64_t dim, Expr size,
                        std::optional<double> given, bool alignsCorners);

template <int64_t spatial, ResizeFn resize>
static void lowerResize(Lowering &op) {
  Tensor result = op.tensor(op.has("input") ? "input" : "self");
  std::optional<Resizing> resizing = getResizing(op, result, spatial);
  if (!resizing)
    return;
  checkChannels(op, result, spatial);
  bool alignsCorners = op.flag("align_corners", false);
  for (int64_t i = spatial - 1; i >= 0; --i) {
    int64_t dim = result.rank() - spatial + i;
    checkResizable(op, result, dim, resizing->sizes[i]);
    result = resize(op, result, dim, resizing->sizes[i], resizing->steps[i],
                    alignsCorners);
  }
  op.result(result);
}

void addImages(LoweringTable &table) {
  table.add("aten.upsample_nearest1d.vec", lowerNearest<1>);
  table.add("aten.upsample_nearest2d.vec", lowerNearest<2>);
  table.add("aten.upsample_nearest3d.vec", lowerNearest<3>);
  table.add("aten.upsample_nearest1d.default", lowerNearest<1>);
  table.add("aten.upsample_nearest2d.default", lowerNearest<2>);
  table.add("aten.upsample_linear1d.vec", lowerResize<1, resizeLinear>);
  table.add("aten.upsample_bilinear2d.vec", lowerResize<2, resizeLinear>);
  table.add("aten.upsample_trilinear3d.vec", lowerResize<3, resizeLinear>);
  table.add("aten.upsample_bicubic2d.vec", lowerResize<2, resizeCubic>);
}

} // namespace tally::import_pt2
