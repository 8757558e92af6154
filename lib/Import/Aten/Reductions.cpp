//===- Reductions.cpp - Sums, extremes, statistics ------------------------===//
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebra.h"
#include "Normalizations.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

namespace {
/// The dimensions that an op reduces, and whether they stay with size 1.
struct Reduction {
  SmallVector<int64_t> dims;
  bool keepDim = false;
};
} // namespace

static Reduction getReduction(Lowering &op, int64_t rank) {
  Reduction reduction;
  reduction.dims = op.dims("dim", rank);
  reduction.keepDim = op.flag("keepdim", false);
  return reduction;
}

static Tensor finish(Lowering &op, Tensor reduced, const Reduction &reduction) {
  return reduction.keepDim ? op.keepDims(reduced, reduction.dims) : reduced;
}

/// The number of elements that go into one result.
static Expr getCount(Lowering &op, const Tensor &in, ArrayRef<int64_t> dims) {
  SmallVector<Expr> sizes;
  for (int64_t dim : dims)
    sizes.push_back(in.sizes[dim]);
  return op.product(sizes);
}

/// Extremes of nothing do not exist.
static void checkNotEmpty(Lowering &op, const Tensor &in,
                          ArrayRef<int64_t> dims) {
  for (int64_t dim : dims)
    op.check(op.exprs.gt(in.sizes[dim], op.literal(0)),
             Twine(op.target) + ": the reduced dimension must not be empty");
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Sums in PyTorch's type, where none is given.
static void lowerSum(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  Dtype dtype = getComputeDtype(op.resultDtype(0, getSumDtype(in.dtype)));
  op.result(finish(op, op.sum(in, reduction.dims, dtype), reduction));
}

static void lowerProd(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  Dtype dtype = getComputeDtype(op.resultDtype(0, getSumDtype(in.dtype)));
  Value one = Scalars(op.b, op.loc, dtype).integer(1);
  Tensor product = op.reduce(
      in, reduction.dims, dtype, one,
      [](Scalars &s, Value element, Value acc) { return s.mul(acc, element); });
  op.result(finish(op, product, reduction));
}

/// The sum divided by the number of elements.
static Tensor buildMean(Lowering &op, const Tensor &in, ArrayRef<int64_t> dims,
                        Dtype dtype) {
  Tensor sum = op.sum(in, dims, dtype);
  Expr count = getCount(op, in, dims);
  return op.map({sum, count}, dtype, dtype,
                [](Scalars &s, ArrayRef<Value> args) {
                  return s.divFloat(args[0], args[1]);
                });
}

static void lowerMean(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  Dtype dtype = getComputeDtype(op.resultDtype());
  op.result(finish(op, buildMean(op, in, reduction.dims, dtype), reduction));
}

/// The sum of squared distances from the mean, over max(count - correction, 0).
/// As in PyTorch it is one of f64, which the squares of large f32 do not leave.
static Tensor buildVariance(Lowering &op, const Tensor &in,
                            ArrayRef<int64_t> dims, double correction) {
  Tensor mean = op.keepDims(buildMean(op, in, dims, Dtype::F64), dims);
  Tensor squares = buildSquaredDistances(op, in, mean, Dtype::F64);
  Tensor sum = op.sum(squares, dims, Dtype::F64);
  Expr count = getCount(op, in, dims);
  return op.map(
      {sum, count}, Dtype::F64, Dtype::F64,
      [&](Scalars &s, ArrayRef<Value> args) {
        Value rest = s.sub(args[1], s.number(correction));
        return s.divFloat(args[0], s.max(rest, s.number(0)));
      },
      std::nullopt, getComputeDtype(in.dtype));
}

static double getCorrection(Lowering &op) {
  if (op.has("unbiased"))
    return op.flag("unbiased", true) ? 1 : 0;
  return op.real("correction", 1);
}

template <bool isDeviation, bool withMean>
static void lowerVariance(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  Tensor variance = buildVariance(op, in, reduction.dims, getCorrection(op));
  if (isDeviation)
    variance = op.map({variance}, variance.dtype, variance.dtype,
                      [](Scalars &s, ArrayRef<Value> args) -> Value {
                        return math::SqrtOp::create(s.b, s.loc, args[0]);
                      });
  op.result(finish(op, variance, reduction), 0);
  if (withMean)
    op.result(
        finish(op, buildMean(op, in, reduction.dims, getComputeDtype(in.dtype)),
               reduction),
        1);
}

//===----------------------------------------------------------------------===//
// Truth
//===----------------------------------------------------------------------===//

template <bool isAll>
static void lowerTruth(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::Bool);
  Reduction reduction = getReduction(op, in.rank());
  Value init = Scalars(op.b, op.loc, Dtype::Bool).integer(isAll);
  Tensor result =
      op.reduce(in, reduction.dims, Dtype::Bool, init,
                [](Scalars &s, Value element, Value acc) {
                  return isAll ? s.bitAnd(acc, element) : s.bitOr(acc, element);
                });
  op.result(finish(op, result, reduction));
}

