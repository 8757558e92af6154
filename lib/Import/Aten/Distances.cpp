//===- Distances.cpp - Distances, powers, slopes --------------------------===//
//
//===----------------------------------------------------------------------===//

#include "Families.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Distances
//===----------------------------------------------------------------------===//

static Tensor subtract(Lowering &op, const Operand &x, const Operand &y) {
  Dtype dtype = getComputeDtype(getFloatDtype(getResultType({x, y})));
  return op.map({x, y}, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
    return s.sub(args[0], args[1]);
  });
}

static void lowerDist(Lowering &op) {
  Tensor gaps = subtract(op, op.tensor("self"), op.tensor("other"));
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(0, gaps.rank()));
  op.result(buildNorm(op, gaps, all, op.real("p", 2)));
}

/// The distances of all rows of one tensor from all rows of another.
static Tensor buildDistances(Lowering &op, const Tensor &x, const Tensor &y) {
  Tensor gaps = subtract(op, op.unsqueeze(x, x.rank() - 1),
                         op.unsqueeze(y, y.rank() - 2));
  double p = op.real("p", 2);
  Dtype dtype = gaps.dtype;
  // Between rows without elements there is no distance.
  if (std::isinf(p)) {
    Tensor sizes =
        op.map({gaps}, dtype, dtype,
               [](Scalars &s, ArrayRef<Value> args) { return s.abs(args[0]); });
    Value zero = Scalars(op.b, op.loc, dtype).integer(0);
    return op.reduce(sizes, {gaps.rank() - 1}, dtype, zero,
                     [](Scalars &s, Value element, Value acc) {
                       return s.max(acc, element);
                     });
  }
  return buildNorm(op, gaps, {gaps.rank() - 1}, p, /*isExactOfOne=*/false);
}

static void lowerCdist(Lowering &op) {
  Tensor x = op.tensor("x1"), y = op.tensor("x2");
  (void)op.find("compute_mode");
  if (x.rank() < 2 || y.rank() < 2) {
    (void)op.error("two dimensions are needed");
    return;
  }
  op.checkEqual(x.sizes.back(), y.sizes.back(),
                Twine(op.target) + ": the rows differ in length");
  op.result(buildDistances(op, x, y));
}

/// Where the element `place` of a triangle above the diagonal is: rows get
/// shorter by one each, so that the row is a root of the place, as PyTorch
/// computes it.
static std::pair<Value, Value> findInTriangle(Scalars &s, Value place,
                                              Value size) {
  Scalars real(s.b, s.loc, Dtype::F64);
  Value half = real.sub(s.castTo(Dtype::F64, size), real.number(0.5));
  Value rest = real.sub(
      real.mul(half, half),
      s.castTo(Dtype::F64, s.add(s.mul(place, s.integer(2)), s.integer(1))));
  Value root = math::SqrtOp::create(s.b, s.loc, rest);
  Value row = real.castTo(Dtype::I64, real.sub(half, root));
  Value one = s.integer(1);
  // place - size * row + row * (row + 1) / 2 + row + 1
  Value before =
      s.sub(s.mul(size, row), s.shiftRight(s.mul(row, s.add(row, one)), one));
  return {row, s.add(s.add(s.sub(place, before), row), one)};
}

/// The distances of each row from those behind it.
static void lowerPdist(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() != 2) {
    (void)op.error("two dimensions are needed");
    return;
  }
  Expr rows = in.sizes[0];
  Expr count = op.state.simplify(op.exprs.floorDiv(
      op.exprs.mul(rows, op.exprs.sub(rows, op.literal(1))), op.literal(2)));
  if (rows.isConstant(0) || rows.isConstant(1))
    return op.result(op.fill({op.literal(0)}, in.dtype, 0.0));
  Tensor all = buildDistances(op, in, in);
  Value size = op.scalar(rows, Dtype::I64);
  op.result(op.generate({count}, all.dtype, [&](Scalars &s, ValueRange at) {
    Scalars n(s.b, s.loc, Dtype::I64);
    Value place =
        arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), at[0]);
    auto [row, column] = findInTriangle(n, place, size);
    Value last = n.sub(size, n.integer(1));
    auto toIndex = [&](Value value) -> Value {
      Value inside = n.max(n.min(value, last), n.integer(0));
      return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(), inside);
    };
    return tensor::ExtractOp::create(s.b, s.loc, all.value,
                                     ValueRange{toIndex(row), toIndex(column)})
        .getResult();
  }));
}

