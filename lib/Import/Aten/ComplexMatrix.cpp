//===- ComplexMatrix.cpp - Equations of complex matrices ------------------===//
//
// What LinearAlgebra.cpp and MatrixFactors.cpp do of matrices of real numbers.
//
//===----------------------------------------------------------------------===//

#include "ComplexMatrix.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

ComplexMatrix getParts(Lowering &op, const Tensor &pairs) {
  return {getPart(op, pairs, 0), getPart(op, pairs, 1)};
}

Tensor getPairs(Lowering &op, const ComplexMatrix &matrix) {
  return buildPairs(op, matrix.re, matrix.im);
}

ComplexMatrix getComplexMatrix(Lowering &op, StringRef name, int64_t minRank) {
  if (isComplex(op, name))
    return getParts(op, op.tensor(name, minRank + 1));
  Tensor re = op.tensor(name, minRank);
  return {re, op.fill(re.sizes, re.dtype, 0.0)};
}

ComplexMatrix getComplexSquare(Lowering &op, StringRef name) {
  ComplexMatrix in = getComplexMatrix(op, name);
  checkSquare(op, in.sizes());
  return in;
}

ComplexMatrix transpose(Lowering &op, const ComplexMatrix &in) {
  return {transpose(op, in.re), transpose(op, in.im)};
}

static Tensor negate(Lowering &op, const Tensor &in) {
  return op.map({in}, in.dtype, in.dtype, [](Scalars &s, ArrayRef<Value> args) {
    return s.neg(args[0]);
  });
}

ComplexMatrix conjugate(Lowering &op, const ComplexMatrix &in) {
  return {in.re, negate(op, in.im)};
}

ComplexMatrix buildMatmul(Lowering &op, const ComplexMatrix &a,
                          const ComplexMatrix &b) {
  auto multiply = [&](const Tensor &x, const Tensor &y) {
    return buildMatmul(op, x, y, a.dtype());
  };
  auto combine = [&](const Tensor &x, const Tensor &y, bool subtracts) {
    return op.map(
        {x, y}, a.dtype(), a.dtype(), [&](Scalars &s, ArrayRef<Value> args) {
          return subtracts ? s.sub(args[0], args[1]) : s.add(args[0], args[1]);
        });
  };
  return {combine(multiply(a.re, b.re), multiply(a.im, b.im), true),
          combine(multiply(a.re, b.im), multiply(a.im, b.re), false)};
}

static void broadcastBatches(Lowering &op, ComplexMatrix &a, ComplexMatrix &b) {
  broadcastBatches(op, a.re, 2, b.re, 2);
  broadcastBatches(op, a.im, 2, b.im, 2);
}

