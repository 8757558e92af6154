//===- TallySortOps.td - Orders of elements ----------------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYSORTOPS_TD
#define TALLY_IR_TALLYSORTOPS_TD

include "tally/IR/TallyDialect.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tally_SortOp : Tally_Op<"sort", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "The elements along a dimension, in order.";
  let description = [{
    Orders the elements of each row, which runs along `dim`: in ascending order,
    or `descending`. What is equal keeps its order. Integers are signed, if not
    `is_unsigned`; `false` comes before `true`; both zeros of a float are equal;
    NaN is the largest of all, and equal to NaN. `values` receives the elements,
    bit by bit, `indices` where in the row each was; there is one of them, or
    both. Destinations are not read.

    All of the order is asked for, or the part of it that begins at `from`: as
    much as the destinations have along `dim`. The least three elements of each
    row, and their places:

    ```mlir
    %v, %i = tally.sort ins(%x : tensor<?x?xf32>) values(%e : tensor<?x3xf32>)
                        indices(%p : tensor<?x3xi64>) dim 1 from %c0 -> tensor<?x3xf32>, tensor<?x3xi64>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$source,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$values,
    Optional<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$indices,
    Optional<Index>:$first,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
    UnitAttr:$descending, UnitAttr:$is_unsigned);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $source `:` type($source) `)`
    (`values` `(` $values^ `:` type($values) `)`)?
    (`indices` `(` $indices^ `:` type($indices) `)`)?
    `dim` $dim (`from` $first^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
    /// One of the destinations: they have the same sizes.
    ::mlir::Value getAnyOutput() {
      return getValues() ? getValues() : getIndices();
    }
    /// The result for a destination that is a tensor; null without such a
    /// destination.
    ::mlir::Value getValuesResult();
    ::mlir::Value getIndicesResult();
  }];
}

#endif // TALLY_IR_TALLYSORTOPS_TD
