//===- LinearAlgebra.cpp - Factors of matrices, and equations -------------===//
//
// Operators are made of a few factors of `tally.linear_algebra`, as PyTorch
// makes them on a CPU. It counts from the other side, or reads another
// triangle, where matrices are transposed.
//
//===----------------------------------------------------------------------===//

#include "LinearAlgebra.h"

#include <limits>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Tensor transpose(Lowering &op, const Tensor &in) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, in.rank()));
  std::swap(order[in.rank() - 1], order[in.rank() - 2]);
  return op.permute(in, order);
}

Sizes getBatch(const Tensor &in, int64_t dims) {
  return Sizes(in.sizes.begin(), in.sizes.end() - dims);
}

Sizes append(Sizes sizes, ArrayRef<Expr> more) {
  sizes.append(more.begin(), more.end());
  return sizes;
}

Tensor getMatrix(Lowering &op, StringRef name) {
  Tensor in = op.tensor(name, 2);
  if (in.dtype != Dtype::F32 && in.dtype != Dtype::F64)
    (void)op.error("matrices must be of float32 or float64");
  return in;
}

Tensor getSquare(Lowering &op, StringRef name) {
  Tensor in = getMatrix(op, name);
  checkSquare(op, in.sizes);
  return in;
}

void checkSquare(Lowering &op, ArrayRef<Expr> sizes) {
  op.checkEqual(sizes[sizes.size() - 2], sizes.back(),
                Twine(op.target) + ": the matrix must be square");
}

void broadcastBatches(Lowering &op, Tensor &a, int64_t aDims, Tensor &b,
                      int64_t bDims) {
  auto batchOf = [](Tensor tensor, int64_t dims) {
    tensor.sizes.resize(tensor.rank() - dims);
    return tensor;
  };
  Sizes sizes = op.broadcastSizes({batchOf(a, aDims), batchOf(b, bDims)});
  auto repeat = [&](Tensor &tensor, int64_t dims) {
    if (getBatch(tensor, dims) != sizes)
      tensor = op.expand(tensor,
                         append(sizes, ArrayRef(tensor.sizes).take_back(dims)));
  };
  repeat(a, aDims);
  repeat(b, bDims);
}

Tensor buildIdentity(Lowering &op, const Tensor &like) {
  return op.generate(like.sizes, like.dtype, [&](Scalars &s, ValueRange at) {
    Value row = at[at.size() - 2], column = at.back();
    Value isOne = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::eq,
                                        row, column);
    return s.select(isOne, s.integer(1), s.integer(0));
  });
}

