//===- MatrixFactors.cpp - Determinants, and factors as results -----------===//
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebra.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// The diagonal of U, with the sign of the exchange of each row.
static Tensor buildSignedDiagonal(Lowering &op, const Tensor &factors,
                                  const Tensor &pivots) {
  return op.generate(
      pivots.sizes, factors.dtype, [&](Scalars &s, ValueRange at) {
        SmallVector<Value> place(at);
        place.push_back(at.back());
        Value element =
            tensor::ExtractOp::create(s.b, s.loc, factors.value, place);
        Value pivot = tensor::ExtractOp::create(s.b, s.loc, pivots.value, at);
        Scalars rows(s.b, s.loc, Dtype::I32);
        Value row =
            arith::IndexCastOp::create(s.b, s.loc, rows.type(), at.back());
        Value stays =
            rows.compare(Compare::Eq, pivot, rows.add(row, rows.integer(1)));
        return s.select(stays, element, s.neg(element));
      });
}

/// The factors for a determinant: those of the transposed matrix where that is
/// laid out as LAPACK wants it. Gradients are computed from them.
static SmallVector<Tensor> buildDetFactors(Lowering &op) {
  StringRef name = op.has("A") ? "A" : "self";
  Tensor in = getSquare(op, name);
  return buildLU(op, in, /*isTransposed=*/isContiguousArgument(op, name));
}

static void lowerDet(Lowering &op) {
  SmallVector<Tensor> factors = buildDetFactors(op);
  Tensor diagonal = buildSignedDiagonal(op, factors[0], factors[1]);
  Scalars s(op.b, op.loc, diagonal.dtype);
  op.result(op.reduce(diagonal, {diagonal.rank() - 1}, diagonal.dtype,
                      s.integer(1),
                      [](Scalars &s, Value element, Value product) {
                        return s.mul(product, element);
                      }),
            0);
  for (auto [index, factor] : llvm::enumerate(factors))
    op.result(factor, index + 1);
}

/// The sign of a determinant, the logarithm of its magnitude, and factors.
static SmallVector<Tensor> buildSignAndLog(Lowering &op) {
  SmallVector<Tensor> factors = buildDetFactors(op);
  Tensor diagonal = buildSignedDiagonal(op, factors[0], factors[1]);
  Dtype dtype = diagonal.dtype;
  Tensor signs =
      op.map({diagonal}, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
        Value zero = s.integer(0), x = args[0];
        Value sign = s.select(
            s.compare(Compare::Lt, zero, x), s.integer(1),
            s.select(s.compare(Compare::Lt, x, zero), s.integer(-1), zero));
        return sign;
      });
  Tensor logs = op.map({diagonal}, dtype, dtype,
                       [](Scalars &s, ArrayRef<Value> args) -> Value {
                         return math::LogOp::create(s.b, s.loc, s.abs(args[0]));
                       });
  int64_t last = diagonal.rank() - 1;
  Tensor sign =
      op.reduce(signs, {last}, dtype, Scalars(op.b, op.loc, dtype).integer(1),
                [](Scalars &s, Value element, Value product) {
                  return s.mul(product, element);
                });
  return {sign, op.sum(logs, {last}, dtype), factors[0], factors[1]};
}

static void lowerSignAndLog(Lowering &op) {
  SmallVector<Tensor> made = buildSignAndLog(op);
  for (auto [index, result] : llvm::enumerate(made))
    op.result(result, index);
}

static void lowerLogDet(Lowering &op) {
  SmallVector<Tensor> made = buildSignAndLog(op);
  Dtype dtype = made[0].dtype;
  op.result(op.map(
      {made[0], made[1]}, dtype, dtype, [](Scalars &s, ArrayRef<Value> args) {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        Value isNegative = s.compare(Compare::Eq, args[0], s.integer(-1));
        return s.select(isNegative, s.number(nan), args[1]);
      }));
}

//===----------------------------------------------------------------------===//
// Factors as results
//===----------------------------------------------------------------------===//

static void lowerCholesky(Lowering &op) {
  auto [factor, info] =
      buildCholesky(op, getSquare(op, "self"), op.flag("upper", false));
  checkInfo(op, info,
            op.target.contains("linalg") ? "linalg.cholesky" : "cholesky");
  op.result(factor);
}

static void lowerCholeskyEx(Lowering &op) {
  auto [factor, info] =
      buildCholesky(op, getSquare(op, "self"), op.flag("upper", false));
  checkInfoIfAsked(op, info, "linalg.cholesky");
  op.result(factor, 0);
  op.result(info, 1);
}