static ComplexMatrix buildComplexIdentity(Lowering &op,
                                          const ComplexMatrix &like) {
  return {buildIdentity(op, like.re), op.fill(like.sizes(), like.dtype(), 0.0)};
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

SmallVector<Tensor> buildComplexAlgebra(Lowering &op, LinearAlgebraKind kind,
                                        ArrayRef<Tensor> inputs,
                                        ArrayRef<ComplexOutput> outputs,
                                        MatrixFlags flags) {
  flags.complex = true;
  SmallVector<MatrixOutput> made;
  for (const ComplexOutput &output : outputs) {
    bool isReal = output.isReal || output.dtype == Dtype::I32;
    made.push_back(
        {isReal ? output.sizes : append(output.sizes, {op.literal(2)}),
         output.dtype});
  }
  return buildLinearAlgebra(op, kind, inputs, made, flags);
}

/// L and U as pairs, pivots and info.
static SmallVector<Tensor> buildComplexLU(Lowering &op,
                                          const ComplexMatrix &in) {
  Sizes batch = getBatch(in.re);
  return buildComplexAlgebra(
      op, LinearAlgebraKind::LU, {getPairs(op, in)},
      {{in.sizes(), in.dtype()},
       {append(batch, {getLesser(op, in.re)}), Dtype::I32},
       {batch, Dtype::I32}});
}

/// The solution of A X = B, or of A^T X = B.
static ComplexMatrix buildComplexSolveLU(Lowering &op, ComplexMatrix factors,
                                         Tensor pivots, ComplexMatrix right,
                                         bool isTransposed = false) {
  checkRows(op, factors.re, right.re);
  broadcastBatches(op, factors, right);
  Tensor wanted = right.re;
  broadcastBatches(op, pivots, 1, wanted, 2);
  MatrixFlags flags;
  flags.transposed = isTransposed;
  Tensor made =
      buildComplexAlgebra(op, LinearAlgebraKind::SolveLU,
                          {getPairs(op, factors), pivots, getPairs(op, right)},
                          {{right.sizes(), right.dtype()}}, flags)[0];
  return getParts(op, made);
}

static ComplexMatrix buildComplexTriangular(Lowering &op, ComplexMatrix in,
                                            ComplexMatrix right, bool isUpper,
                                            bool isUnit = false) {
  checkRows(op, in.re, right.re);
  broadcastBatches(op, in, right);
  MatrixFlags flags;
  flags.upper = isUpper;
  flags.unit = isUnit;
  Tensor made = buildComplexAlgebra(op, LinearAlgebraKind::SolveTriangular,
                                    {getPairs(op, in), getPairs(op, right)},
                                    {{right.sizes(), right.dtype()}}, flags)[0];
  return getParts(op, made);
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

static void resultOf(Lowering &op, const ComplexMatrix &matrix,
                     unsigned index = 0) {
  op.result(getPairs(op, matrix), index);
}

static std::pair<ComplexMatrix, Tensor>
buildComplexInverse(Lowering &op, const ComplexMatrix &in) {
  SmallVector<Tensor> factors = buildComplexLU(op, in);
  return {buildComplexSolveLU(op, getParts(op, factors[0]), factors[1],
                              buildComplexIdentity(op, in)),
          factors[2]};
}

static void lowerInverse(Lowering &op) {
  auto [inverse, info] =
      buildComplexInverse(op, getComplexSquare(op, op.has("A") ? "A" : "self"));
  checkInfo(op, info, "linalg.inv");
  resultOf(op, inverse);
}

static void lowerInverseEx(Lowering &op) {
  auto [inverse, info] = buildComplexInverse(op, getComplexSquare(op, "A"));
  checkInfoIfAsked(op, info, "linalg.inv");
  resultOf(op, inverse, 0);
  op.result(info, 1);
}

static void lowerMatrixPower(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "self");
  int64_t power = op.integer("n", 1);
  if (power < 0) {
    auto [inverse, info] = buildComplexInverse(op, in);
    checkInfo(op, info, "linalg.inv");
    in = inverse;
    power = -power;
  }
  if (power == 0)
    return resultOf(op, buildComplexIdentity(op, in));
  resultOf(
      op, buildMatrixPower(in, power,
                           [&](const ComplexMatrix &x, const ComplexMatrix &y) {
                             return buildMatmul(op, x, y);
                           }));
}

/// X of A X = B, or of X A = B, and the factors of A; B may be a vector.
static std::pair<ComplexMatrix, SmallVector<Tensor>> buildSolve(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "A");
  ComplexMatrix right = getComplexMatrix(op, "B", 1);
  bool isVector = right.rank() == 1 ||
                  (right.rank() == in.rank() - 1 &&
                   ArrayRef(right.sizes()) == ArrayRef(in.sizes()).drop_back());
  if (isVector)
    right = {op.unsqueeze(right.re, right.rank()),
             op.unsqueeze(right.im, right.rank())};
  bool isLeft = op.flag("left", true) || isVector;
  SmallVector<Tensor> factors = buildComplexLU(op, in);
  ComplexMatrix solution =
      buildComplexSolveLU(op, getParts(op, factors[0]), factors[1],
                          isLeft ? right : transpose(op, right), !isLeft);
  if (!isLeft)
    solution = transpose(op, solution);
  if (isVector) {
    int64_t last = solution.rank() - 1;
    solution = {op.squeeze(solution.re, {last}),
                op.squeeze(solution.im, {last})};
  }
  return {solution, factors};
}

static void lowerSolve(Lowering &op) {
  auto [solution, factors] = buildSolve(op);
  checkInfo(op, factors[2], "linalg.solve");
  resultOf(op, solution);
}

