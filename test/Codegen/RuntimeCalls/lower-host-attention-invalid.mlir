// RUN: tally-opt %s --tally-lower-host-attention --split-input-file --verify-diagnostics

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>
func.func @on_tensors(%ctx: !llvm.ptr, %x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %r = tally.attention ins(%x, %x, %x : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>
func.func @masked(%ctx: !llvm.ptr, %x: memref<?x?xf32>, %e: memref<?x?xf32>) {
  // expected-error @below {{has a region 'mask'; run 'tally-prepare-attention' first}}
  tally.attention ins(%x, %x, %x : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) outs(%e : memref<?x?xf32>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } mask {
      ^bb0(%i: index, %j: index):
        %sees = arith.cmpi sle, %j, %i : index
        tally.yield %sees : i1
      }
  return
}

// -----

#q = affine_map<(i, j, e, c) -> (i, e)>
#k = affine_map<(i, j, e, c) -> (j, e)>
#v = affine_map<(i, j, e, c) -> (j, c)>
#o = affine_map<(i, j, e, c) -> (i, c)>
func.func @no_context(%x: memref<?x?xf32>, %e: memref<?x?xf32>) {
  // expected-error @below {{needs the call context as the first argument of its function; run 'tally-add-context' first}}
  tally.attention ins(%x, %x, %x : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) outs(%e : memref<?x?xf32>)
      maps [#q, #k, #v, #o]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      }
  return
}
