//===- MatrixFunctions.cpp - What is made of the factors of matrices ------===//
//
// Pseudoinverses, ranks, condition numbers, and products of reflections.
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebra.h"

#include <cmath>
#include <limits>
#include <tuple>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Singular values that count as 0
//===----------------------------------------------------------------------===//

static double getEpsilon(Dtype dtype) {
  return dtype == Dtype::F32 ? double(std::numeric_limits<float>::epsilon())
                             : std::numeric_limits<double>::epsilon();
}

/// The values of a matrix that tell its rank, and what they are multiplied
/// with.
static std::pair<Tensor, SingularValues> getRankValues(Lowering &op,
                                                       const Tensor &in,
                                                       bool isHermitian,
                                                       bool hasVectors) {
  if (!isHermitian) {
    SingularValues made = buildSVD(op, in, /*isFull=*/false, hasVectors);
    return {made.values, made};
  }
  op.checkEqual(in.sizes[in.rank() - 2], in.sizes.back(),
                Twine(op.target) + ": the matrix must be square");
  auto [values, vectors] = buildEigh(op, in, /*isUpper=*/false, hasVectors);
  Tensor magnitudes =
      op.map({values}, in.dtype, in.dtype,
             [](Scalars &s, ArrayRef<Value> args) { return s.abs(args[0]); });
  return {magnitudes, {vectors, values, vectors}};
}

namespace {
/// Limits for what counts as 0: one as it is, and one of the largest value.
struct Limits {
  std::optional<Operand> absolute, relative;
};
} // namespace

/// Whether values, which are not negative, are above their limit: the larger
/// one of those given. Without a relative one it depends on the precision, or
/// it is 0 if there is an absolute one.
static Tensor areAboveLimits(Lowering &op, const Tensor &in,
                             const Tensor &values, const Limits &limits) {
  Dtype dtype = values.dtype;
  Scalars outer(op.b, op.loc, dtype);
  int64_t last = values.rank() - 1;
  Tensor largest =
      op.keepDims(op.reduce(values, {last}, dtype, outer.number(0),
                            [](Scalars &s, Value element, Value acc) {
                              return s.max(element, acc);
                            }),
                  {last});
  auto widen = [&](const std::optional<Operand> &limit) -> Operand {
    if (!limit)
      return op.literal(0);
    if (limit->tensor)
      return op.unsqueeze(*limit->tensor, limit->tensor->rank());
    return *limit;
  };
  Expr size = op.exprs.max(in.sizes[in.rank() - 2], in.sizes.back());
  Value usual =
      outer.mul(op.scalar(size, dtype), outer.number(getEpsilon(dtype)));
  SmallVector<Operand> operands{values, largest, widen(limits.absolute),
                                widen(limits.relative)};
  Operand flag = op.map(
      operands, dtype, Dtype::Bool, [&](Scalars &s, ArrayRef<Value> args) {
        Value absolute = args[2], relative = args[3];
        if (!limits.relative)
          relative =
              limits.absolute
                  ? s.select(s.compare(Compare::Gt, absolute, s.number(0)),
                             s.number(0), usual)
                  : usual;
        Value limit = s.max(absolute, s.mul(relative, args[1]));
        return s.compare(Compare::Gt, args[0], limit);
      });
  return *flag.tensor;
}

static Limits getLimits(Lowering &op) {
  Limits limits;
  auto get = [&](StringRef name) -> std::optional<Operand> {
    if (!op.has(name))
      return std::nullopt;
    return op.operand(name);
  };
  limits.absolute = get("atol");
  limits.relative = get("rtol");
  if (op.has("tol")) {
    limits.absolute = get("tol");
    limits.relative = Operand(op.literal(0));
  }
  if (op.has("rcond"))
    limits.relative = get("rcond");
  return limits;
}

/// Values above their limits inverted, the others 0.
static Tensor invertAbove(Lowering &op, const Tensor &values,
                          const Tensor &isAbove) {
  Operand flag = isAbove;
  flag.isRaw = true;
  return op.map({values, flag}, values.dtype, values.dtype,
                [](Scalars &s, ArrayRef<Value> args) {
                  Value inverse = s.divFloat(s.number(1), args[0]);
                  return s.select(args[1], inverse, s.number(0));
                });
}

