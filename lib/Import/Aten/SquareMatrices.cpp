//===- SquareMatrices.cpp - Functions of square matrices ------------------===//
//
// Factors L D L^T, eigenvalues of any square matrix, the exponential function,
// and the reflections that make a matrix.
//
//===----------------------------------------------------------------------===//

#include "ComplexMatrix.h"

using namespace mlir;

namespace tally::import_pt2 {

static void lowerMatrixExp(Lowering &op) {
  Tensor in = getSquare(op, "self");
  op.result(buildLinearAlgebra(op, LinearAlgebraKind::MatrixExp, {in},
                               {{in.sizes, in.dtype}})[0]);
}

static void lowerGeqrf(Lowering &op) {
  Tensor in = getMatrix(op, "self");
  SmallVector<Tensor> made = buildLinearAlgebra(
      op, LinearAlgebraKind::Geqrf, {in},
      {{in.sizes, in.dtype},
       {append(getBatch(in), {getLesser(op, in)}), in.dtype}});
  op.result(made[0], 0);
  op.result(made[1], 1);
}

void resultFactorLDL(Lowering &op, ArrayRef<Tensor> made) {
  if (op.numResults() == 2)
    checkInfo(op, made[2], "torch.linalg.ldl_factor");
  else
    checkInfoIfAsked(op, made[2], "torch.linalg.ldl_factor_ex");
  for (auto [index, result] : llvm::enumerate(made))
    op.result(result, index);
}

/// A matrix of real numbers is its own conjugate.
static void lowerFactorLDL(Lowering &op) {
  Tensor in = getSquare(op, "self");
  (void)op.flag("hermitian", false);
  Sizes batch = getBatch(in);
  resultFactorLDL(
      op, buildLinearAlgebra(op, LinearAlgebraKind::LDL, {in},
                             {{in.sizes, in.dtype},
                              {append(batch, {in.sizes.back()}), Dtype::I32},
                              {batch, Dtype::I32}}));
}

static void lowerSolveLDL(Lowering &op) {
  Tensor in = getSquare(op, "LD"), right = getMatrix(op, "B");
  Tensor pivots = op.convert(op.tensor("pivots", 1), Dtype::I32);
  (void)op.flag("hermitian", false);
  checkRows(op, in, right);
  broadcastBatches(op, in, 2, right, 2);
  Tensor wanted = right;
  broadcastBatches(op, pivots, 1, wanted, 2);
  op.result(buildLinearAlgebra(op, LinearAlgebraKind::SolveLDL,
                               {in, pivots, right},
                               {{right.sizes, right.dtype}})[0]);
}

void lowerEig(Lowering &op) {
  bool isOfPairs = isComplex(op, "self");
  Tensor in;
  Sizes sizes;
  if (isOfPairs) {
    ComplexMatrix parts = getComplexSquare(op, "self");
    in = getPairs(op, parts);
    sizes = parts.sizes();
  } else {
    in = getSquare(op, "self");
    sizes = in.sizes;
  }
  Expr rows = sizes.back();
  Sizes vectors = append(sizes, {op.literal(2)});
  sizes.back() = op.literal(2);
  sizes[sizes.size() - 2] = rows;
  SmallVector<MatrixOutput> outputs{{sizes, in.dtype}};
  if (op.numResults() > 1)
    outputs.push_back({vectors, in.dtype});
  MatrixFlags flags;
  flags.complex = isOfPairs;
  SmallVector<Tensor> made =
      buildLinearAlgebra(op, LinearAlgebraKind::Eig, {in}, outputs, flags);
  for (auto [index, result] : llvm::enumerate(made))
    op.result(result, index);
}

void addSquareMatrices(LoweringTable &table) {
  table.add("aten.linalg_matrix_exp.default", lowerMatrixExp);
  table.add("aten.matrix_exp.default", lowerMatrixExp);
  table.add("aten.geqrf.default", lowerGeqrf);
  table.add("aten.linalg_ldl_factor.default", lowerFactorLDL);
  table.add("aten.linalg_ldl_factor_ex.default", lowerFactorLDL);
  table.add("aten.linalg_ldl_solve.default", lowerSolveLDL);
}

} // namespace tally::import_pt2
