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
        I32EnumAttrCase<"SolveTriangular", 6, "solve_triangular">]> {
  let cppNamespace = "::tally";
}

def Tally_LinearAlgebraOp : Tally_Op<"linear_algebra", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Factors of matrices, and solutions of equations.";
  let description = [{
    Computes what a function of LAPACK does of matrices of f32 or f64. The last
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

    Pivots and info are those of LAPACK: the row, counted from 1, that row i was
    exchanged with, and 0, or, counted from 1, which element of the diagonal of U
    is zero, or which leading minor is not positive. Destinations are not read;
    `eigh` and `svd` may have the first alone. Where these do not converge, and
    where a pivot is no row, the call fails.

    ```mlir
    %f, %p, %i = tally.linear_algebra lu ins(%a : tensor<?x?xf32>)
        outs(%x, %y, %z : tensor<?x?xf32>, tensor<?xi32>, tensor<i32>) -> tensor<?x?xf32>, tensor<?xi32>, tensor<i32>
    ```
  }];
  let arguments = (ins
    Tally_LinearAlgebraKind:$kind,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    UnitAttr:$full, UnitAttr:$transposed, UnitAttr:$upper, UnitAttr:$unit);
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
