//===- ComplexFactors.cpp - Factors of complex matrices as results --------===//
//
//===----------------------------------------------------------------------===//

#include "ComplexMatrix.h"

using namespace mlir;

namespace tally::import_pt2 {

/// Where an upper triangle is read, the transposed matrix, which is the
/// conjugate one, has it below.
static void resultCholesky(Lowering &op, StringRef name, bool isAsked) {
  ComplexMatrix in = getComplexSquare(op, "self");
  bool isUpper = op.flag("upper", false);
  SmallVector<Tensor> made = buildComplexAlgebra(
      op, LinearAlgebraKind::Cholesky,
      {getPairs(op, isUpper ? transpose(op, in) : in)},
      {{in.sizes(), in.dtype()}, {getBatch(in.re), Dtype::I32}});
  if (isAsked)
    checkInfoIfAsked(op, made[1], name);
  else
    checkInfo(op, made[1], name);
  Tensor factor = made[0];
  if (isUpper)
    factor = getPairs(op, transpose(op, getParts(op, factor)));
  op.result(factor, 0);
  if (op.numResults() > 1)
    op.result(made[1], 1);
}

static void lowerCholesky(Lowering &op) {
  resultCholesky(
      op, op.target.contains("linalg") ? "linalg.cholesky" : "cholesky", false);
}

static void lowerCholeskyEx(Lowering &op) {
  resultCholesky(op, "linalg.cholesky", true);
}

/// A tensor of complex numbers, and of others, that has no elements.
static Tensor buildNothing(Lowering &op, Dtype dtype, bool isReal = false) {
  if (isReal)
    return op.fill({op.literal(0)}, dtype, 0.0);
  return op.fill({op.literal(0), op.literal(2)}, dtype, 0.0);
}

static void lowerQR(Lowering &op) {
  bool isOld = op.has("self");
  ComplexMatrix in = getComplexMatrix(op, isOld ? "self" : "A");
  StringRef mode = op.string("mode", "reduced");
  MatrixFlags flags;
  flags.full = isOld ? !op.flag("some", true) : mode == "complete";
  Expr m = in.sizes()[in.rank() - 2], n = in.sizes().back();
  Expr k = flags.full ? m : getLesser(op, in.re);
  Sizes batch = getBatch(in.re);
  SmallVector<Tensor> made =
      buildComplexAlgebra(op, LinearAlgebraKind::QR, {getPairs(op, in)},
                          {{append(batch, {m, k}), in.dtype()},
                           {append(batch, {k, n}), in.dtype()}},
                          flags);
  op.result(mode == "r" ? buildNothing(op, in.dtype()) : made[0], 0);
  op.result(made[1], 1);
}

/// The eigenvalues of a matrix that is its own conjugate transpose, of which a
/// triangle is read, and its eigenvectors, if these are asked for.
static SmallVector<Tensor> buildComplexEigh(Lowering &op,
                                            const ComplexMatrix &in,
                                            bool isUpper, bool hasVectors) {
  SmallVector<ComplexOutput> outputs{
      {append(getBatch(in.re), {in.sizes().back()}), in.dtype(), true}};
  if (hasVectors)
    outputs.push_back({in.sizes(), in.dtype()});
  SmallVector<Tensor> made = buildComplexAlgebra(
      op, LinearAlgebraKind::Eigh,
      {getPairs(op, isUpper ? conjugate(op, transpose(op, in)) : in)}, outputs);
  return made;
}

static void lowerEigh(Lowering &op) {
  bool hasVectors = op.flag("compute_v", true);
  ComplexMatrix in = getComplexSquare(op, op.has("A") ? "A" : "self");
  SmallVector<Tensor> made =
      buildComplexEigh(op, in, readsUpper(op), hasVectors);
  op.result(made[0], 0);
  op.result(hasVectors ? made[1] : buildNothing(op, in.dtype()), 1);
}

static void lowerEigenvalues(Lowering &op) {
  op.result(buildComplexEigh(op, getComplexSquare(op, "self"), readsUpper(op),
                             /*hasVectors=*/false)[0]);
}

/// U, singular values and V^H, or the values alone, in the place of all.
static SmallVector<Tensor> buildComplexSVD(Lowering &op,
                                           const ComplexMatrix &in, bool isFull,
                                           bool hasVectors) {
  Expr m = in.sizes()[in.rank() - 2], n = in.sizes().back();
  Expr k = getLesser(op, in.re);
  Sizes batch = getBatch(in.re);
  SmallVector<ComplexOutput> outputs{{append(batch, {k}), in.dtype(), true}};
  if (hasVectors) {
    outputs.push_back({append(batch, {m, isFull ? m : k}), in.dtype()});
    outputs.push_back({append(batch, {isFull ? n : k, n}), in.dtype()});
  }
  MatrixFlags flags;
  flags.full = isFull;
  SmallVector<Tensor> made = buildComplexAlgebra(
      op, LinearAlgebraKind::SVD, {getPairs(op, in)}, outputs, flags);
  if (!hasVectors)
    return {made[0], made[0], made[0]};
  return {made[1], made[0], made[2]};
}

/// The choice of an algorithm is for GPUs.
static void lowerSVD(Lowering &op) {
  bool hasVectors = op.flag("compute_uv", true);
  bool isLinalg = op.target.contains("linalg");
  bool isFull = isLinalg
                    ? op.flag("full_matrices", !op.target.contains("_linalg"))
                    : !op.flag("some", true);
  (void)op.find("driver");
  ComplexMatrix in = getComplexMatrix(op, isLinalg ? "A" : "self");
  SmallVector<Tensor> made =
      buildComplexSVD(op, in, isFull && hasVectors, hasVectors);
  op.result(made[1], 1);
  if (hasVectors) {
    op.result(made[0], 0);
    if (!isLinalg)
      made[2] =
          getPairs(op, conjugate(op, transpose(op, getParts(op, made[2]))));
    return op.result(made[2], 2);
  }
  // torch.svd gives zeros, the others nothing.
  Expr m = in.sizes()[in.rank() - 2], n = in.sizes().back();
  auto zeros = [&](Expr size) {
    return op.fill(append(getBatch(in.re), {size, size, op.literal(2)}),
                   in.dtype(), 0.0);
  };
  op.result(isLinalg ? buildNothing(op, in.dtype()) : zeros(m), 0);
  op.result(isLinalg ? buildNothing(op, in.dtype()) : zeros(n), 2);
}

static void lowerSingularValues(Lowering &op) {
  (void)op.find("driver");
  op.result(buildComplexSVD(op, getComplexMatrix(op, "A"), false,
                            /*hasVectors=*/false)[1]);
}

//===----------------------------------------------------------------------===//
// Reflections
//===----------------------------------------------------------------------===//

static void lowerGeqrf(Lowering &op) {
  ComplexMatrix in = getComplexMatrix(op, "self");
  SmallVector<Tensor> made = buildComplexAlgebra(
      op, LinearAlgebraKind::Geqrf, {getPairs(op, in)},
      {{in.sizes(), in.dtype()},
       {append(getBatch(in.re), {getLesser(op, in.re)}), in.dtype()}});
  op.result(made[0], 0);
  op.result(made[1], 1);
}

/// The first columns of a product of reflections.
static void lowerReflections(Lowering &op) {
  bool isOld = op.has("self");
  ComplexMatrix in = getComplexMatrix(op, isOld ? "self" : "input");
  ComplexMatrix factors = getComplexMatrix(op, isOld ? "input2" : "tau", 1);
  Expr rows = in.sizes()[in.rank() - 2], columns = in.sizes().back();
  op.check(Comparison::le(columns, rows),
           Twine(op.target) + ": the matrix has more columns than rows");
  op.check(Comparison::le(factors.sizes().back(), columns),
           Twine(op.target) + ": there are more factors than columns");
  op.result(buildComplexAlgebra(op, LinearAlgebraKind::Reflections,
                                {getPairs(op, in), getPairs(op, factors)},
                                {{in.sizes(), in.dtype()}})[0]);
}

//===----------------------------------------------------------------------===//
// Functions of square matrices
//===----------------------------------------------------------------------===//

static void lowerMatrixExp(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "self");
  op.result(buildComplexAlgebra(op, LinearAlgebraKind::MatrixExp,
                                {getPairs(op, in)},
                                {{in.sizes(), in.dtype()}})[0]);
}

