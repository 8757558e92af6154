// RUN: tally-opt %s --tally-lower-attention | FileCheck %s

// CHECK-DAG: #[[NARROW:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-DAG: #[[WIDE:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[QUERIES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[SCORES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>

// Keys and values are repeated. There are scores, their largest, exponentials,
// sums and shares, and sums of values.
// CHECK-LABEL: func.func @grouped(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x?x?xf16>, %[[K:[a-z0-9]+]]: tensor<?x?x?xf16>, %[[V:[a-z0-9]+]]: tensor<?x?x?xf16>, %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK:         %[[KEYS:.*]] = tensor.dim %[[K]], %c0
// CHECK:         %[[DIVISOR:.*]] = arith.maxui %[[KEYS]], %{{.*}}
// CHECK:         %[[HEADS:.*]] = tensor.dim %[[Q]], %c0
// CHECK:         %[[GROUP:.*]] = arith.divui %[[HEADS]], %[[DIVISOR]]
// CHECK:         %[[EMPTY:.*]] = tensor.empty(%{{.*}}, %[[GROUP]], %{{.*}}, %{{.*}})
// CHECK:         %[[REPEATED:.*]] = linalg.generic {indexing_maps = [#[[NARROW]], #[[WIDE]]]{{.*}} ins(%[[K]] : tensor<?x?x?xf16>) outs(%[[EMPTY]]
// CHECK:         %[[ALLK:.*]] = tensor.collapse_shape %[[REPEATED]] {{\[\[}}0, 1], [2], [3]]
// CHECK:         linalg.generic {{.*}} ins(%[[V]]
// CHECK:         %[[ALLV:.*]] = tensor.collapse_shape
// CHECK:         linalg.generic {indexing_maps = [#[[QUERIES]], #[[NARROW]], #[[SCORES]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[Q]], %[[ALLK]] :
// CHECK:           arith.extf
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}}"parallel", "parallel", "parallel"]} ins(%{{.*}}, %[[X]] :
// CHECK:           %[[H:.*]] = linalg.index 0
// CHECK:           %[[J:.*]] = linalg.index 2
// CHECK:           %[[SEES:.*]] = arith.cmpi sle, %[[J]], %[[H]]
// CHECK:           arith.select %[[SEES]]
// CHECK:         arith.maximumf
// CHECK:         math.exp
// CHECK:         arith.addf
// CHECK:         arith.divf
// CHECK:           arith.cmpf oeq
// CHECK:           arith.select
// CHECK:         linalg.generic {{.*}}ins(%{{.*}}, %[[ALLV]] :
// CHECK:         arith.truncf
func.func @grouped(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>, %v: tensor<?x?x?xf16>, %x: tensor<?xf32>, %e: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      elements(%x : tensor<?xf32>) outs(%e : tensor<?x?x?xf16>)
      maps [affine_map<(h, i, j, e, c) -> (h, i, e)>, affine_map<(h, i, j, e, c) -> (h, j, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (h)>,
            affine_map<(h, i, j, e, c) -> (h, i, c)>] grouped
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f32, %y: f32):
        %s = arith.addf %p, %y : f32
        tally.yield %s : f32
      } mask {
      ^bb0(%h: index, %i: index, %j: index, %y: f32):
        %sees = arith.cmpi sle, %j, %h : index
        tally.yield %sees : i1
      } -> tensor<?x?x?xf16>
  return %r : tensor<?x?x?xf16>
}

// A buffer is left.
// CHECK-LABEL: func.func @buffers(
// CHECK:         tally.attention
func.func @buffers(%x: memref<?x?xf32>, %r: memref<?x?xf32>) {
  tally.attention ins(%x, %x, %x : memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) outs(%r : memref<?x?xf32>)
      maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
            affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>]
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      }
  return
}

// A row of zeros is divided by its sum, 0: NaN.
// CHECK-LABEL: func.func @strict(
// CHECK:         math.exp
// CHECK:         %[[SHARE:.*]] = arith.divf
// CHECK-NEXT:    linalg.yield %[[SHARE]]
func.func @strict(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tally.attention ins(%x, %x, %x : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>)
      maps [affine_map<(i, j, e, c) -> (i, e)>, affine_map<(i, j, e, c) -> (j, e)>,
            affine_map<(i, j, e, c) -> (j, c)>, affine_map<(i, j, e, c) -> (i, c)>] strict
      score {
      ^bb0(%i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
