//===- ComplexMatrix.h - Matrices of complex numbers ------------*- C++ -*-===//

#ifndef TALLY_LIB_IMPORT_ATEN_COMPLEXMATRIX_H
#define TALLY_LIB_IMPORT_ATEN_COMPLEXMATRIX_H

#include "Complex.h"
#include "LinearAlgebra.h"

namespace tally::import_pt2 {

/// Matrices or vectors of complex numbers, part by part.
struct ComplexMatrix {
  Tensor re, im;

  const Sizes &sizes() const { return re.sizes; }
  int64_t rank() const { return re.rank(); }
  Dtype dtype() const { return re.dtype; }
};

/// An argument of at least so many dimensions.
ComplexMatrix getComplexMatrix(Lowering &op, llvm::StringRef name,
                               int64_t minRank = 2);
/// The same of a matrix that has as many rows as columns.
ComplexMatrix getComplexSquare(Lowering &op, llvm::StringRef name);
/// The parts of pairs.
ComplexMatrix getParts(Lowering &op, const Tensor &pairs);
Tensor getPairs(Lowering &op, const ComplexMatrix &matrix);

/// The last two dimensions exchanged.
ComplexMatrix transpose(Lowering &op, const ComplexMatrix &in);
ComplexMatrix conjugate(Lowering &op, const ComplexMatrix &in);
ComplexMatrix buildMatmul(Lowering &op, const ComplexMatrix &a,
                          const ComplexMatrix &b);

/// A result of a `tally.linear_algebra` of complex numbers; `isReal` is one of
/// others.
struct ComplexOutput {
  Sizes sizes;
  Dtype dtype;
  bool isReal = false;
};
/// One operation on complex numbers. Inputs are as it has them: pairs, and
/// pivots. Results are, too.
llvm::SmallVector<Tensor> buildComplexAlgebra(
    Lowering &op, LinearAlgebraKind kind, llvm::ArrayRef<Tensor> inputs,
    llvm::ArrayRef<ComplexOutput> outputs, MatrixFlags flags = {});

/// The eigenvalues, and the eigenvectors if these are results, of matrices of
/// real or complex numbers.
void lowerEig(Lowering &op);

/// The results of an operator that factors L D L^T: these, pivots and info.
void resultFactorLDL(Lowering &op, llvm::ArrayRef<Tensor> made);

void addComplexFactors(LoweringTable &table);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_COMPLEXMATRIX_H