static void lowerSolveEx(Lowering &op) {
  auto [solution, factors] = buildSolve(op);
  checkInfoIfAsked(op, factors[2], "linalg.solve");
  resultOf(op, solution, 0);
  // _linalg_solve_ex has the factors between them.
  if (op.numResults() == 2)
    return op.result(factors[2], 1);
  for (unsigned i = 1; i < 4; ++i)
    op.result(factors[i - 1], i);
}

/// A^H X = B is A^T conj(X) = conj(B); X A = B is A^T X^T = B^T, and X A^H = B
/// is A conj(X^T) = conj(B^T).
static void lowerSolveLU(Lowering &op) {
  bool isOld = op.has("LU_data");
  ComplexMatrix factors = getComplexSquare(op, isOld ? "LU_data" : "LU");
  Tensor pivots = op.tensor(isOld ? "LU_pivots" : "pivots", 1);
  ComplexMatrix right = getComplexMatrix(op, isOld ? "self" : "B");
  bool isLeft = op.flag("left", true), isAdjoint = op.flag("adjoint", false);
  auto change = [&](ComplexMatrix matrix) {
    matrix = isLeft ? matrix : transpose(op, matrix);
    return isAdjoint ? conjugate(op, matrix) : matrix;
  };
  resultOf(op, change(buildComplexSolveLU(op, factors,
                                          op.convert(pivots, Dtype::I32),
                                          change(right), isLeft == isAdjoint)));
}

static void lowerSolveTriangular(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "self");
  ComplexMatrix right = getComplexMatrix(op, "B");
  bool isUpper = op.flag("upper", true),
       isUnit = op.flag("unitriangular", false);
  if (op.flag("left", true))
    return resultOf(op, buildComplexTriangular(op, in, right, isUpper, isUnit));
  resultOf(op, transpose(op, buildComplexTriangular(op, transpose(op, in),
                                                    transpose(op, right),
                                                    !isUpper, isUnit)));
}

static void lowerTriangularSolve(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "A"),
                right = getComplexMatrix(op, "self"), given = in;
  bool isUpper = op.flag("upper", true),
       isUnit = op.flag("unitriangular", false);
  broadcastBatches(op, given, right);
  resultOf(op, given, 1);
  if (op.flag("transpose", false)) {
    in = transpose(op, in);
    isUpper = !isUpper;
  }
  resultOf(op, buildComplexTriangular(op, in, right, isUpper, isUnit), 0);
}

/// X of L L^H X = B, or of U^H U X = B.
static ComplexMatrix buildSolveCholesky(Lowering &op,
                                        const ComplexMatrix &factor,
                                        const ComplexMatrix &right,
                                        bool isUpper) {
  ComplexMatrix other = conjugate(op, transpose(op, factor));
  ComplexMatrix half =
      buildComplexTriangular(op, isUpper ? other : factor, right, false);
  return buildComplexTriangular(op, isUpper ? factor : other, half, true);
}

static void lowerSolveCholesky(Lowering &op) {
  resultOf(op, buildSolveCholesky(op, getComplexSquare(op, "input2"),
                                  getComplexMatrix(op, "self"),
                                  op.flag("upper", false)));
}

static void lowerCholeskyInverse(Lowering &op) {
  ComplexMatrix factor = getComplexSquare(op, "self");
  resultOf(op, buildSolveCholesky(op, factor, buildComplexIdentity(op, factor),
                                  op.flag("upper", false)));
}

//===----------------------------------------------------------------------===//
// L and U as results
//===----------------------------------------------------------------------===//

static void lowerFactorLU(Lowering &op) {
  ComplexMatrix in = getComplexMatrix(op, op.has("A") ? "A" : "self");
  if (!checkPivots(op))
    return;
  SmallVector<Tensor> made = buildComplexLU(op, in);
  checkFactorLU(op, made[2]);
  for (auto [index, result] : llvm::enumerate(made))
    op.result(result, index);
}

