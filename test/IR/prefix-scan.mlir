// RUN: tally-opt %s | tally-opt | FileCheck %s
// RUN: tally-opt %s --emit-bytecode | tally-opt | FileCheck %s
// RUN: tally-opt %s --tally-propagate-shapes | FileCheck %s --check-prefix=SHAPES

// On tensors and on memrefs; sizes agree.
// CHECK-LABEL: func.func @forms(
// CHECK:         %[[R:.*]]:2 = tally.prefix_scan ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}}, %{{.*}} : tensor<?x?xf32>, tensor<?x?xi64>) starts(%{{.*}}, %{{.*}} : f32, i64) dim 1 associative {
// CHECK-NEXT:    ^bb0(%[[I:.*]]: index, %[[A:.*]]: f32):
// CHECK-NEXT:      %[[P:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK-NEXT:      %[[S:.*]]:2 = tally.accumulate %[[A]], %[[P]] : f32, i64 {
// CHECK-NEXT:      ^bb0(%{{.*}}: f32, %{{.*}}: i64, %{{.*}}: f32, %{{.*}}: i64):
// CHECK:           }
// CHECK-NEXT:      tally.yield %[[S]]#0, %[[S]]#1 : f32, i64
// CHECK-NEXT:    } -> tensor<?x?xf32>, tensor<?x?xi64>
// CHECK:         tally.prefix_scan ins(%{{.*}}, %{{.*}} : memref<?xf32>, memref<?xf32>) outs(%{{.*}} : memref<?xf32>) starts(%{{.*}} : f64) dim 0 {
// SHAPES-LABEL: func.func @forms(
// SHAPES:        tally.check <s0 == s2> required_by("tally.prefix_scan")
// SHAPES:        tally.check <s1 == s3> required_by("tally.prefix_scan")
// SHAPES:        tally.check <s4 == s2> required_by("tally.prefix_scan")
func.func @forms(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>, %p: tensor<?x?xi64>, %a: memref<?xf32>, %b: memref<?xf32>, %low: f32, %zero: i64, %sum: f64) -> (tensor<?x?xf32>, tensor<?x?xi64>) {
  %r:2 = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%v, %p : tensor<?x?xf32>, tensor<?x?xi64>) starts(%low, %zero : f32, i64) dim 1 associative {
  ^bb0(%i: index, %e: f32):
    %place = arith.index_cast %i : index to i64
    %s:2 = tally.accumulate %e, %place : f32, i64 {
    ^bb0(%l: f32, %lp: i64, %n: f32, %np: i64):
      %takes = arith.cmpf oge, %n, %l : f32
      %m = arith.select %takes, %n, %l : f32
      %mp = arith.select %takes, %np, %lp : i64
      tally.yield %m, %mp : f32, i64
    }
    tally.yield %s#0, %s#1 : f32, i64
  } -> tensor<?x?xf32>, tensor<?x?xi64>
  // A linear recurrence: what was before decays.
  tally.prefix_scan ins(%a, %b : memref<?xf32>, memref<?xf32>) outs(%b : memref<?xf32>) starts(%sum : f64) dim 0 {
  ^bb0(%i: index, %e: f32, %f: f32):
    %product = arith.mulf %e, %f : f32
    %wide = arith.extf %product : f32 to f64
    %s = tally.accumulate %wide : f64 {
    ^bb0(%l: f64, %n: f64):
      %half = arith.constant 0.5 : f64
      %less = arith.mulf %l, %half : f64
      %s = arith.addf %less, %n : f64
      tally.yield %s : f64
    }
    %narrow = arith.truncf %s : f64 to f32
    tally.yield %narrow : f32
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}