//===----------------------------------------------------------------------===//
// Extremes
//===----------------------------------------------------------------------===//

template <bool isMax>
static Tensor buildExtreme(Lowering &op, const Tensor &in,
                           ArrayRef<int64_t> dims) {
  checkNotEmpty(op, in, dims);
  Scalars outer(op.b, op.loc, in.dtype);
  Value init = isMax ? outer.lowest() : outer.highest();
  return op.reduce(in, dims, in.dtype, init,
                   [](Scalars &s, Value element, Value acc) {
                     return isMax ? s.max(acc, element) : s.min(acc, element);
                   });
}

template <bool isMax>
static void lowerExtreme(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  op.result(finish(op, buildExtreme<isMax>(op, in, reduction.dims), reduction));
}

static void lowerAminmax(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  op.result(finish(op, buildExtreme<false>(op, in, reduction.dims), reduction),
            0);
  op.result(finish(op, buildExtreme<true>(op, in, reduction.dims), reduction),
            1);
}

/// The extreme along a dimension and the first index where it is; a NaN is more
/// extreme than any number.
static std::pair<Tensor, Tensor> buildArgExtreme(Lowering &op, const Tensor &in,
                                                 int64_t dim, bool isMax) {
  Sizes sizes = in.sizes;
  sizes.erase(sizes.begin() + dim);
  Scalars outer(op.b, op.loc, in.dtype);
  Tensor values =
      op.fill(sizes, in.dtype, isMax ? outer.lowest() : outer.highest());
  Tensor indices = op.fill(sizes, Dtype::I64, 0.0);
  auto outMap =
      AffineMap::getMultiDimIdentityMap(unsigned(in.rank()), op.b.getContext())
          .dropResult(unsigned(dim));
  auto iterators = op.parallel(in.rank());
  iterators[dim] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      op.b, op.loc, TypeRange{values.value.getType(), indices.value.getType()},
      ValueRange{in.value}, ValueRange{values.value, indices.value},
      ArrayRef<AffineMap>{op.identityMap(in.rank()), outMap, outMap}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Scalars s(b, loc, in.dtype);
        Value better =
            s.compare(isMax ? Compare::Gt : Compare::Lt, args[0], args[1]);
        if (s.isFloat()) {
          Value accNumber = s.compare(Compare::Eq, args[1], args[1]);
          Value newNan = s.bitAnd(s.isNan(args[0]), accNumber);
          better = s.bitOr(better, newNan);
        }
        Value index = linalg::IndexOp::create(b, loc, dim);
        Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
        linalg::YieldOp::create(b, loc,
                                ValueRange{s.select(better, args[0], args[1]),
                                           s.select(better, wide, args[2])});
      });
  return {op.make(generic.getResult(0), in.dtype, sizes),
          op.make(generic.getResult(1), Dtype::I64, sizes)};
}

template <bool isMax>
static void lowerArgExtreme(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction;
  reduction.keepDim = op.flag("keepdim", false);
  if (in.rank() == 0)
    return op.result(op.fill({}, Dtype::I64, 0.0));
  bool whole = !op.has("dim");
  Tensor source = whole ? op.flatten(in) : in;
  int64_t dim = whole ? 0 : op.dim("dim", in.rank());
  checkNotEmpty(op, source, {dim});
  Tensor indices = buildArgExtreme(op, source, dim, isMax).second;
  if (reduction.keepDim && whole)
    indices = op.reshape(indices, Sizes(in.rank(), op.literal(1)));
  else if (reduction.keepDim)
    indices = op.keepDims(indices, {dim});
  op.result(indices);
}