/// Slices whose norm is larger than allowed are scaled down.
static void lowerRenorm(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t dim = op.dim("dim", in.rank());
  double most = op.real("maxnorm", 1);
  SmallVector<int64_t> others;
  for (int64_t i = 0; i < in.rank(); ++i)
    if (i != dim)
      others.push_back(i);
  if (others.empty()) {
    (void)op.error("two dimensions are needed");
    return;
  }
  Tensor norms =
      op.keepDims(buildNorm(op, in, others, op.real("p", 2)), others);
  Dtype dtype = norms.dtype;
  op.result(op.map(
      {in, norms}, dtype, dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value factor =
            s.divFloat(s.number(most), s.add(args[1], s.number(1e-7)));
        Value isLarge = s.compare(Compare::Gt, args[1], s.number(most));
        return s.select(isLarge, s.mul(args[0], factor), args[0]);
      },
      in.sizes));
}

/// The powers of each element, in a dimension behind.
static void lowerVander(Lowering &op) {
  Tensor in = op.tensor("x", 1);
  bool isPlain = op.target.starts_with("aten.vander");
  if (isPlain && in.rank() != 1) {
    (void)op.error("a vector is needed");
    return;
  }
  Expr count = op.symInt("N", in.sizes.back());
  bool isRising = !isPlain || op.flag("increasing", false);
  op.check(Comparison::le(op.literal(isPlain ? 0 : 2), count),
           Twine(op.target) + ": there are too few powers");
  // Integers are powers of 64 bits.
  Dtype dtype = isFloating(in.dtype) ? in.dtype : Dtype::I64;
  Dtype compute = getComputeDtype(dtype);
  Sizes sizes = in.sizes;
  sizes.push_back(count);
  Tensor powers =
      alongDim(op, buildIndices(op, count), in.rank() + 1, in.rank());
  Value last = op.scalar(op.exprs.sub(count, op.literal(1)), Dtype::I64);
  Operand power = powers;
  power.isRaw = true;
  op.result(op.map(
      {op.unsqueeze(in, in.rank()), power}, compute, compute,
      [&](Scalars &s, ArrayRef<Value> args) {
        Scalars n(s.b, s.loc, Dtype::I64);
        Value exponent = isRising ? args[1] : n.sub(last, args[1]);
        return s.pow(args[0], n.castTo(s.dtype, exponent));
      },
      sizes, op.resultDtype(0, dtype)));
}

//===----------------------------------------------------------------------===//
// Slopes
//===----------------------------------------------------------------------===//

namespace {
/// A term of a difference: a factor of the element some places on.
using Term = std::pair<int64_t, double>;
} // namespace

/// A weighted sum of slices of a dimension, of `count` elements each.
static Tensor buildDifference(Lowering &op, const Tensor &in, int64_t dim,
                              Expr first, Expr count, ArrayRef<Term> terms,
                              double step) {
  SmallVector<Operand> operands;
  for (auto [offset, factor] : terms)
    operands.push_back(op.slice(
        in, dim, op.state.simplify(op.exprs.add(first, op.literal(offset))),
        count));
  Sizes sizes = in.sizes;
  sizes[dim] = count;
  return op.map(
      operands, in.dtype, in.dtype,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value sum;
        for (auto [arg, term] : llvm::zip_equal(args, terms)) {
          Value part = s.mul(arg, s.number(term.second));
          sum = sum ? s.add(sum, part) : part;
        }
        return s.divFloat(sum, s.number(step));
      },
      sizes);
}

