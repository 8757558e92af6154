//===- TallyAttentionOps.td - Weighted sums of rows --------*- tablegen -*-===//

#ifndef TALLY_IR_TALLYATTENTIONOPS_TD
#define TALLY_IR_TALLYATTENTIONOPS_TD

include "tally/IR/TallyDialect.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tally_AttentionOp : Tally_Op<"attention", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Sums of values, weighted by how queries fit keys.";
  let description = [{
    For each query the sum of all values, each weighted by the softmax of a
    score, which its key has for the query:

    ```
    score(i, j)    = sum over e of query[..., i, e] * key[..., j, e], then the region `score`
    weight(i, j)   = exp(score(i, j) - m(i)) / sum over j of exp(score(i, j) - m(i))
    output[..., i, c] = sum over j of weight(i, j) * value[..., j, c]
    ```

    where `m(i)` is the largest score of the query. The loops that the `maps` of
    all operands share are those of a batch, then those over queries, over keys,
    over the depth of a product, and over the columns of the result. The queries
    run over the batch, the queries and the depth, and so on; their dimensions
    may be in any order.

    The region `score` gets the position in each loop of the batch, those of the
    query and of the key, the product, and an element of each of the `elements`,
    which run over some of these loops, or are scalars; it yields the score. The
    region `mask`, if there is one, gets all of that but the product, and yields
    whether the query sees the key; where it does not, the score is that of minus
    infinity. A query whose scores are all minus infinity, or that has no keys,
    gets zeros. What has the weight 0 because of the mask may be multiplied, or
    not looked at: the two differ where a value is not finite. Regions compute
    with scalars and have no effects.

    If heads are `grouped`, keys and values have fewer positions in the last
    loop of the batch than queries have, and each of them is that of as many
    neighboring queries: grouped-query attention.

    If the softmax is `strict`, weights are those that its definition gives: of a
    query that has keys, but only scores of minus infinity, they are NaN, and a
    weight of 0 is multiplied like any other.

    Scores, weights and sums of f16 and bf16 are kept in f32; regions compute in
    that type. The destination is not read.

    Each query sees the keys up to its own position, and scores are scaled:

    ```mlir
    %r = tally.attention ins(%q, %k, %v : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>)
        outs(%e : tensor<?x?x64xf32>)
        maps [affine_map<(b, i, j, e, c) -> (b, i, e)>, affine_map<(b, i, j, e, c) -> (b, j, e)>,
              affine_map<(b, i, j, e, c) -> (b, j, c)>, affine_map<(b, i, j, e, c) -> (b, i, c)>]
        score {
        ^bb0(%b: index, %i: index, %j: index, %product: f32):
          %scale = arith.constant 0.125 : f32
          %s = arith.mulf %product, %scale : f32
          tally.yield %s : f32
        } mask {
        ^bb0(%b: index, %i: index, %j: index):
          %sees = arith.cmpi sle, %j, %i : index
          tally.yield %sees : i1
        } -> tensor<?x?x64xf32>
    ```
  }];
  let arguments = (ins
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$query,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$key,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$value,
    Variadic<AnyType>:$elements,
    AnyTypeOf<[AnyRankedTensor, AnyMemRef]>:$output,
    AffineMapArrayAttr:$maps, UnitAttr:$grouped, UnitAttr:$strict);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score, VariadicRegion<SizedRegion<1>>:$masks);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,` type($value) `)`
    (`elements` `(` $elements^ `:` type($elements) `)`)?
    `outs` `(` $output `:` type($output) `)` `maps` $maps (`grouped` $grouped^)? (`strict` $strict^)?
    `score` $score (`mask` $masks^)? attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputMutable();
    }
    /// The map of an operand, by its number.
    ::mlir::AffineMap getMap(unsigned operand);
    /// The loops: those of the batch are the first ones.
    unsigned getNumBatchLoops() { return getMap(0).getNumDims() - 4; }
    unsigned getQueryLoop() { return getNumBatchLoops(); }
    unsigned getKeyLoop() { return getNumBatchLoops() + 1; }
    unsigned getDepthLoop() { return getNumBatchLoops() + 2; }
    unsigned getColumnLoop() { return getNumBatchLoops() + 3; }
    /// The dimension of an operand that runs over a loop, if there is one.
    std::optional<unsigned> findDim(unsigned operand, unsigned loop);
    /// Whether a dimension of this operand is that of the heads that several
    /// queries share.
    bool isShared(unsigned operand, unsigned loop) {
      return getGrouped() && (operand == 1 || operand == 2) &&
             loop + 1 == getNumBatchLoops();
    }
    /// The region `mask`, or null.
    ::mlir::Region *getMask() {
      return getMasks().empty() ? nullptr : &getMasks().front();
    }
    /// The type of scores and sums.
    ::mlir::FloatType getSumType();
  }];
}

#endif // TALLY_IR_TALLYATTENTIONOPS_TD