Expr getLesser(Lowering &op, const Tensor &in) {
  return op.state.simplify(
      op.exprs.min(in.sizes[in.rank() - 2], in.sizes.back()));
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

SmallVector<Tensor> buildLinearAlgebra(Lowering &op, LinearAlgebraKind kind,
                                       ArrayRef<Tensor> inputs,
                                       ArrayRef<MatrixOutput> outputs,
                                       MatrixFlags flags) {
  SmallVector<Value> ins, outs;
  for (const Tensor &input : inputs)
    ins.push_back(input.value);
  for (const MatrixOutput &output : outputs)
    outs.push_back(op.empty(output.sizes, output.dtype));
  auto made = LinearAlgebraOp::create(op.b, op.loc, ValueRange(outs).getTypes(),
                                      kind, ins, outs, flags.full,
                                      flags.transposed, flags.upper, flags.unit,
                                      flags.complex, flags.hermitian);
  SmallVector<Tensor> results;
  for (auto [value, output] : llvm::zip(made.getResults(), outputs))
    results.push_back(op.make(value, output.dtype, output.sizes));
  return results;
}

SmallVector<Tensor> buildLU(Lowering &op, const Tensor &in, bool isTransposed) {
  Sizes batch = getBatch(in), sizes = in.sizes;
  if (isTransposed)
    std::swap(sizes[sizes.size() - 2], sizes.back());
  MatrixFlags flags;
  flags.transposed = isTransposed;
  return buildLinearAlgebra(op, LinearAlgebraKind::LU, {in},
                            {{sizes, in.dtype},
                             {append(batch, {getLesser(op, in)}), Dtype::I32},
                             {batch, Dtype::I32}},
                            flags);
}

void checkRows(Lowering &op, const Tensor &in, const Tensor &right) {
  op.checkEqual(in.sizes.back(), right.sizes[right.rank() - 2],
                Twine(op.target) + ": the numbers of rows differ");
}

Tensor buildSolveLU(Lowering &op, Tensor factors, Tensor pivots, Tensor right,
                    bool isTransposed) {
  checkRows(op, factors, right);
  Tensor wanted = right;
  broadcastBatches(op, factors, 2, right, 2);
  broadcastBatches(op, pivots, 1, wanted, 2);
  MatrixFlags flags;
  flags.transposed = isTransposed;
  return buildLinearAlgebra(op, LinearAlgebraKind::SolveLU,
                            {factors, pivots, right},
                            {{right.sizes, right.dtype}}, flags)[0];
}

Tensor buildSolveTriangular(Lowering &op, Tensor in, Tensor right, bool isUpper,
                            bool isUnit) {
  checkRows(op, in, right);
  broadcastBatches(op, in, 2, right, 2);
  MatrixFlags flags;
  flags.upper = isUpper;
  flags.unit = isUnit;
  return buildLinearAlgebra(op, LinearAlgebraKind::SolveTriangular, {in, right},
                            {{right.sizes, right.dtype}}, flags)[0];
}

std::pair<Tensor, Tensor> buildCholesky(Lowering &op, const Tensor &in,
                                        bool isUpper) {
  SmallVector<Tensor> made = buildLinearAlgebra(
      op, LinearAlgebraKind::Cholesky, {isUpper ? transpose(op, in) : in},
      {{in.sizes, in.dtype}, {getBatch(in), Dtype::I32}});
  return {isUpper ? transpose(op, made[0]) : made[0], made[1]};
}

SingularValues buildSVD(Lowering &op, const Tensor &in, bool isFull,
                        bool hasVectors) {
  Expr m = in.sizes[in.rank() - 2], n = in.sizes.back();
  Expr k = getLesser(op, in);
  Sizes batch = getBatch(in);
  SmallVector<MatrixOutput> outputs{{append(batch, {k}), in.dtype}};
  if (hasVectors) {
    outputs.push_back({append(batch, {m, isFull ? m : k}), in.dtype});
    outputs.push_back({append(batch, {isFull ? n : k, n}), in.dtype});
  }
  MatrixFlags flags;
  flags.full = isFull;
  SmallVector<Tensor> made =
      buildLinearAlgebra(op, LinearAlgebraKind::SVD, {in}, outputs, flags);
  if (!hasVectors)
    return {made[0], made[0], made[0]};
  return {made[1], made[0], made[2]};
}

std::pair<Tensor, Tensor> buildEigh(Lowering &op, const Tensor &in,
                                    bool isUpper, bool hasVectors) {
  Sizes batch = getBatch(in);
  SmallVector<MatrixOutput> outputs{
      {append(batch, {in.sizes.back()}), in.dtype}};
  if (hasVectors)
    outputs.push_back({in.sizes, in.dtype});
  SmallVector<Tensor> made = buildLinearAlgebra(
      op, LinearAlgebraKind::Eigh, {isUpper ? transpose(op, in) : in}, outputs);
  return {made.front(), made.back()};
}

//===----------------------------------------------------------------------===//
// Info
//===----------------------------------------------------------------------===//

/// What PyTorch says of an operator that it calls by this name; `info` stands
/// for the number.
static StringRef describeInfo(StringRef name) {
  if (name.contains("inv"))
    return "The diagonal element info is zero, the inversion could not be "
           "completed because the input matrix is singular.";
  if (name.contains("solve"))
    return "The solver failed because the input matrix is singular.";
  if (name.contains("cholesky"))
    return "The factorization could not be completed because the input is not "
           "positive-definite (the leading minor of order info is not "
           "positive-definite).";
  if (name.contains("lu_factor"))
    return "U[info,info] is zero and using it on lu_solve would result in a "
           "division by zero. If you still want to perform the factorization, "
           "consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, "
           "pivot)";
  return "The algorithm failed (error code: info).";
}

void checkInfo(Lowering &op, const Tensor &info, StringRef name) {
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  Tensor flat = op.flatten(op.convert(info, Dtype::I32));
  Tensor keys =
      op.generate(flat.sizes, Dtype::I64, [&](Scalars &s, ValueRange at) {
        Value element = tensor::ExtractOp::create(s.b, s.loc, flat.value, at);
        Value number =
            Scalars(s.b, s.loc, Dtype::I32).castTo(Dtype::I64, element);
        Value place =
            arith::IndexCastOp::create(s.b, s.loc, s.type(), at.front());
        Value key = s.add(s.mul(place, s.integer(int64_t(1) << 32)), number);
        return s.select(s.compare(Compare::Eq, number, s.integer(0)),
                        s.integer(most), key);
      });
  Scalars s(op.b, op.loc, Dtype::I64);
  Tensor first = op.reduce(keys, {0}, Dtype::I64, s.integer(most),
                           [](Scalars &s, Value element, Value least) {
                             return s.min(element, least);
                           });
  Value key = op.element(first);
  Value number = s.select(s.compare(Compare::Eq, key, s.integer(most)),
                          s.integer(0), s.bitAnd(key, s.integer(0xffffffff)));
  auto check = CheckOp::create(op.b, op.loc,
                               ExprAttr::get(op.b.getContext(), "info == 0"),
                               number, StringRef("info"));
  check.setMessage((name + ": " + describeInfo(name)).str());
}

void checkInfoIfAsked(Lowering &op, const Tensor &info, StringRef name) {
  if (op.flag("check_errors", false))
    checkInfo(op, info, name);
}

static void lowerCheckErrors(Lowering &op) {
  (void)op.flag("is_matrix", false);
  checkInfo(op, op.tensor("info"), op.string("api_name"));
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

std::pair<Tensor, Tensor> buildInverse(Lowering &op, const Tensor &in) {
  SmallVector<Tensor> factors = buildLU(op, in);
  return {buildSolveLU(op, factors[0], factors[1], buildIdentity(op, in)),
          factors[2]};
}

static void lowerInverse(Lowering &op) {
  auto [inverse, info] =
      buildInverse(op, getSquare(op, op.has("A") ? "A" : "self"));
  checkInfo(op, info, "linalg.inv");
  op.result(inverse);
}

static void lowerInverseEx(Lowering &op) {
  auto [inverse, info] = buildInverse(op, getSquare(op, "A"));
  checkInfoIfAsked(op, info, "linalg.inv");
  op.result(inverse, 0);
  op.result(info, 1);
}

/// X of A X = B, or of X A = B, and the factors of A; B may be a vector.
static SmallVector<Tensor> buildSolve(Lowering &op) {
  Tensor in = getSquare(op, "A"), right = op.tensor("B", 1);
  bool isVector = right.rank() == 1 ||
                  (right.rank() == in.rank() - 1 &&
                   ArrayRef(right.sizes) == ArrayRef(in.sizes).drop_back());
  if (isVector)
    right = op.unsqueeze(right, right.rank());
  bool isLeft = op.flag("left", true) || isVector;
  SmallVector<Tensor> factors = buildLU(op, in);
  Tensor solution =
      buildSolveLU(op, factors[0], factors[1],
                   isLeft ? right : transpose(op, right), !isLeft);
  if (!isLeft)
    solution = transpose(op, solution);
  if (isVector)
    solution = op.squeeze(solution, {solution.rank() - 1});
  return {solution, factors[0], factors[1], factors[2]};
}

static void lowerSolve(Lowering &op) {
  SmallVector<Tensor> made = buildSolve(op);
  checkInfo(op, made[3], "linalg.solve");
  op.result(made[0]);
}

static void lowerSolveEx(Lowering &op) {
  SmallVector<Tensor> made = buildSolve(op);
  checkInfoIfAsked(op, made[3], "linalg.solve");
  op.result(made[0], 0);
  // _linalg_solve_ex has the factors between them.
  if (op.numResults() == 2)
    return op.result(made[3], 1);
  for (unsigned i = 1; i < 4; ++i)
    op.result(made[i], i);
}

static void lowerSolveLU(Lowering &op) {
  bool isOld = op.has("LU_data");
  Tensor factors = getSquare(op, isOld ? "LU_data" : "LU");
  Tensor pivots = op.tensor(isOld ? "LU_pivots" : "pivots", 1);
  Tensor right = op.tensor(isOld ? "self" : "B", 2);
  bool isLeft = op.flag("left", true), isAdjoint = op.flag("adjoint", false);
  Tensor solution =
      buildSolveLU(op, factors, op.convert(pivots, Dtype::I32),
                   isLeft ? right : transpose(op, right), isLeft == isAdjoint);
  op.result(isLeft ? solution : transpose(op, solution));
}

/// The last argument of torch.linalg.solve_triangular and its elder is the
/// other operand.
static void lowerSolveTriangular(Lowering &op) {
  Tensor in = getSquare(op, "self"), right = op.tensor("B", 2);
  bool isUpper = op.flag("upper", true),
       isUnit = op.flag("unitriangular", false);
  if (op.flag("left", true))
    return op.result(buildSolveTriangular(op, in, right, isUpper, isUnit));
  op.result(transpose(op, buildSolveTriangular(op, transpose(op, in),
                                               transpose(op, right), !isUpper,
                                               isUnit)));
}

static void lowerTriangularSolve(Lowering &op) {
  Tensor in = getSquare(op, "A"), right = getMatrix(op, "self"), given = in;
  bool isUpper = op.flag("upper", true),
       isUnit = op.flag("unitriangular", false);
  broadcastBatches(op, given, 2, right, 2);
  op.result(given, 1);
  if (op.flag("transpose", false)) {
    in = transpose(op, in);
    isUpper = !isUpper;
  }
  op.result(buildSolveTriangular(op, in, right, isUpper, isUnit), 0);
}

/// X of L L^T X = B, or of U^T U X = B.
static Tensor buildSolveCholesky(Lowering &op, const Tensor &factor,
                                 const Tensor &right, bool isUpper) {
  Tensor other = transpose(op, factor);
  Tensor half =
      buildSolveTriangular(op, isUpper ? other : factor, right, false);
  return buildSolveTriangular(op, isUpper ? factor : other, half, true);
}

static void lowerSolveCholesky(Lowering &op) {
  op.result(buildSolveCholesky(op, getSquare(op, "input2"),
                               getMatrix(op, "self"), op.flag("upper", false)));
}

static void lowerCholeskyInverse(Lowering &op) {
  Tensor factor = getSquare(op, "self");
  op.result(buildSolveCholesky(op, factor, buildIdentity(op, factor),
                               op.flag("upper", false)));
}

void addLinearAlgebra(LoweringTable &table) {
  table.add("aten._linalg_check_errors.default", lowerCheckErrors);
  table.add("aten.linalg_inv.default", lowerInverse);
  table.add("aten.inverse.default", lowerInverse);
  table.add("aten.linalg_inv_ex.default", lowerInverseEx);
  table.add("aten.linalg_solve.default", lowerSolve);
  table.add("aten.linalg_solve_ex.default", lowerSolveEx);
  table.add("aten._linalg_solve_ex.default", lowerSolveEx);
  table.add("aten.linalg_lu_solve.default", lowerSolveLU);
  table.add("aten.lu_solve.default", lowerSolveLU);
  table.add("aten.linalg_solve_triangular.default", lowerSolveTriangular);
  table.add("aten.triangular_solve.default", lowerTriangularSolve);
  table.add("aten.cholesky_solve.default", lowerSolveCholesky);
  table.add("aten.cholesky_inverse.default", lowerCholeskyInverse);
  addMatrixFactors(table);
  addMatrixFunctions(table);
  addSquareMatrices(table);
}

} // namespace tally::import_pt2