/// The slope along a dimension, by what is at both sides of each element.
static Tensor buildSlope(Lowering &op, const Tensor &in, int64_t dim,
                         double step, bool isSecond) {
  Expr size = in.sizes[dim], zero = op.literal(0), one = op.literal(1);
  Expr inner = op.state.simplify(op.exprs.sub(size, op.literal(2)));
  SmallVector<Term> start{{0, -1}, {1, 1}}, end = start;
  int64_t width = 2;
  if (isSecond) {
    start = {{0, -1.5}, {1, 2}, {2, -0.5}};
    end = {{0, 0.5}, {1, -2}, {2, 1.5}};
    width = 3;
  }
  Expr last = op.state.simplify(op.exprs.sub(size, op.literal(width)));
  return op.concat(
      {buildDifference(op, in, dim, zero, one, start, step),
       buildDifference(op, in, dim, zero, inner, {{0, -0.5}, {2, 0.5}}, step),
       buildDifference(op, in, dim, last, one, end, step)},
      dim);
}

/// Maps `width` adjacent elements along a dimension, and their places, for
/// `count` elements from `first` on.
static Tensor mapAdjacent(Lowering &op, const Tensor &in, const Tensor &places,
                          int64_t dim, Expr first, Expr count, int64_t width,
                          ElementFn fn) {
  SmallVector<Operand> operands;
  for (int64_t offset = 0; offset < width; ++offset) {
    Expr start = op.state.simplify(op.exprs.add(first, op.literal(offset)));
    operands.push_back(op.slice(in, dim, start, count));
    operands.push_back(
        alongDim(op, op.slice(places, 0, start, count), in.rank(), dim));
  }
  Sizes sizes = in.sizes;
  sizes[dim] = count;
  return op.map(operands, in.dtype, in.dtype, fn, sizes);
}

/// The slope at one of three elements (0, 1 or 2), by the parabola through
/// them.
static Value buildParabolaSlope(Scalars &s, ArrayRef<Value> args, int64_t at) {
  Value left = s.sub(args[3], args[1]), right = s.sub(args[5], args[3]);
  Value both = s.add(left, right);
  // How far away two of them are, and that.
  Value toFirst = s.number(0), toSecond = left, toThird = both;
  if (at == 1) {
    toFirst = s.neg(left);
    toSecond = s.number(0);
    toThird = right;
  } else if (at == 2) {
    toFirst = s.neg(both);
    toSecond = s.neg(right);
    toThird = s.number(0);
  }
  Value sum = s.mul(
      args[0], s.divFloat(s.neg(s.add(toSecond, toThird)), s.mul(left, both)));
  sum = s.add(sum, s.mul(args[2], s.divFloat(s.add(toFirst, toThird),
                                             s.mul(left, right))));
  return s.sub(sum, s.mul(args[4], s.divFloat(s.add(toFirst, toSecond),
                                              s.mul(right, both))));
}

/// The slope along a dimension whose elements are at some places.
static Tensor buildUnevenSlope(Lowering &op, const Tensor &in,
                               const Tensor &places, int64_t dim,
                               bool isSecond) {
  Expr size = in.sizes[dim], zero = op.literal(0), one = op.literal(1);
  Expr inner = op.state.simplify(op.exprs.sub(size, op.literal(2)));
  auto slope = [&](int64_t at) {
    return [at](Scalars &s, ArrayRef<Value> args) {
      return buildParabolaSlope(s, args, at);
    };
  };
  auto ofTwo = [](Scalars &s, ArrayRef<Value> args) {
    return s.divFloat(s.sub(args[2], args[0]), s.sub(args[3], args[1]));
  };
  int64_t width = isSecond ? 3 : 2;
  Expr last = op.state.simplify(op.exprs.sub(size, op.literal(width)));
  auto edge = [&](Expr first, int64_t at) {
    return isSecond
               ? mapAdjacent(op, in, places, dim, first, one, width, slope(at))
               : mapAdjacent(op, in, places, dim, first, one, width, ofTwo);
  };
  return op.concat({edge(zero, 0),
                    mapAdjacent(op, in, places, dim, zero, inner, 3, slope(1)),
                    edge(last, 2)},
                   dim);
}