static Tensor multiplyMaps(Lowering &op, const Tensor &a, const Tensor &b) {
  return op.map({a, b}, a.dtype, a.dtype, [](Scalars &s, ArrayRef<Value> args) {
    return s.mul(args[0], args[1]);
  });
}

/// The pseudoinverse of Moore and Penrose: V diag(1 / values) U^T.
static void lowerPseudoinverse(Lowering &op) {
  Tensor in = getMatrix(op, "self");
  bool isHermitian = op.flag("hermitian", false);
  auto [magnitudes, made] = getRankValues(op, in, isHermitian, true);
  Tensor inverted = invertAbove(
      op, made.values, areAboveLimits(op, in, magnitudes, getLimits(op)));
  Tensor right = isHermitian ? made.vt : transpose(op, made.vt);
  Tensor scaled =
      multiplyMaps(op, right, op.unsqueeze(inverted, inverted.rank() - 1));
  op.result(buildMatmul(op, scaled, transpose(op, made.u), in.dtype));
}

static void lowerMatrixRank(Lowering &op) {
  Tensor in = getMatrix(op, op.has("input") ? "input" : "self");
  Tensor magnitudes =
      getRankValues(op, in, op.flag("hermitian", false), false).first;
  Tensor isAbove = areAboveLimits(op, in, magnitudes, getLimits(op));
  op.result(op.sum(isAbove, {isAbove.rank() - 1}, Dtype::I64));
}

//===----------------------------------------------------------------------===//
// Condition numbers
//===----------------------------------------------------------------------===//

/// The largest or the least element of the last dimension.
static Tensor reduceLast(Lowering &op, const Tensor &in, bool isMax) {
  Scalars s(op.b, op.loc, in.dtype);
  return op.reduce(in, {in.rank() - 1}, in.dtype,
                   isMax ? s.number(0) : s.highest(),
                   [&](Scalars &s, Value element, Value acc) {
                     return isMax ? s.max(element, acc) : s.min(element, acc);
                   });
}

/// A norm of matrices other than that by one singular value: nuclear,
/// Frobenius', the largest or least sum of a column (1, -1) or of a row
/// (infinity).
static Tensor buildMatrixNorm(Lowering &op, const Tensor &in, StringRef name,
                              double p) {
  if (name == "nuc") {
    Tensor values = buildSVD(op, in, false, false).values;
    return op.sum(values, {values.rank() - 1}, in.dtype);
  }
  int64_t row = in.rank() - 2, column = in.rank() - 1;
  if (name == "fro")
    return buildNorm(op, in, {row, column}, 2);
  return reduceLast(op, buildNorm(op, in, {std::isinf(p) ? column : row}, 1),
                    p > 0);
}

static void lowerCondition(Lowering &op) {
  Tensor in = getMatrix(op, "self");
  bool isNamed = op.has("p") && op.find("p")->kind == Argument::Kind::String;
  StringRef name = isNamed ? op.string("p") : "";
  double p = isNamed ? 0 : op.real("p", 2);
  Expr isEmpty = op.exprs.eq(
      op.exprs.mul(in.sizes[in.rank() - 2], in.sizes.back()), op.literal(0));
  Value none = op.scalar(op.state.simplify(isEmpty), Dtype::Bool);
  Tensor over, under, info;
  if (!isNamed && std::abs(p) == 2) {
    Tensor values = buildSVD(op, in, false, false).values;
    over = reduceLast(op, values, p > 0);
    under = reduceLast(op, values, p < 0);
  } else {
    bool isKnown = isNamed ? name == "fro" || name == "nuc"
                           : std::abs(p) == 1 || std::isinf(p);
    if (!isKnown)
      return (void)op.error("there is no norm of this kind");
    op.checkEqual(in.sizes[in.rank() - 2], in.sizes.back(),
                  Twine(op.target) + ": the matrix must be square");
    Tensor inverse;
    std::tie(inverse, info) = buildInverse(op, in);
    over = buildMatrixNorm(op, in, name, p);
    under = buildMatrixNorm(op, inverse, name, p);
  }
  bool isQuotient = !isNamed && std::abs(p) == 2;
  SmallVector<Operand> operands{over, under};
  if (!isQuotient)
    operands.push_back(info);
  op.result(op.map(
      operands, in.dtype, in.dtype, [&](Scalars &s, ArrayRef<Value> args) {
        Value number;
        if (isQuotient) {
          number = s.divFloat(args[0], args[1]);
        } else {
          // A singular matrix has no inverse.
          Value isFine = s.compare(Compare::Eq, args[2], s.number(0));
          number = s.select(isFine, s.mul(args[0], args[1]), s.highest());
        }
        return s.select(none, s.number(0), number);
      }));
}