static void lowerFactorLDL(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "self");
  MatrixFlags flags;
  flags.hermitian = op.flag("hermitian", false);
  Sizes batch = getBatch(in.re);
  SmallVector<Tensor> made =
      buildComplexAlgebra(op, LinearAlgebraKind::LDL, {getPairs(op, in)},
                          {{in.sizes(), in.dtype()},
                           {append(batch, {in.sizes().back()}), Dtype::I32},
                           {batch, Dtype::I32}},
                          flags);
  resultFactorLDL(op, made);
}

static void lowerSolveLDL(Lowering &op) {
  ComplexMatrix in = getComplexSquare(op, "LD"),
                right = getComplexMatrix(op, "B");
  Tensor pivots = op.convert(op.tensor("pivots", 1), Dtype::I32);
  MatrixFlags flags;
  flags.hermitian = op.flag("hermitian", false);
  checkRows(op, in.re, right.re);
  broadcastBatches(op, in.re, 2, right.re, 2);
  broadcastBatches(op, in.im, 2, right.im, 2);
  Tensor wanted = right.re;
  broadcastBatches(op, pivots, 1, wanted, 2);
  op.result(buildComplexAlgebra(op, LinearAlgebraKind::SolveLDL,
                                {getPairs(op, in), pivots, getPairs(op, right)},
                                {{right.sizes(), right.dtype()}}, flags)[0]);
}

void addComplexFactors(LoweringTable &table) {
  auto add = [&](std::initializer_list<StringRef> names, LowerFn lower) {
    for (StringRef name : names)
      table.add(("aten." + name + ".default").str(), lower);
  };
  add({"cholesky", "linalg_cholesky"}, lowerCholesky);
  add({"linalg_cholesky_ex"}, lowerCholeskyEx);
  add({"linalg_qr", "qr"}, lowerQR);
  add({"linalg_eigh", "_linalg_eigh"}, lowerEigh);
  add({"linalg_eigvalsh"}, lowerEigenvalues);
  add({"svd", "linalg_svd", "_linalg_svd"}, lowerSVD);
  add({"linalg_svdvals"}, lowerSingularValues);
  add({"geqrf"}, lowerGeqrf);
  add({"linalg_householder_product", "orgqr"}, lowerReflections);
  add({"linalg_matrix_exp", "matrix_exp"}, lowerMatrixExp);
  add({"linalg_eig", "linalg_eigvals", "_linalg_eigvals"}, lowerEig);
  add({"linalg_ldl_factor", "linalg_ldl_factor_ex"}, lowerFactorLDL);
  add({"linalg_ldl_solve"}, lowerSolveLDL);
}

} // namespace tally::import_pt2
