// RUN: tally-opt %s --tally-lower-attention=most-scores=1000 --canonicalize | FileCheck %s

// Where there may be too many scores, there are blocks of queries: as many as
// have 1000 scores, but one at least. Positions are those of all queries, and
// what runs over queries is sliced, the mask's elements too.
// CHECK-LABEL: func.func @masked(
// CHECK-SAME: %[[Q:[^:]*]]: tensor<?x?x8xf32>, %[[K:[^:]*]]: tensor<?x?x8xf32>, %[[V:[^:]*]]: tensor<?x?x8xf32>, %[[M:[^:]*]]: tensor<?x?xf32>, %[[E:[^:]*]]: tensor<?x?x8xf32>
// CHECK-DAG: %[[MOST:.*]] = arith.constant 1000 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: %[[QUERIES:.*]] = tensor.dim %[[Q]], %[[ONE]]
// CHECK: %[[KEYS:.*]] = tensor.dim %[[K]], %[[ONE]]
// CHECK: %[[HEADS:.*]] = tensor.dim %[[Q]],
// CHECK: %[[PRODUCT:.*]] = arith.muli %[[KEYS]], %[[HEADS]]
// CHECK: %[[SCORES:.*]] = arith.maxui %[[PRODUCT]], %[[ONE]]
// CHECK: %[[QUOTIENT:.*]] = arith.divui %[[MOST]], %[[SCORES]]
// CHECK: %[[BLOCK:.*]] = arith.maxui %[[QUOTIENT]], %[[ONE]]
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %[[QUERIES]], %[[BLOCK]]
// CHECK: scf.if %[[FITS]]
// CHECK-NOT: tensor.extract_slice
// CHECK: } else {
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[QUERIES]] step %[[BLOCK]] iter_args(%[[SO_FAR:.*]] = %[[E]])
// CHECK:   %[[LEFT:.*]] = arith.subi %[[QUERIES]], %[[I]]
// CHECK:   %[[COUNT:.*]] = arith.minui %[[BLOCK]], %[[LEFT]]
// CHECK:   tensor.extract_slice %[[Q]][0, %[[I]], 0] [%{{.*}}, %[[COUNT]], 8] [1, 1, 1]
// CHECK:   tensor.extract_slice %[[M]][%[[I]], 0] [%[[COUNT]], %{{.*}}] [1, 1]
// CHECK:   %[[IN:.*]] = linalg.index 1
// CHECK:   %[[AT:.*]] = arith.addi %[[IN]], %[[I]]
// CHECK:   arith.cmpi sle, %{{.*}}, %[[AT]]
// CHECK:   tensor.insert_slice %{{.*}} into %[[SO_FAR]][0, %[[I]], 0] [%{{.*}}, %[[COUNT]], 8] [1, 1, 1]
func.func @masked(%q: tensor<?x?x8xf32>, %k: tensor<?x?x8xf32>, %v: tensor<?x?x8xf32>, %m: tensor<?x?xf32>, %e: tensor<?x?x8xf32>) -> tensor<?x?x8xf32> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>)
      elements(%m : tensor<?x?xf32>) outs(%e : tensor<?x?x8xf32>)
      maps [affine_map<(h, i, j, e, c) -> (h, i, e)>, affine_map<(h, i, j, e, c) -> (h, j, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (i, j)>,
            affine_map<(h, i, j, e, c) -> (h, i, c)>]
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f32, %y: f32):
        %s = arith.addf %p, %y : f32
        tally.yield %s : f32
      } mask {
      ^bb0(%h: index, %i: index, %j: index, %y: f32):
        %sees = arith.cmpi sle, %j, %i : index
        tally.yield %sees : i1
      } -> tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// Types may say that there are few.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: scf.if
// CHECK: return
func.func @few(%x: tensor<10x100xf16>, %y: tensor<100x100xf16>, %e: tensor<10x100xf16>) -> tensor<10x100xf16> {
  %r = tally.attention ins(%x, %y, %y : tensor<10x100xf16>, tensor<100x100xf16>, tensor<100x100xf16>) outs(%e : tensor<10x100xf16>)
      maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
            affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<10x100xf16>
  return %r : tensor<10x100xf16>
}