static void lowerQR(Lowering &op) {
  bool isOld = op.has("self");
  Tensor in = getMatrix(op, isOld ? "self" : "A");
  StringRef mode = op.string("mode", "reduced");
  bool isFull = isOld ? !op.flag("some", true) : mode == "complete";
  Expr m = in.sizes[in.rank() - 2], n = in.sizes.back();
  Expr k = isFull ? m : getLesser(op, in);
  Sizes batch = getBatch(in);
  MatrixFlags flags;
  flags.full = isFull;
  SmallVector<Tensor> made = buildLinearAlgebra(
      op, LinearAlgebraKind::QR, {in},
      {{append(batch, {m, k}), in.dtype}, {append(batch, {k, n}), in.dtype}},
      flags);
  op.result(mode == "r" ? op.fill({op.literal(0)}, in.dtype, 0.0) : made[0], 0);
  op.result(made[1], 1);
}

bool readsUpper(Lowering &op) {
  return op.string("UPLO", "L").equals_insensitive("u");
}

static void lowerEigh(Lowering &op) {
  bool hasVectors = op.flag("compute_v", true);
  Tensor in = getSquare(op, op.has("A") ? "A" : "self");
  auto [values, vectors] = buildEigh(op, in, readsUpper(op), hasVectors);
  op.result(values, 0);
  op.result(hasVectors ? vectors : op.fill({op.literal(0)}, in.dtype, 0.0), 1);
}

static void lowerEigenvalues(Lowering &op) {
  op.result(buildEigh(op, getSquare(op, "self"), readsUpper(op),
                      /*hasVectors=*/false)
                .first);
}

/// The choice of an algorithm is for GPUs.
static void lowerSVD(Lowering &op) {
  bool hasVectors = op.flag("compute_uv", true);
  bool isLinalg = op.target.contains("linalg");
  bool isFull = isLinalg
                    ? op.flag("full_matrices", !op.target.contains("_linalg"))
                    : !op.flag("some", true);
  (void)op.find("driver");
  Tensor in = getMatrix(op, isLinalg ? "A" : "self");
  SingularValues made = buildSVD(op, in, isFull && hasVectors, hasVectors);
  op.result(made.values, 1);
  if (hasVectors) {
    op.result(made.u, 0);
    return op.result(isLinalg ? made.vt : transpose(op, made.vt), 2);
  }
  // torch.svd gives zeros, the others nothing.
  Tensor nothing = op.fill({op.literal(0)}, in.dtype, 0.0);
  Expr m = in.sizes[in.rank() - 2], n = in.sizes.back();
  auto zeros = [&](Expr size) {
    return op.fill(append(getBatch(in), {size, size}), in.dtype, 0.0);
  };
  op.result(isLinalg ? nothing : zeros(m), 0);
  op.result(isLinalg ? nothing : zeros(n), 2);
}

static void lowerSingularValues(Lowering &op) {
  (void)op.find("driver");
  op.result(
      buildSVD(op, getMatrix(op, "A"), false, /*hasVectors=*/false).values);
}

//===----------------------------------------------------------------------===//
// L, U and the permutation
//===----------------------------------------------------------------------===//

Tensor buildTriangle(Lowering &op, const Tensor &in, Expr rows, Expr columns,
                     bool isUpper, bool hasOnes) {
  Sizes sizes = append(getBatch(in), {rows, columns});
  return op.generate(sizes, in.dtype, [&](Scalars &s, ValueRange at) {
    Value row = at[at.size() - 2], column = at.back();
    auto compare = [&](arith::CmpIPredicate predicate) -> Value {
      return arith::CmpIOp::create(s.b, s.loc, predicate, row, column);
    };
    Value element = tensor::ExtractOp::create(s.b, s.loc, in.value, at);
    if (hasOnes)
      element =
          s.select(compare(arith::CmpIPredicate::eq), s.integer(1), element);
    return s.select(compare(isUpper ? arith::CmpIPredicate::sgt
                                    : arith::CmpIPredicate::slt),
                    s.integer(0), element);
  });
}

bool checkPivots(Lowering &op) {
  if (!op.flag("pivot", true))
    (void)op.error("factors without pivots are not supported");
  return !op.hasFailed();
}

void checkFactorLU(Lowering &op, const Tensor &info) {
  bool isAsked = op.numResults() == 2 || op.target.contains("_lu_with_info");
  if (op.flag("check_errors", isAsked))
    checkInfo(op, info, "torch.linalg.lu_factor");
}

static void lowerFactorLU(Lowering &op) {
  Tensor in = getMatrix(op, op.has("A") ? "A" : "self");
  if (!checkPivots(op))
    return;
  SmallVector<Tensor> made = buildLU(op, in);
  checkFactorLU(op, made[2]);
  for (auto [index, result] : llvm::enumerate(made))
    op.result(result, index);
}