/// torch.max(x, dim): values and indices.
template <bool isMax>
static void lowerExtremeWithIndex(Lowering &op) {
  Tensor in = op.tensor("self");
  if (in.rank() == 0) {
    op.result(in, 0);
    return op.result(op.fill({}, Dtype::I64, 0.0), 1);
  }
  int64_t dim = op.dim("dim", in.rank());
  bool keepDim = op.flag("keepdim", false);
  checkNotEmpty(op, in, {dim});
  auto [values, indices] = buildArgExtreme(op, in, dim, isMax);
  op.result(keepDim ? op.keepDims(values, {dim}) : values, 0);
  op.result(keepDim ? op.keepDims(indices, {dim}) : indices, 1);
}

//===----------------------------------------------------------------------===//
// Norms and counts
//===----------------------------------------------------------------------===//

static void lowerCountNonzero(Lowering &op) {
  Tensor in = op.convert(op.tensor("self"), Dtype::Bool);
  SmallVector<int64_t> dims = op.dims("dim", in.rank());
  op.result(op.sum(in, dims, Dtype::I64));
}

static void lowerLogSumExp(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  Dtype dtype = getComputeDtype(getFloatDtype(in.dtype));
  in = op.convert(in, dtype);
  Tensor max = op.keepDims(op.max(in, reduction.dims), reduction.dims);
  // Infinities are left out of the shift, or it would give NaN.
  max = op.map({max}, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
    Value infinite = s.compare(Compare::Eq, s.abs(args[0]), s.highest());
    return s.select(infinite, s.number(0), args[0]);
  });
  Tensor exps = op.map(
      {in, max}, dtype, dtype,
      [](Scalars &s, ArrayRef<Value> args) -> Value {
        return math::ExpOp::create(s.b, s.loc, s.sub(args[0], args[1]));
      },
      in.sizes);
  Tensor sum = op.keepDims(op.sum(exps, reduction.dims, dtype), reduction.dims);
  Tensor result = op.map({sum, max}, dtype, dtype,
                         [](Scalars &s, ArrayRef<Value> args) -> Value {
                           Value log = math::LogOp::create(s.b, s.loc, args[0]);
                           return s.add(log, args[1]);
                         });
  if (!reduction.keepDim)
    result = op.squeeze(result, reduction.dims);
  op.result(result);
}

/// (sum |x|^p)^(1/p), and its limits at p = 0 and at the infinities.
Tensor buildNorm(Lowering &op, Tensor in, ArrayRef<int64_t> dims, double p,
                 bool isExactOfOne) {
  Dtype dtype = getComputeDtype(getFloatDtype(in.dtype));
  in = op.map({in}, dtype, dtype,
              [](Scalars &s, ArrayRef<Value> args) { return s.abs(args[0]); });
  if (std::isinf(p))
    return p > 0 ? buildExtreme<true>(op, in, dims)
                 : buildExtreme<false>(op, in, dims);
  // The norm of one element is its magnitude, which no power takes out of the
  // range of its type.
  Expr isOne = op.exprs.falseExpr();
  if (isExactOfOne && p != 0 && p != 1)
    isOne =
        op.state.simplify(op.exprs.eq(getCount(op, in, dims), op.literal(1)));
  if (isOne.isTrue())
    p = 1;
  Value keeps = isOne.isTrue() || isOne.isFalse()
                    ? Value()
                    : op.scalar(isOne, Dtype::Bool);
  auto unlessOne = [&](Scalars &s, Value value, Value one) {
    return keeps ? s.select(keeps, one, value) : value;
  };
  Tensor powers =
      op.map({in}, dtype, dtype, [&](Scalars &s, ArrayRef<Value> args) {
        if (p == 0)
          return s.castTo(s.dtype,
                          s.select(s.compare(Compare::Ne, args[0], s.number(0)),
                                   s.number(1), s.number(0)));
        if (p == 1)
          return args[0];
        if (p == 2)
          return unlessOne(s, s.mul(args[0], args[0]), args[0]);
        return unlessOne(s, s.pow(args[0], s.number(p)), args[0]);
      });
  Tensor sum = op.sum(powers, dims, dtype);
  if (p == 0 || p == 1)
    return sum;
  return op.map(
      {sum}, dtype, dtype, [&](Scalars &s, ArrayRef<Value> args) -> Value {
        Value root = p == 2 ? math::SqrtOp::create(s.b, s.loc, args[0])
                            : s.pow(args[0], s.number(1 / p));
        return unlessOne(s, root, args[0]);
      });
}

