// RUN: tally-opt %s --tally-prepare-attention | FileCheck %s

// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>
// CHECK-DAG: #[[KMAP:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d3)>
// CHECK-DAG: #[[V:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-DAG: #[[O:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>

// CHECK-LABEL: func.func @masked(
// CHECK:         tally.attention
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[P:.*]]: f32):
// CHECK:           %[[S:.*]] = arith.addf %[[P]], %[[P]]
// CHECK:           %[[LAST:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK:           %[[SEES:.*]] = arith.cmpi sle, %[[J]], %[[LAST]]
// CHECK:           %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:           %[[MASKED:.*]] = arith.select %[[SEES]], %[[S]], %[[LOWEST]]
// CHECK:           tally.yield %[[MASKED]]
// CHECK-NEXT:    } -> tensor<?x?x?xf32>
func.func @masked(%q: tensor<?x?x?xf32>, %k: tensor<?x?x?xf32>, %v: tensor<?x?x?xf32>, %e: tensor<?x?x?xf32>, %n: index) -> tensor<?x?x?xf32> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>)
      outs(%e : tensor<?x?x?xf32>)
      maps [affine_map<(b, i, j, e, c) -> (b, i, e)>, affine_map<(b, i, j, e, c) -> (b, j, e)>,
            affine_map<(b, i, j, e, c) -> (b, j, c)>, affine_map<(b, i, j, e, c) -> (b, i, c)>]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        %s = arith.addf %p, %p : f32
        tally.yield %s : f32
      } mask {
      ^bb0(%b: index, %i: index, %j: index):
        %last = arith.addi %i, %n : index
        %sees = arith.cmpi sle, %j, %last : index
        tally.yield %sees : i1
      } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x5x?xf16>, %[[K:[a-z0-9]+]]: tensor<?x7x?xf16>, %{{[a-z0-9]+}}: tensor<?x7x?xf16>, %[[E:[a-z0-9]+]]: tensor<?x?x5xf16>
// CHECK:         %[[KEPT:.*]] = linalg.transpose ins(%[[K]]
// CHECK-DAG:     %[[COLUMNS:.*]] = tensor.dim %[[E]], %c0
// CHECK-DAG:     %[[BATCH:.*]] = tensor.dim %[[E]], %c1
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%[[BATCH]], %[[COLUMNS]]) : tensor<?x5x?xf16>
// CHECK:         %[[R:.*]] = tally.attention ins(%[[Q]], %[[K]], %[[K]] : {{.*}}) outs(%[[EMPTY]] : tensor<?x5x?xf16>) maps [#[[B]], #[[KMAP]], #[[V]], #[[O]]]
// CHECK:         return %[[R]], %[[KEPT]]
func.func @transposed(%q: tensor<?x5x?xf16>, %k: tensor<?x7x?xf16>, %v: tensor<?x7x?xf16>, %e: tensor<?x?x5xf16>, %w: tensor<?x?x7xf16>, %x: tensor<?x?x5xf16>, %y: tensor<?x5x?xf16>) -> (tensor<?x5x?xf16>, tensor<?x?x7xf16>) {
  %t = linalg.transpose ins(%q : tensor<?x5x?xf16>) outs(%x : tensor<?x?x5xf16>) permutation = [2, 0, 1]
  %u = linalg.transpose ins(%k : tensor<?x7x?xf16>) outs(%w : tensor<?x?x7xf16>) permutation = [2, 0, 1]
  %r = tally.attention ins(%t, %u, %u : tensor<?x?x5xf16>, tensor<?x?x7xf16>, tensor<?x?x7xf16>)
      outs(%e : tensor<?x?x5xf16>)
      maps [affine_map<(b, i, j, e, c) -> (e, b, i)>, affine_map<(b, i, j, e, c) -> (e, b, j)>,
            affine_map<(b, i, j, e, c) -> (c, b, j)>, affine_map<(b, i, j, e, c) -> (c, b, i)>]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?x5xf16>
  %s = linalg.transpose ins(%r : tensor<?x?x5xf16>) outs(%y : tensor<?x5x?xf16>) permutation = [1, 2, 0]
  return %s, %u : tensor<?x5x?xf16>, tensor<?x?x7xf16>
}

// Both the result and what it becomes are asked for.
// CHECK-LABEL: func.func @kept(
// CHECK:         %[[R:.*]] = tally.attention
// CHECK:         %[[S:.*]] = linalg.transpose ins(%[[R]]
// CHECK:         return %[[R]], %[[S]]
func.func @kept(%q: tensor<?x?xf64>, %e: tensor<?x?xf64>, %w: tensor<?x?xf64>) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %r = tally.attention ins(%q, %q, %q : tensor<?x?xf64>, tensor<?x?xf64>, tensor<?x?xf64>) outs(%e : tensor<?x?xf64>)
      maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
            affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
      score {
      ^bb0(%i: index, %j: index, %p: f64):
        tally.yield %p : f64
      } -> tensor<?x?xf64>
  %s = linalg.transpose ins(%r : tensor<?x?xf64>) outs(%w : tensor<?x?xf64>) permutation = [1, 0]
  return %r, %s : tensor<?x?xf64>, tensor<?x?xf64>
}
