//===- LinearAlgebra.h - Factors of matrices --------------------*- C++ -*-===//

#ifndef TALLY_LIB_IMPORT_ATEN_LINEARALGEBRA_H
#define TALLY_LIB_IMPORT_ATEN_LINEARALGEBRA_H

#include "Families.h"
#include "tally/IR/TallyLinearAlgebraOps.h"

namespace tally::import_pt2 {

void addLinearAlgebra(LoweringTable &table);
void addMatrixFactors(LoweringTable &table);
void addMatrixFunctions(LoweringTable &table);
void addSquareMatrices(LoweringTable &table);

/// An argument that is a matrix, or a batch of them, of f32 or f64.
Tensor getMatrix(Lowering &op, llvm::StringRef name);

/// The same of a matrix that has as many rows as columns.
Tensor getSquare(Lowering &op, llvm::StringRef name);

/// States that the last two sizes are equal.
void checkSquare(Lowering &op, llvm::ArrayRef<Expr> sizes);
/// States that a matrix has as many columns as the right side has rows.
void checkRows(Lowering &op, const Tensor &in, const Tensor &right);

/// The sizes in front of the last dimensions.
Sizes getBatch(const Tensor &in, int64_t dims = 2);
Sizes append(Sizes sizes, llvm::ArrayRef<Expr> more);
/// The lesser of the numbers of rows and columns.
Expr getLesser(Lowering &op, const Tensor &in);

/// A matrix to a power of at least 1, by squares.
template <typename Matrix, typename MultiplyFn>
Matrix buildMatrixPower(const Matrix &in, int64_t power, MultiplyFn multiply) {
  Matrix square = in, result = in;
  bool hasResult = false;
  for (bool isFirst = true; power > 0; power /= 2, isFirst = false) {
    square = isFirst ? in : multiply(square, square);
    if (power % 2 != 0)
      result = hasResult ? multiply(result, square) : square;
    hasResult |= power % 2 != 0;
  }
  return result;
}

/// The last two dimensions exchanged.
Tensor transpose(Lowering &op, const Tensor &in);

/// A result of a `tally.linear_algebra`.
struct MatrixOutput {
  Sizes sizes;
  Dtype dtype;
};
/// The attributes of a `tally.linear_algebra`.
struct MatrixFlags {
  bool full = false, transposed = false, upper = false, unit = false,
       complex = false, hermitian = false;
};
/// One operation.
llvm::SmallVector<Tensor> buildLinearAlgebra(
    Lowering &op, LinearAlgebraKind kind, llvm::ArrayRef<Tensor> inputs,
    llvm::ArrayRef<MatrixOutput> outputs, MatrixFlags flags = {});

/// Repeats two tensors, behind whose batches are so many dimensions, so that
/// they have the same batch.
void broadcastBatches(Lowering &op, Tensor &a, int64_t aDims, Tensor &b,
                      int64_t bDims);

/// A batch of identities, with the sizes of matrices.
Tensor buildIdentity(Lowering &op, const Tensor &like);

/// The solution of A X = B, or of A^T X = B, from the factors of A.
Tensor buildSolveLU(Lowering &op, Tensor factors, Tensor pivots, Tensor right,
                    bool isTransposed = false);

/// The solution of A X = B, where A is a triangle.
Tensor buildSolveTriangular(Lowering &op, Tensor in, Tensor right, bool isUpper,
                            bool isUnit = false);

/// Keeps a triangle of matrices, with ones on the diagonal or what is there.
Tensor buildTriangle(Lowering &op, const Tensor &in, Expr rows, Expr columns,
                     bool isUpper, bool hasOnes);

/// The matrix that exchanges rows as pivots tell: A = P L U.
Tensor buildPermutationMatrix(Lowering &op, const Tensor &pivots,
                              const Sizes &sizes, Dtype dtype);

/// Reports factors without pivots; PyTorch has them on a GPU only.
bool checkPivots(Lowering &op);

/// States that info of factors L U is 0, where the operator asks for that.
void checkFactorLU(Lowering &op, const Tensor &info);

/// Which triangle an operator reads.
bool readsUpper(Lowering &op);

/// The inverse, and info.
std::pair<Tensor, Tensor> buildInverse(Lowering &op, const Tensor &in);

/// L and U, pivots and info, of a matrix or of its transpose.
llvm::SmallVector<Tensor> buildLU(Lowering &op, const Tensor &in,
                                  bool isTransposed = false);

/// The factor of a triangle, and info.
std::pair<Tensor, Tensor> buildCholesky(Lowering &op, const Tensor &in,
                                        bool isUpper);

/// States that the info of every problem is 0; where it is not, the first one
/// that is another is told, and what PyTorch says of the operator `name`.
void checkInfo(Lowering &op, const Tensor &info, llvm::StringRef name);
/// The same for an operator that takes `check_errors`, if that is true.
void checkInfoIfAsked(Lowering &op, const Tensor &info, llvm::StringRef name);

/// A = U diag(values) V^T.
struct SingularValues {
  Tensor u, values, vt;
};
/// All vectors if `isFull`, else as many as there are values. Without vectors,
/// u and vt are stand-ins.
SingularValues buildSVD(Lowering &op, const Tensor &in, bool isFull,
                        bool hasVectors);

/// The eigenvalues of a symmetric matrix, of which a triangle is read, and its
/// eigenvectors, or a stand-in.
std::pair<Tensor, Tensor> buildEigh(Lowering &op, const Tensor &in,
                                    bool isUpper, bool hasVectors);

} // namespace tally::import_pt2

#endif // TALLY_LIB_IMPORT_ATEN_LINEARALGEBRA_H