static void lowerNorm(Lowering &op) {
  Tensor in = op.tensor("self");
  Reduction reduction = getReduction(op, in.rank());
  double p = op.has("p") ? op.real("p", 2) : op.real("ord", 2);
  if (op.has("dtype"))
    in = op.convert(in, op.resultDtype());
  op.result(finish(op, buildNorm(op, in, reduction.dims, p), reduction));
}

/// The largest of norms along a dimension; that of none is 0.
static Tensor buildLargestNorm(Lowering &op, const Tensor &in, int64_t dim) {
  Scalars s(op.b, op.loc, in.dtype);
  return op.reduce(in, {dim}, in.dtype, s.number(0),
                   [](Scalars &s, Value element, Value largest) {
                     return s.max(element, largest);
                   });
}

/// The largest (2) or least singular value (-2) of matrices in two dimensions,
/// or the sum of all (0).
static Tensor buildSingularNorm(Lowering &op, const Tensor &in,
                                ArrayRef<int64_t> dims, double p) {
  if (in.dtype != Dtype::F32 && in.dtype != Dtype::F64) {
    (void)op.error("matrices must be of float32 or float64");
    return in;
  }
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      order.push_back(dim);
  order.append(dims.begin(), dims.end());
  Tensor values = buildSVD(op, op.permute(in, order), /*isFull=*/false,
                           /*hasVectors=*/false)
                      .values;
  int64_t last = values.rank() - 1;
  if (p == 0)
    return op.sum(values, {last}, in.dtype);
  return p > 0 ? buildLargestNorm(op, values, last)
               : buildExtreme<false>(op, values, {last});
}

/// The largest sum of magnitudes of a column (order 1) or a row (infinity), or
/// the smallest one (minus that); Frobenius' norm is that of all elements.
static void lowerMatrixNorm(Lowering &op) {
  Tensor self = op.tensor("self", 2);
  Reduction reduction = getReduction(op, self.rank());
  if (!op.has("dim") && self.rank() > 2)
    reduction.dims = {self.rank() - 2, self.rank() - 1};
  StringRef name = op.string("ord", "fro");
  bool isNamed =
      !op.has("ord") || op.find("ord")->kind == Argument::Kind::String;
  double p = isNamed ? 2 : op.real("ord", 2);
  bool hasOrder = std::isinf(p) || std::abs(p) == 1;
  bool isSingular = isNamed ? name == "nuc" : std::abs(p) == 2;
  if (reduction.dims.size() != 2 ||
      !(isSingular || (isNamed ? name == "fro" : hasOrder))) {
    (void)op.error("there is no norm of this kind");
    return;
  }
  Tensor in = self;
  if (op.has("dtype"))
    in = op.convert(in, op.resultDtype());
  if (isSingular) {
    llvm::sort(reduction.dims);
    Tensor norm = buildSingularNorm(op, in, reduction.dims, isNamed ? 0 : p);
    return op.result(finish(op, norm, reduction));
  }
  if (isNamed)
    return op.result(
        finish(op, buildNorm(op, in, reduction.dims, 2), reduction));
  int64_t summed = reduction.dims[std::isinf(p) ? 1 : 0];
  int64_t left = reduction.dims[std::isinf(p) ? 0 : 1];
  Tensor sums = op.keepDims(buildNorm(op, in, {summed}, 1), {summed});
  Tensor norm = p > 0 ? buildLargestNorm(op, sums, left)
                      : buildExtreme<false>(op, sums, {left});
  norm = op.keepDims(norm, {left});
  op.result(reduction.keepDim ? norm : op.squeeze(norm, reduction.dims));
}