static void resultUnpacked(Lowering &op, const ComplexMatrix &factors,
                           const Tensor &pivots, bool data, bool permutes) {
  Expr m = factors.sizes()[factors.rank() - 2], n = factors.sizes().back();
  Expr k = getLesser(op, factors.re);
  Tensor none = op.fill({op.literal(0)}, factors.dtype(), 0.0);
  auto triangle = [&](Expr rows, Expr columns, bool isUpper) -> ComplexMatrix {
    if (!data)
      return {none, none};
    Tensor im = buildTriangle(op, factors.im, rows, columns, isUpper, false);
    if (!isUpper) {
      // The diagonal of L is 1.
      im = op.generate(im.sizes, im.dtype, [&](Scalars &s, ValueRange at) {
        Value isDiagonal = arith::CmpIOp::create(
            s.b, s.loc, arith::CmpIPredicate::eq, at[at.size() - 2], at.back());
        return s.select(isDiagonal, s.number(0),
                        tensor::ExtractOp::create(s.b, s.loc, im.value, at));
      });
    }
    return {buildTriangle(op, factors.re, rows, columns, isUpper, !isUpper),
            im};
  };
  resultOf(op, triangle(m, k, false), 1);
  resultOf(op, triangle(k, n, true), 2);
  if (!permutes)
    return resultOf(op, {none, none}, 0);
  Sizes sizes = append(getBatch(factors.re), {m, m});
  resultOf(op,
           {buildPermutationMatrix(op, pivots, sizes, factors.dtype()),
            op.fill(sizes, factors.dtype(), 0.0)},
           0);
}

static void lowerLU(Lowering &op) {
  ComplexMatrix in = getComplexMatrix(op, "A");
  if (!checkPivots(op))
    return;
  SmallVector<Tensor> made = buildComplexLU(op, in);
  resultUnpacked(op, getParts(op, made[0]), made[1], true, true);
}

