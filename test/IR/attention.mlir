// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --mlir-print-op-generic | tally-opt | FileCheck %s

#q = affine_map<(b, i, j, e, c) -> (b, i, e)>
#k = affine_map<(b, i, j, e, c) -> (b, j, e)>
#v = affine_map<(b, i, j, e, c) -> (b, j, c)>
#o = affine_map<(b, i, j, e, c) -> (b, i, c)>

// CHECK-LABEL: func.func @plain(
// CHECK:         tally.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x?xf16>, tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%{{.*}} : tensor<?x?x?xf16>) maps [
// CHECK-SAME:      ] score {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[P:.*]]: f32):
// CHECK-NEXT:      tally.yield %[[P]] : f32
// CHECK-NEXT:    } -> tensor<?x?x?xf16>
func.func @plain(%q: tensor<?x?x?xf16>, %k: tensor<?x?x?xf16>, %v: tensor<?x?x?xf16>, %e: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %r = tally.attention ins(%q, %k, %v : tensor<?x?x?xf16>, tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%e : tensor<?x?x?xf16>) maps [#q, #k, #v, #o]
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?x?xf16>
  return %r : tensor<?x?x?xf16>
}

// Dimensions in another order, a row that all queries share, a number, and
// buffers.
// CHECK-LABEL: func.func @all(
// CHECK:         tally.attention ins(%{{.*}}) elements(%{{.*}}, %{{.*}} : memref<1x?xi1>, f64) outs(%{{.*}} : memref<?x?x8xf64>) maps [
// CHECK-SAME:      ] grouped score {
// CHECK:         } mask {
// CHECK-NEXT:    ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[SEES:.*]]: i1, %{{.*}}: f64):
// CHECK-NEXT:      tally.yield %[[SEES]] : i1
// CHECK-NEXT:    }{{$}}
func.func @all(%q: memref<?x6x4xf64>, %k: memref<?x2x4xf64>, %v: memref<2x?x8xf64>, %m: memref<1x?xi1>, %scale: f64, %r: memref<?x?x8xf64>) {
  tally.attention ins(%q, %k, %v : memref<?x6x4xf64>, memref<?x2x4xf64>, memref<2x?x8xf64>)
      elements(%m, %scale : memref<1x?xi1>, f64) outs(%r : memref<?x?x8xf64>)
      maps [affine_map<(h, i, j, e, c) -> (i, h, e)>, affine_map<(h, i, j, e, c) -> (j, h, e)>,
            affine_map<(h, i, j, e, c) -> (h, j, c)>, affine_map<(h, i, j, e, c) -> (0, j)>,
            affine_map<(h, i, j, e, c) -> ()>, affine_map<(h, i, j, e, c) -> (h, i, c)>] grouped
      score {
      ^bb0(%h: index, %i: index, %j: index, %p: f64, %sees: i1, %factor: f64):
        %s = arith.mulf %p, %factor : f64
        tally.yield %s : f64
      } mask {
      ^bb0(%h: index, %i: index, %j: index, %sees: i1, %factor: f64):
        tally.yield %sees : i1
      }
  return
}

// CHECK-LABEL: func.func @strict(
// CHECK:         ] strict score {
func.func @strict(%q: tensor<?x?x?xf16>, %e: tensor<?x?x?xf16>) -> tensor<?x?x?xf16> {
  %r = tally.attention ins(%q, %q, %q : tensor<?x?x?xf16>, tensor<?x?x?xf16>, tensor<?x?x?xf16>)
      outs(%e : tensor<?x?x?xf16>) maps [#q, #k, #v, #o] strict
      score {
      ^bb0(%b: index, %i: index, %j: index, %p: f32):
        tally.yield %p : f32
      } -> tensor<?x?x?xf16>
  return %r : tensor<?x?x?xf16>
}