//===----------------------------------------------------------------------===//
// Products of reflections
//===----------------------------------------------------------------------===//

namespace {
/// The product of reflections I - t v v^T is I - V T V^T, where T is the
/// inverse of M = I + diag(t) S, times diag(t), with S for what is above the
/// diagonal of V^T V.
struct Reflections {
  Tensor v, m, t;

  /// T X, or T^T X.
  Tensor multiply(Lowering &op, const Tensor &x, bool isTransposed) const {
    Tensor scales = op.unsqueeze(t, t.rank());
    if (!isTransposed)
      return buildSolveTriangular(op, m, multiplyMaps(op, scales, x),
                                  /*isUpper=*/true, /*isUnit=*/true);
    return multiplyMaps(op, scales,
                        buildSolveTriangular(op, import_pt2::transpose(op, m),
                                             x, /*isUpper=*/false,
                                             /*isUnit=*/true));
  }
};
} // namespace

/// Vectors are below the diagonal, on which they are 1.
static Reflections getReflections(Lowering &op, const Tensor &in,
                                  const Tensor &t) {
  Reflections made;
  made.t = t;
  Sizes sizes = append(getBatch(in), {in.sizes[in.rank() - 2], t.sizes.back()});
  made.v = op.generate(sizes, in.dtype, [&](Scalars &s, ValueRange at) {
    Value row = at[at.size() - 2], column = at.back();
    auto compare = [&](arith::CmpIPredicate kind) -> Value {
      return arith::CmpIOp::create(s.b, s.loc, kind, row, column);
    };
    Value element = tensor::ExtractOp::create(s.b, s.loc, in.value, at);
    Value upper =
        s.select(compare(arith::CmpIPredicate::eq), s.number(1), s.number(0));
    return s.select(compare(arith::CmpIPredicate::sgt), element, upper);
  });
  Tensor gram = buildMatmul(op, transpose(op, made.v), made.v, in.dtype);
  // What is on the diagonal and below is not read.
  made.m = multiplyMaps(op, op.unsqueeze(t, t.rank()), gram);
  return made;
}

static bool checkReflections(Lowering &op, const Tensor &in, const Tensor &t) {
  if (in.rank() != t.rank() + 1 || in.dtype != t.dtype) {
    (void)op.error("there must be a factor for each reflection of each matrix");
    return false;
  }
  op.check(Comparison::le(t.sizes.back(), in.sizes.back()),
           Twine(op.target) + ": there are more factors than columns");
  return true;
}

/// The first columns of a product of reflections.
static void lowerReflections(Lowering &op) {
  bool isOld = op.has("self");
  Tensor in = getMatrix(op, isOld ? "self" : "input");
  Tensor t = op.tensor(isOld ? "input2" : "tau", 1);
  if (!checkReflections(op, in, t))
    return;
  Expr rows = in.sizes[in.rank() - 2], columns = in.sizes.back();
  op.check(Comparison::le(columns, rows),
           Twine(op.target) + ": the matrix has more columns than rows");
  Reflections made = getReflections(op, in, t);
  Tensor first = op.slice(made.v, in.rank() - 2, op.literal(0), columns);
  Tensor product = buildMatmul(
      op, made.v, made.multiply(op, transpose(op, first), false), in.dtype);
  op.result(op.map(
      {buildIdentity(op, in), product}, in.dtype, in.dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.sub(args[0], args[1]); },
      in.sizes));
}