static void lowerUnpackLU(Lowering &op) {
  resultUnpacked(op, getComplexMatrix(op, "LU_data"),
                 op.convert(op.tensor("LU_pivots", 1), Dtype::I32),
                 op.flag("unpack_data", true), op.flag("unpack_pivots", true));
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// The product of the diagonal of U, with the sign of the exchanges of rows:
/// of its elements, or of what these are divided by their magnitudes.
static ComplexMatrix buildDiagonalProduct(Lowering &op,
                                          const ComplexMatrix &factors,
                                          const Tensor &pivots,
                                          bool isOfSigns) {
  Value zero = op.index(0), one = op.index(1);
  Value count = op.size(pivots.sizes.back());
  auto build = [&](bool isImaginary) {
    auto element = [&](Scalars &s, ValueRange at) -> Value {
      auto step = [&](OpBuilder &b, Location loc, Value i, ValueRange carry) {
        Scalars c(b, loc, factors.dtype());
        SmallVector<Value> row(at), place(at);
        row.push_back(i);
        place.append({i, i});
        Complex x{tensor::ExtractOp::create(b, loc, factors.re.value, place),
                  tensor::ExtractOp::create(b, loc, factors.im.value, place)};
        if (isOfSigns) {
          Value size = buildHypot(c, x.re, x.im);
          Value isZero = c.compare(Compare::Eq, size, c.number(0));
          x = {c.select(isZero, c.number(0), c.divFloat(x.re, size)),
               c.select(isZero, c.number(0), c.divFloat(x.im, size))};
        }
        Value pivot = tensor::ExtractOp::create(b, loc, pivots.value, row);
        Scalars rows(b, loc, Dtype::I32);
        Value own = arith::IndexCastOp::create(b, loc, rows.type(), i);
        Value stays =
            rows.compare(Compare::Eq, pivot, rows.add(own, rows.integer(1)));
        x = {c.select(stays, x.re, c.neg(x.re)),
             c.select(stays, x.im, c.neg(x.im))};
        Complex product = multiply(c, {carry[0], carry[1]}, x);
        scf::YieldOp::create(b, loc, ValueRange{product.re, product.im});
      };
      return scf::ForOp::create(s.b, s.loc, zero, count, one,
                                ValueRange{s.number(1), s.number(0)}, step)
          .getResult(isImaginary);
    };
    return op.generate(getBatch(pivots, 1), factors.dtype(), element);
  };
  return {build(false), build(true)};
}

/// Gradients are computed from the factors: those of the transposed matrix
/// where that is laid out as LAPACK wants it.
static SmallVector<Tensor> buildDetFactors(Lowering &op) {
  StringRef name = op.has("A") ? "A" : "self";
  ComplexMatrix in = getComplexSquare(op, name);
  return buildComplexLU(op, isContiguousArgument(op, name) ? transpose(op, in)
                                                           : in);
}

static void lowerDet(Lowering &op) {
  SmallVector<Tensor> factors = buildDetFactors(op);
  resultOf(op, buildDiagonalProduct(op, getParts(op, factors[0]), factors[1],
                                    /*isOfSigns=*/false));
  for (auto [index, factor] : llvm::enumerate(factors))
    op.result(factor, index + 1);
}

/// The sum of the logarithms of the magnitudes of the diagonal.
static Tensor buildLogMagnitude(Lowering &op, const ComplexMatrix &factors,
                                const Tensor &pivots) {
  Tensor logs = op.generate(
      pivots.sizes, factors.dtype(), [&](Scalars &s, ValueRange at) {
        SmallVector<Value> place(at);
        place.push_back(at.back());
        auto get = [&](const Tensor &part) -> Value {
          return tensor::ExtractOp::create(s.b, s.loc, part.value, place);
        };
        return math::LogOp::create(
                   s.b, s.loc, buildHypot(s, get(factors.re), get(factors.im)))
            .getResult();
      });
  return op.sum(logs, {logs.rank() - 1}, logs.dtype);
}

static void lowerSignAndLog(Lowering &op) {
  SmallVector<Tensor> factors = buildDetFactors(op);
  ComplexMatrix parts = getParts(op, factors[0]);
  resultOf(op, buildDiagonalProduct(op, parts, factors[1], /*isOfSigns=*/true),
           0);
  op.result(buildLogMagnitude(op, parts, factors[1]), 1);
  for (auto [index, factor] : llvm::enumerate(factors))
    op.result(factor, index + 2);
}

/// The logarithm of the magnitude, and the angle of the sign.
static void lowerLogDet(Lowering &op) {
  SmallVector<Tensor> factors = buildDetFactors(op);
  ComplexMatrix parts = getParts(op, factors[0]);
  ComplexMatrix sign = buildDiagonalProduct(op, parts, factors[1], true);
  Tensor angle =
      op.map({sign.re, sign.im}, sign.dtype(), sign.dtype(),
             [](Scalars &s, ArrayRef<Value> args) -> Value {
               return math::Atan2Op::create(s.b, s.loc, args[1], args[0]);
             });
  resultOf(op, {buildLogMagnitude(op, parts, factors[1]), angle});
}

void addComplexMatrices(LoweringTable &table) {
  auto add = [&](std::initializer_list<StringRef> names, LowerFn lower) {
    for (StringRef name : names)
      table.add(("aten." + name + ".default").str(), lower);
  };
  add({"linalg_inv", "inverse"}, lowerInverse);
  add({"linalg_inv_ex"}, lowerInverseEx);
  add({"linalg_matrix_power", "matrix_power"}, lowerMatrixPower);
  add({"linalg_solve"}, lowerSolve);
  add({"linalg_solve_ex", "_linalg_solve_ex"}, lowerSolveEx);
  add({"linalg_lu_solve", "lu_solve"}, lowerSolveLU);
  add({"linalg_solve_triangular"}, lowerSolveTriangular);
  add({"triangular_solve"}, lowerTriangularSolve);
  add({"cholesky_solve"}, lowerSolveCholesky);
  add({"cholesky_inverse"}, lowerCholeskyInverse);
  add({"linalg_lu_factor", "linalg_lu_factor_ex", "_lu_with_info"},
      lowerFactorLU);
  add({"linalg_lu"}, lowerLU);
  add({"lu_unpack"}, lowerUnpackLU);
  add({"det", "linalg_det", "_linalg_det"}, lowerDet);
  add({"slogdet", "linalg_slogdet", "_linalg_slogdet"}, lowerSignAndLog);
  add({"logdet"}, lowerLogDet);
  addComplexFactors(table);
}

} // namespace tally::import_pt2
