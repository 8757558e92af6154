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

Tensor buildDistance(Lowering &op, const Tensor &x, const Tensor &y, double p,
                     double eps) {
  Dtype dtype = getComputeDtype(getFloatDtype(getResultType({x, y})));
  Tensor gaps =
      op.map({x, y}, dtype, dtype, [&](Scalars &s, ArrayRef<Value> args) {
        return s.add(s.sub(args[0], args[1]), s.number(eps));
      });
  return buildNorm(op, gaps, {gaps.rank() - 1}, p);
}

static void lowerPairwiseDistance(Lowering &op) {
  Tensor norm = buildDistance(op, op.tensor("x1", 1), op.tensor("x2", 1),
                              op.real("p", 2), op.real("eps", 1e-6));
  op.result(op.flag("keepdim", false) ? op.keepDims(norm, {norm.rank()})
                                      : norm);
}

static void lowerCosineSimilarity(Lowering &op) {
  Operand x = op.tensor("x1"), y = op.tensor("x2");
  double eps = op.real("eps", 1e-8);
  Dtype dtype = getComputeDtype(getFloatDtype(getResultType({x, y})));
  Sizes sizes = op.broadcastSizes({x, y});
  int64_t dim = op.dim("dim", std::max<int64_t>(sizes.size(), 1), 1);
  auto sumOf = [&](const Operand &a, const Operand &b) {
    Tensor products = op.map(
        {a, b}, dtype, dtype,
        [](Scalars &s, ArrayRef<Value> args) {
          return s.mul(args[0], args[1]);
        },
        sizes);
    return op.sum(op.withDim(products), {dim}, dtype);
  };
  op.result(op.map({sumOf(x, y), sumOf(x, x), sumOf(y, y)}, dtype, dtype,
                   [&](Scalars &s, ArrayRef<Value> args) {
                     auto norm = [&](Value square) -> Value {
                       Value root = math::SqrtOp::create(s.b, s.loc, square);
                       return s.max(root, s.number(eps));
                     };
                     Value both = s.mul(norm(args[1]), norm(args[2]));
                     return s.divFloat(args[0], both);
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
  bool isPlain = op.target.starts_with("aten.vander");
  // One number is a vector of one.
  Tensor in = isPlain ? op.tensor("x") : op.withDim(op.tensor("x"));
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

/// Computes a function of two operands, rounded to a type: PyTorch rounds each
/// step of what follows.
static Tensor mapTwo(Lowering &op, Operand a, Operand b, Dtype dtype,
                     const Sizes &sizes, ElementFn fn) {
  Dtype compute = getComputeDtype(dtype);
  return op.map({a, b}, compute, compute, fn, sizes, dtype);
}

static Value buildSum(Scalars &s, ArrayRef<Value> args) {
  return s.add(args[0], args[1]);
}
static Value buildProduct(Scalars &s, ArrayRef<Value> args) {
  return s.mul(args[0], args[1]);
}
static Value buildQuotient(Scalars &s, ArrayRef<Value> args) {
  return s.divFloat(args[0], args[1]);
}
/// How far the second operand is above the first.
static Value buildStep(Scalars &s, ArrayRef<Value> args) {
  return s.sub(args[1], args[0]);
}

/// The factor of one of three elements (`term`) in the slope at one of them
/// (`at`), by the parabola through them, from the two steps between them.
static Tensor buildParabolaFactor(Lowering &op, const Tensor &left,
                                  const Tensor &right, int64_t at,
                                  int64_t term) {
  // How often the two steps are in the numerator.
  static constexpr int64_t numerators[3][3][2] = {{{-2, -1}, {1, 1}, {-1, 0}},
                                                  {{0, -1}, {-1, 1}, {1, 0}},
                                                  {{0, 1}, {-1, -1}, {1, 2}}};
  Tensor numerator =
      mapTwo(op, left, right, left.dtype, left.sizes,
             [of = numerators[at][term]](Scalars &s, ArrayRef<Value> args) {
               return s.add(s.mul(args[0], s.number(double(of[0]))),
                            s.mul(args[1], s.number(double(of[1]))));
             });
  Tensor both = mapTwo(op, left, right, left.dtype, left.sizes, buildSum);
  Tensor denominator =
      mapTwo(op, term == 2 ? right : left, term == 1 ? right : both, left.dtype,
             left.sizes, buildProduct);
  return mapTwo(op, numerator, denominator, getFloatDtype(left.dtype),
                left.sizes, buildQuotient);
}

/// The slopes along a dimension at the `count` elements from `first + at` on,
/// each by the parabola through three elements.
static Tensor buildParabolaSlopes(Lowering &op, const Tensor &in,
                                  const Tensor &steps, int64_t dim, Expr first,
                                  Expr count, int64_t at, Dtype dtype) {
  Sizes sizes = in.sizes;
  sizes[dim] = count;
  auto from = [&](int64_t offset) {
    return op.state.simplify(op.exprs.add(first, op.literal(offset)));
  };
  Tensor left = op.slice(steps, 0, from(0), count);
  Tensor right = op.slice(steps, 0, from(1), count);
  auto buildTerm = [&](int64_t term) {
    Tensor factors = buildParabolaFactor(op, left, right, at, term);
    return mapTwo(op, op.slice(in, dim, from(term), count),
                  alongDim(op, factors, in.rank(), dim), dtype, sizes,
                  buildProduct);
  };
  Tensor start = mapTwo(op, buildTerm(0), buildTerm(1), dtype, sizes, buildSum);
  return mapTwo(op, start, buildTerm(2), dtype, sizes, buildSum);
}

/// The slope along a dimension between the elements at `first` and behind it.
static Tensor buildSlopeOfTwo(Lowering &op, const Tensor &in,
                              const Tensor &steps, int64_t dim, Expr first,
                              Dtype dtype) {
  Expr one = op.literal(1);
  Expr next = op.state.simplify(op.exprs.add(first, one));
  Sizes sizes = in.sizes;
  sizes[dim] = one;
  Tensor difference =
      mapTwo(op, op.slice(in, dim, first, one), op.slice(in, dim, next, one),
             in.dtype, sizes, buildStep);
  return mapTwo(op, difference,
                alongDim(op, op.slice(steps, 0, first, one), in.rank(), dim),
                dtype, sizes, buildQuotient);
}

/// The slope along a dimension whose elements are at some places. PyTorch
/// computes the steps between these in their own type, and the first and the
/// last slope in the type of the elements, if that is a floating one.
static Tensor buildUnevenSlope(Lowering &op, const Tensor &in,
                               const Tensor &places, int64_t dim,
                               bool isSecond) {
  Dtype dtype = promoteTypes(in.dtype, getFloatDtype(places.dtype));
  Dtype edgeDtype = isFloating(in.dtype) ? in.dtype : dtype;
  Expr size = in.sizes[dim], zero = op.literal(0), one = op.literal(1);
  Expr inner = op.state.simplify(op.exprs.sub(size, op.literal(2)));
  Expr gaps = op.state.simplify(op.exprs.sub(size, one));
  Tensor steps = mapTwo(op, op.slice(places, 0, zero, gaps),
                        op.slice(places, 0, one, gaps), places.dtype,
                        Sizes{gaps}, buildStep);
  Expr last =
      op.state.simplify(op.exprs.sub(size, op.literal(isSecond ? 3 : 2)));
  auto buildEdge = [&](Expr first, int64_t at) {
    Tensor edge =
        isSecond
            ? buildParabolaSlopes(op, in, steps, dim, first, one, at, edgeDtype)
            : buildSlopeOfTwo(op, in, steps, dim, first, edgeDtype);
    return op.convert(edge, dtype);
  };
  return op.concat(
      {buildEdge(zero, 0),
       buildParabolaSlopes(op, in, steps, dim, zero, inner, 1, dtype),
       buildEdge(last, 2)},
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
  for (auto [i, dim] : llvm::enumerate(dims)) {
    op.check(Comparison::le(op.literal(order + 1), in.sizes[dim]),
             Twine(op.target) + ": a dimension is too small");
    op.checkEqual(spacing[i].sizes[0], in.sizes[dim],
                  Twine(op.target) + ": each element needs a place");
    op.result(buildUnevenSlope(op, in, spacing[i], dim, order == 2),
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
  table.add("aten.cosine_similarity.default", lowerCosineSimilarity);
  table.add("aten.pairwise_distance.default", lowerPairwiseDistance);
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
