//===- TallyScanOps.td - Results that build on those before -*- tablegen -*-===//

#ifndef TALLY_IR_TALLYSCANOPS_TD
#define TALLY_IR_TALLYSCANOPS_TD

include "tally/IR/TallyDialect.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The accumulators of a scan. What accumulates writes them.
def AccumulatorResource : Resource<"::tally::AccumulatorResource">;

def Tally_PrefixScanOp : Tally_Op<"prefix_scan", [
    AttrSizedOperandSegments, DestinationStyleOpInterface, IsolatedFromAbove,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "An inclusive scan along a dimension.";
  let description = [{
    Goes through each row, which runs along `dim`, element by element. The body
    gets the position in the row and an element of each input, and yields an
    element of each destination. One of its operations is a `tally.accumulate`,
    which combines what it is given with what it was given before in this row;
    the accumulators begin with `starts`. The body computes with scalars and has
    no other effects. Destinations are not read.

    If the scan is `associative`, rows may be cut into parts, which are combined
    first: combinations may be grouped in another way. Sums and products of
    floats are taken for associative, as in reductions. Otherwise each element is
    combined with all that is before it.

    Sums of f32 that are kept in f64:

    ```mlir
    %r = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) starts(%zero : f64) dim 1 associative {
    ^bb0(%i: index, %a: f32):
      %wide = arith.extf %a : f32 to f64
      %sum = tally.accumulate %wide : f64 {
      ^bb0(%before: f64, %next: f64):
        %s = arith.addf %before, %next : f64
        tally.yield %s : f64
      }
      %narrow = arith.truncf %sum : f64 to f32
      tally.yield %narrow : f32
    } -> tensor<?x?xf32>
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
    Variadic<AnyTypeOf<[AnySignlessIntegerOrIndex, AnyFloat]>>:$starts,
    ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, UnitAttr:$associative);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)` `outs` `(` $outputs `:` type($outputs) `)`
    `starts` `(` $starts `:` type($starts) `)` `dim` $dim (`associative` $associative^)?
    $body attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// The only operation of the body that accumulates.
    ::tally::AccumulateOp getAccumulate();
    /// What the body yields.
    ::mlir::ValueRange getYielded() {
      return getBody().front().getTerminator()->getOperands();
    }
  }];
}

def Tally_AccumulateOp : Tally_Op<"accumulate", [
    HasParent<"::tally::PrefixScanOp">, IsolatedFromAbove,
    MemoryEffects<[MemWrite<AccumulatorResource>]>,
    RangedTypesMatchWith<"accumulators have the types of the values", "values",
                         "results", "$_self">]> {
  let summary = "Combines values with those of the elements before.";
  let description = [{
    Sets the accumulators of the `tally.prefix_scan` around it to the values that
    the region yields, and returns them. The region gets the accumulators, then
    the values of the next element, or, if the scan is associative, what the
    values of several elements have been combined to. It computes with scalars,
    and uses nothing from outside.

    The largest element and its place:

    ```mlir
    %v, %p = tally.prefix_scan ins(%x : tensor<?xf32>) outs(%e, %q : tensor<?xf32>, tensor<?xindex>)
        starts(%lowest, %zero : f32, index) dim 0 associative {
    ^bb0(%i: index, %a: f32):
      %largest, %place = tally.accumulate %a, %i : f32, index {
      ^bb0(%l: f32, %lp: index, %n: f32, %np: index):
        %takes = arith.cmpf ogt, %n, %l : f32
        %m = arith.select %takes, %n, %l : f32
        %mp = arith.select %takes, %np, %lp : index
        tally.yield %m, %mp : f32, index
      }
      tally.yield %largest, %place : f32, index
    } -> tensor<?xf32>, tensor<?xindex>
    ```
  }];
  let arguments = (ins
    Variadic<AnyTypeOf<[AnySignlessIntegerOrIndex, AnyFloat]>>:$values);
  let results = (outs
    Variadic<AnyTypeOf<[AnySignlessIntegerOrIndex, AnyFloat]>>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$values `:` type($values) $combine attr-dict";
  let hasRegionVerifier = 1;
}

#endif // TALLY_IR_TALLYSCANOPS_TD