/// The product of reflections and a matrix, on either side.
static void lowerMultiplyReflections(Lowering &op) {
  Tensor in = getMatrix(op, "self"), t = op.tensor("input2", 1);
  Tensor other = getMatrix(op, "input3");
  bool isLeft = op.flag("left", true);
  bool isTransposed = op.flag("transpose", false) == isLeft;
  if (!checkReflections(op, in, t))
    return;
  Tensor right = isLeft ? other : transpose(op, other);
  op.checkEqual(in.sizes[in.rank() - 2], right.sizes[right.rank() - 2],
                Twine(op.target) + ": the numbers of rows differ");
  Reflections made = getReflections(op, in, t);
  Tensor inner = buildMatmul(op, transpose(op, made.v), right, in.dtype);
  Tensor product =
      buildMatmul(op, made.v, made.multiply(op, inner, isTransposed), in.dtype);
  Tensor result = op.map(
      {right, product}, in.dtype, in.dtype,
      [](Scalars &s, ArrayRef<Value> args) { return s.sub(args[0], args[1]); });
  op.result(isLeft ? result : transpose(op, result));
}

//===----------------------------------------------------------------------===//
// Equations of tensors
//===----------------------------------------------------------------------===//

static void lowerTensorInverse(Lowering &op) {
  Tensor in = op.tensor("self");
  int64_t split = op.integer("ind", 2);
  if (split <= 0 || split > in.rank()) {
    (void)op.error("there must be a dimension to invert");
    return;
  }
  ArrayRef<Expr> front = ArrayRef(in.sizes).take_front(split);
  ArrayRef<Expr> back = ArrayRef(in.sizes).drop_front(split);
  Expr rows = op.product(front), columns = op.product(back);
  op.checkEqual(rows, columns,
                Twine(op.target) + ": the matrix must be square");
  auto [inverse, info] = buildInverse(op, op.reshape(in, {rows, columns}));
  checkInfo(op, info, "linalg.inv");
  op.result(op.reshape(inverse, append(Sizes(back), front)));
}

static void lowerTensorSolve(Lowering &op) {
  Tensor in = op.tensor("self"), right = op.tensor("other");
  SmallVector<int64_t> order, moved;
  if (op.has("dims"))
    moved = op.dims("dims", in.rank());
  for (int64_t dim = 0; dim < in.rank(); ++dim)
    if (!llvm::is_contained(moved, dim))
      order.push_back(dim);
  order.append(moved);
  in = op.permute(in, order);
  if (in.rank() < right.rank()) {
    (void)op.error("the right side has more dimensions than the left one");
    return;
  }
  ArrayRef<Expr> sizes = ArrayRef(in.sizes).drop_front(right.rank());
  Expr rows = op.product(ArrayRef(in.sizes).take_front(right.rank()));
  Expr columns = op.product(sizes);
  op.checkEqual(rows, columns,
                Twine(op.target) + ": the matrix must be square");
  Tensor flat = op.unsqueeze(op.flatten(right), 1);
  SmallVector<Tensor> factors = buildLU(op, op.reshape(in, {rows, columns}));
  checkInfo(op, factors[2], "linalg.solve");
  op.result(
      op.reshape(buildSolveLU(op, factors[0], factors[1], flat), Sizes(sizes)));
}

void addMatrixFunctions(LoweringTable &table) {
  for (StringRef overload :
       {"default", "atol_rtol_tensor", "atol_rtol_float", "rcond_tensor"})
    table.add(("aten.linalg_pinv." + overload).str(), lowerPseudoinverse);
  table.add("aten.pinverse.default", lowerPseudoinverse);
  for (StringRef overload :
       {"default", "atol_rtol_tensor", "atol_rtol_float", "tol_tensor"})
    table.add(("aten.linalg_matrix_rank." + overload).str(), lowerMatrixRank);
  table.add("aten.linalg_cond.default", lowerCondition);
  table.add("aten.linalg_cond.p_str", lowerCondition);
  table.add("aten.linalg_householder_product.default", lowerReflections);
  table.add("aten.orgqr.default", lowerReflections);
  table.add("aten.ormqr.default", lowerMultiplyReflections);
  table.add("aten.linalg_tensorinv.default", lowerTensorInverse);
  table.add("aten.linalg_tensorsolve.default", lowerTensorSolve);
}

} // namespace tally::import_pt2