/// Of a vector, of all elements, or of a matrix.
static void lowerLinearNorm(Lowering &op) {
  int64_t rank = op.tensor("self").rank();
  if (op.has("ord") && op.dims("dim", rank).size() != 1)
    return lowerMatrixNorm(op);
  lowerNorm(op);
}

/// The sums of products along a dimension.
static void lowerVectorDot(Lowering &op) {
  SmallVector<Operand> operands{op.tensor("x", 1), op.tensor("y", 1)};
  Dtype dtype = promote(operands);
  Tensor products =
      op.map(operands, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
        return s.mul(args[0], args[1]);
      });
  int64_t dim = op.dim("dim", products.rank(), -1);
  op.result(op.sum(products, {dim}, dtype));
}

/// The sum over what a broadcast to the tensor's sizes would repeat.
static void lowerSumToSize(Lowering &op) {
  Tensor in = op.tensor("self");
  Sizes size = op.symInts("size");
  int64_t lead = in.rank() - int64_t(size.size());
  if (lead < 0) {
    (void)op.error("the size has more dimensions than the tensor");
    return;
  }
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, lead));
  for (auto [i, wanted] : llvm::enumerate(size)) {
    Expr given = in.sizes[lead + int64_t(i)];
    if (wanted == given)
      continue;
    if (wanted.isConstant(1))
      dims.push_back(lead + int64_t(i));
    else
      op.checkEqual(wanted, given, Twine(op.target) + ": the sizes differ");
  }
  if (dims.empty())
    return op.resultAlias("self");
  op.result(op.reshape(op.sum(in, dims, getComputeDtype(in.dtype)), size));
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void addReductions(LoweringTable &table) {
  table.add("aten.sum.default", lowerSum);
  table.add("aten.sum.dim_IntList", lowerSum);
  table.add("aten.prod.default", lowerProd);
  table.add("aten.prod.dim_int", lowerProd);
  table.add("aten.mean.default", lowerMean);
  table.add("aten.mean.dim", lowerMean);
  for (StringRef overload : {"default", "dim", "correction"}) {
    table.add(("aten.var." + overload).str(), lowerVariance<false, false>);
    table.add(("aten.std." + overload).str(), lowerVariance<true, false>);
    table.add(("aten.var_mean." + overload).str(), lowerVariance<false, true>);
    table.add(("aten.std_mean." + overload).str(), lowerVariance<true, true>);
  }
  for (StringRef overload : {"default", "dim", "dims"}) {
    table.add(("aten.any." + overload).str(), lowerTruth<false>);
    table.add(("aten.all." + overload).str(), lowerTruth<true>);
  }
  table.add("aten.amax.default", lowerExtreme<true>);
  table.add("aten.amin.default", lowerExtreme<false>);
  table.add("aten.max.default", lowerExtreme<true>);
  table.add("aten.min.default", lowerExtreme<false>);
  table.add("aten.max.dim", lowerExtremeWithIndex<true>);
  table.add("aten.min.dim", lowerExtremeWithIndex<false>);
  table.add("aten.argmax.default", lowerArgExtreme<true>);
  table.add("aten.argmin.default", lowerArgExtreme<false>);
  table.add("aten.aminmax.default", lowerAminmax);
  table.add("aten.count_nonzero.default", lowerCountNonzero);
  table.add("aten.count_nonzero.dim_IntList", lowerCountNonzero);
  table.add("aten.logsumexp.default", lowerLogSumExp);
  table.add("aten.norm.Scalar", lowerNorm);
  table.add("aten.norm.ScalarOpt_dim", lowerNorm);
  table.add("aten.linalg_vector_norm.default", lowerNorm);
  table.add("aten.norm.ScalarOpt_dtype", lowerNorm);
  table.add("aten.norm.ScalarOpt_dim_dtype", lowerNorm);
  table.add("aten.linalg_norm.default", lowerLinearNorm);
  table.add("aten.linalg_norm.ord_str", lowerMatrixNorm);
  table.add("aten.linalg_matrix_norm.default", lowerMatrixNorm);
  table.add("aten.linalg_matrix_norm.str_ord", lowerMatrixNorm);
  table.add("aten.sum_to_size.default", lowerSumToSize);
  table.add("aten.linalg_vecdot.default", lowerVectorDot);
}

} // namespace tally::import_pt2