/// The same for elements at places that are told by tensors.
static void lowerUnevenGradient(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", in.rank());
  SmallVector<Tensor> spacing = op.tensors("spacing");
  int64_t order = op.integer("edge_order", 1);
  if (spacing.size() != dims.size() || (order != 1 && order != 2) ||
      llvm::any_of(spacing, [](const Tensor &t) { return t.rank() != 1; })) {
    (void)op.error("a vector of places for each dimension, and edges of order "
                   "1 or 2 are needed");
    return;
  }
  Dtype dtype = getFloatDtype(in.dtype);
  Tensor wide = op.convert(in, getComputeDtype(dtype));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    op.check(Comparison::le(op.literal(order + 1), in.sizes[dim]),
             Twine(op.target) + ": a dimension is too small");
    op.checkEqual(spacing[i].sizes[0], in.sizes[dim],
                  Twine(op.target) + ": each element needs a place");
    Tensor places = op.convert(spacing[i], wide.dtype);
    op.result(
        op.convert(buildUnevenSlope(op, wide, places, dim, order == 2), dtype),
        unsigned(i));
  }
}

/// The slopes along some dimensions, of elements that are equally far apart.
static void lowerGradient(Lowering &op) {
  Tensor in = op.tensor("self");
  SmallVector<int64_t> dims = op.dims("dim", in.rank());
  int64_t order = op.integer("edge_order", 1);
  SmallVector<double> steps(dims.size(), 1);
  if (const Argument *spacing = op.find("spacing")) {
    bool isList = spacing->kind == Argument::Kind::List;
    size_t count = isList ? spacing->list.size() : 1;
    if (count != 1 && count != dims.size()) {
      (void)op.error("one spacing for each dimension is needed");
      return;
    }
    for (auto [i, step] : llvm::enumerate(steps)) {
      const Argument &given =
          isList ? spacing->list[count == 1 ? 0 : i] : *spacing;
      if (given.kind == Argument::Kind::Float)
        step = given.real;
      else if (given.kind == Argument::Kind::Int)
        step = double(int64_t(given.integer));
      else
        (void)op.error("the spacings must be literal numbers");
    }
  }
  if (order != 1 && order != 2) {
    (void)op.error("the edges are of order 1 or 2");
    return;
  }
  Dtype dtype = getFloatDtype(in.dtype);
  Tensor wide = op.convert(in, getComputeDtype(dtype));
  for (auto [i, dim] : llvm::enumerate(dims)) {
    op.check(Comparison::le(op.literal(order + 1), in.sizes[dim]),
             Twine(op.target) + ": a dimension is too small");
    op.result(
        op.convert(buildSlope(op, wide, dim, steps[i], order == 2), dtype),
        unsigned(i));
  }
}

void addDistances(LoweringTable &table) {
  table.add("aten.dist.default", lowerDist);
  table.add("aten.cdist.default", lowerCdist);
  table.add("aten._cdist_forward.default", lowerCdist);
  table.add("aten.pdist.default", lowerPdist);
  table.add("aten._pdist_forward.default", lowerPdist);
  table.add("aten.renorm.default", lowerRenorm);
  table.add("aten.vander.default", lowerVander);
  table.add("aten.linalg_vander.default", lowerVander);
  for (StringRef overload : {"tensorarray", "tensorarrayint"})
    table.add(("aten.gradient." + overload).str(), lowerUnevenGradient);
  for (StringRef overload :
       {"scalarint", "scalararray", "array", "scalarrayint", "scalarrayarray"})
    table.add(("aten.gradient." + overload).str(), lowerGradient);
}

} // namespace tally::import_pt2
