//===- TallyLinearAlgebraOps.td - Factors of matrices ------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYLINEARALGEBRAOPS_TD
#define TALLY_IR_TALLYLINEARALGEBRAOPS_TD

include "tally/IR/TallyDialect.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tally_LinearAlgebraKind
    : I32EnumAttr<"LinearAlgebraKind", "what is computed of matrices", [
        I32EnumAttrCase<"LU", 0, "lu">,
        I32EnumAttrCase<"SolveLU", 1, "solve_lu">,
        I32EnumAttrCase<"Cholesky", 2, "cholesky">,
        I32EnumAttrCase<"QR", 3, "qr">,
        I32EnumAttrCase<"Eigh", 4, "eigh">,
        I32EnumAttrCase<"SVD", 5, "svd">,
        I32EnumAttrCase<"SolveTriangular", 6, "solve_triangular">,
        I32EnumAttrCase<"Geqrf", 7, "geqrf">,
        I32EnumAttrCase<"Reflections", 8, "reflections">,
        I32EnumAttrCase<"Eig", 9, "eig">,
        I32EnumAttrCase<"LDL", 10, "ldl">,
        I32EnumAttrCase<"SolveLDL", 11, "solve_ldl">,
        I32EnumAttrCase<"MatrixExp", 12, "matrix_exp">]> {
  let cppNamespace = "::tally";
}

def Tally_LinearAlgebraOp : Tally_Op<"linear_algebra", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Factors of matrices, and solutions of equations.";
  let description = [{
    Computes what functions of LAPACK do of matrices of f32 or f64. The last
    dimensions are those of matrices and vectors; all others, which all operands
    share, are a batch. With k for the lesser of m and n:

    | kind | `ins` | `outs` |
    |---|---|---|
    | `lu` | A: m x n | L below the diagonal and U, m x n; pivots, k x i32; info, i32: A = P L U; if `transposed`, A is n x m, and A^T = P L U |
    | `solve_lu` | L and U, n x n; pivots, n x i32; B: n x r | X: n x r, of A X = B; of A^T X = B if `transposed` |
    | `cholesky` | A: n x n, of which the lower triangle is read | L: n x n, with A = L L^T; info, i32 |
    | `qr` | A: m x n | Q: m x k; R: k x n; m x m and m x n if `full` |
    | `eigh` | A: n x n, of which the lower triangle is read | eigenvalues, n; eigenvectors as columns, n x n |
    | `svd` | A: m x n | singular values, k; U: m x k; V^T: k x n; m x m and n x n if `full` |
    | `solve_triangular` | A: n x n; B: n x r | X: n x r, of A X = B; A is lower triangular, or `upper`, with ones on its diagonal if `unit` |
    | `geqrf` | A: m x n | R and, below the diagonal, vectors of reflections, m x n; factors of reflections, k: A is the product of the reflections and R |
    | `reflections` | vectors below the diagonal, m x n; factors, t | the first columns of the product of the reflections, m x n |
    | `eig` | A: n x n | eigenvalues, n, and eigenvectors as columns, n x n: complex numbers |
    | `ldl` | A: n x n, of which the lower triangle is read | L below the diagonal and D, n x n; pivots, n x i32; info, i32: A = L D L^T |
    | `solve_ldl` | L and D, n x n; pivots, n x i32; B: n x r | X: n x r, of A X = B |
    | `matrix_exp` | A: n x n | the exponential function of A, n x n |

    Pivots and info are those of LAPACK: the row, counted from 1, that row i was
    exchanged with, and 0, or, counted from 1, which element of the diagonal of U
    is zero, or which leading minor is not positive. Destinations are not read;
    `eig`, `eigh` and `svd` may have the first alone. Where these do not converge,
    and where a pivot is no row, the call fails.

    If `complex`, matrices and vectors are of complex numbers, but for singular
    values and those of `eigh`: a last dimension of size 2 has the real and the
    imaginary part. A triangle is then that of a matrix that equals its conjugate
    transpose, and in the table such a transpose stands for each other one, but
    for `transposed`, and for `ldl` and `solve_ldl` unless they are `hermitian`.

    ```mlir
    %f, %p, %i = tally.linear_algebra lu ins(%a : tensor<?x?xf32>)
        outs(%x, %y, %z : tensor<?x?xf32>, tensor<?xi32>, tensor<i32>) -> tensor<?x?xf32>, tensor<?xi32>, tensor<i32>
    ```
  }];
  let arguments = (ins
    Tally_LinearAlgebraKind:$kind,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    UnitAttr:$full, UnitAttr:$transposed, UnitAttr:$upper, UnitAttr:$unit,
    UnitAttr:$complex, UnitAttr:$hermitian);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kind `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// What each operand is, inputs first.
    ::llvm::SmallVector<::tally::LinearAlgebraOperand> getSignature();
    /// The number of dimensions of the batch.
    int64_t getBatchRank();
  }];
}

#endif // TALLY_IR_TALLYLINEARALGEBRAOPS_TD