/// The row that is at each place after rows were exchanged as pivots tell: each
/// place goes back through the exchanges by itself.
static Tensor buildPermutation(Lowering &op, const Tensor &pivots, Expr rows) {
  Sizes sizes = append(getBatch(pivots, 1), {rows});
  Value count = op.size(pivots.sizes.back());
  Value zero = op.index(0), one = op.index(1);
  return op.generate(sizes, Dtype::I64, [&](Scalars &s, ValueRange at) {
    Value place = arith::IndexCastOp::create(s.b, s.loc, s.type(), at.back());
    auto back = [&](OpBuilder &b, Location loc, Value i, ValueRange carry) {
      Scalars c(b, loc, Dtype::I64);
      Value last = arith::SubIOp::create(b, loc, count, one);
      Value step = arith::SubIOp::create(b, loc, last, i);
      SmallVector<Value> from(at.drop_back());
      from.push_back(step);
      Value pivot = tensor::ExtractOp::create(b, loc, pivots.value, from);
      pivot = Scalars(b, loc, Dtype::I32).castTo(Dtype::I64, pivot);
      Value other = c.sub(pivot, c.integer(1));
      Value own = arith::IndexCastOp::create(b, loc, c.type(), step);
      Value isOwn = c.compare(Compare::Eq, carry[0], own);
      Value isOther = c.compare(Compare::Eq, carry[0], other);
      Value next = c.select(isOwn, other, c.select(isOther, own, carry[0]));
      scf::YieldOp::create(b, loc, next);
    };
    return scf::ForOp::create(s.b, s.loc, zero, count, one, place, back)
        .getResult(0);
  });
}

Tensor buildPermutationMatrix(Lowering &op, const Tensor &pivots,
                              const Sizes &sizes, Dtype dtype) {
  Tensor order = buildPermutation(op, pivots, sizes.back());
  return op.generate(sizes, dtype, [&](Scalars &s, ValueRange at) {
    SmallVector<Value> place(at.drop_back(2));
    place.push_back(at.back());
    Value row = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(),
                                           at[at.size() - 2]);
    Value from = tensor::ExtractOp::create(s.b, s.loc, order.value, place);
    Value isOne =
        arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::eq, row, from);
    return s.select(isOne, s.integer(1), s.integer(0));
  });
}

static void resultUnpacked(Lowering &op, const Tensor &factors,
                           const Tensor &pivots, bool data, bool permutes) {
  Expr m = factors.sizes[factors.rank() - 2], n = factors.sizes.back();
  Expr k = getLesser(op, factors);
  Tensor nothing = op.fill({op.literal(0)}, factors.dtype, 0.0);
  op.result(data ? buildTriangle(op, factors, m, k, false, true) : nothing, 1);
  op.result(data ? buildTriangle(op, factors, k, n, true, false) : nothing, 2);
  if (!permutes)
    return op.result(nothing, 0);
  op.result(buildPermutationMatrix(
                op, pivots, append(getBatch(factors), {m, m}), factors.dtype),
            0);
}

static void lowerLU(Lowering &op) {
  Tensor in = getMatrix(op, "A");
  if (!checkPivots(op))
    return;
  SmallVector<Tensor> made = buildLU(op, in);
  resultUnpacked(op, made[0], made[1], true, true);
}

static void lowerUnpackLU(Lowering &op) {
  resultUnpacked(op, op.tensor("LU_data", 2),
                 op.convert(op.tensor("LU_pivots", 1), Dtype::I32),
                 op.flag("unpack_data", true), op.flag("unpack_pivots", true));
}

void addMatrixFactors(LoweringTable &table) {
  for (StringRef name : {"det", "linalg_det", "_linalg_det"})
    table.add(("aten." + name + ".default").str(), lowerDet);
  for (StringRef name : {"slogdet", "linalg_slogdet", "_linalg_slogdet"})
    table.add(("aten." + name + ".default").str(), lowerSignAndLog);
  table.add("aten.logdet.default", lowerLogDet);
  table.add("aten.cholesky.default", lowerCholesky);
  table.add("aten.linalg_cholesky.default", lowerCholesky);
  table.add("aten.linalg_cholesky_ex.default", lowerCholeskyEx);
  table.add("aten.linalg_qr.default", lowerQR);
  table.add("aten.qr.default", lowerQR);
  table.add("aten.linalg_eigh.default", lowerEigh);
  table.add("aten._linalg_eigh.default", lowerEigh);
  table.add("aten.linalg_eigvalsh.default", lowerEigenvalues);
  for (StringRef name : {"svd", "linalg_svd", "_linalg_svd"})
    table.add(("aten." + name + ".default").str(), lowerSVD);
  table.add("aten.linalg_svdvals.default", lowerSingularValues);
  table.add("aten.linalg_lu_factor.default", lowerFactorLU);
  table.add("aten.linalg_lu_factor_ex.default", lowerFactorLU);
  table.add("aten._lu_with_info.default", lowerFactorLU);
  table.add("aten.linalg_lu.default", lowerLU);
  table.add("aten.lu_unpack.default", lowerUnpackLU);
}

} // namespace tally::import_pt2
