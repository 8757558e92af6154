// RUN: tally-opt %s --tally-lower-scans | FileCheck %s
// RUN: tally-opt %s --tally-lower-scans=failing-only | FileCheck %s --check-prefix=FAILING

// A loop for each other dimension, and inside of them one that carries the accumulators.
// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[X:.*]]: tensor<2x?x3xf32>, %[[E:.*]]: tensor<2x?x3xf32>, %[[P:.*]]: tensor<2x?x3xi64>, %[[LOW:.*]]: f32, %[[ZERO:.*]]: i64)
// CHECK:         %[[N:.*]] = tensor.dim %[[E]], %c1{{.*}}
// CHECK:         %[[R:.*]]:2 = scf.for %[[I:.*]] = %c0 to %c2 step %c1 iter_args(%[[E1:.*]] = %[[E]], %[[P1:.*]] = %[[P]])
// CHECK-NEXT:      %[[S:.*]]:2 = scf.for %[[K:.*]] = %c0 to %c3 step %c1 iter_args(%[[E2:.*]] = %[[E1]], %[[P2:.*]] = %[[P1]])
// CHECK-NEXT:        %[[T:.*]]:4 = scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 iter_args(%[[E3:.*]] = %[[E2]], %[[P3:.*]] = %[[P2]], %[[L:.*]] = %[[LOW]], %[[LP:.*]] = %[[ZERO]])
// CHECK-NEXT:          %[[A:.*]] = tensor.extract %[[X]][%[[I]], %[[J]], %[[K]]]
// CHECK-NEXT:          %[[PLACE:.*]] = arith.index_cast %[[J]]
// CHECK-NEXT:          %[[TAKES:.*]] = arith.cmpf oge, %[[A]], %[[L]]
// CHECK-NEXT:          %[[M:.*]] = arith.select %[[TAKES]], %[[A]], %[[L]]
// CHECK-NEXT:          %[[MP:.*]] = arith.select %[[TAKES]], %[[PLACE]], %[[LP]]
// CHECK-NEXT:          %[[E4:.*]] = tensor.insert %[[M]] into %[[E3]][%[[I]], %[[J]], %[[K]]]
// CHECK-NEXT:          %[[P4:.*]] = tensor.insert %[[MP]] into %[[P3]][%[[I]], %[[J]], %[[K]]]
// CHECK-NEXT:          scf.yield %[[E4]], %[[P4]], %[[M]], %[[MP]]
// CHECK:             scf.yield %[[T]]#0, %[[T]]#1
// CHECK:           scf.yield %[[S]]#0, %[[S]]#1
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @columns(%x: tensor<2x?x3xf32>, %e: tensor<2x?x3xf32>, %p: tensor<2x?x3xi64>, %low: f32, %zero: i64) -> (tensor<2x?x3xf32>, tensor<2x?x3xi64>) {
  %r:2 = tally.prefix_scan ins(%x : tensor<2x?x3xf32>) outs(%e, %p : tensor<2x?x3xf32>, tensor<2x?x3xi64>) starts(%low, %zero : f32, i64) dim 1 associative {
  ^bb0(%i: index, %a: f32):
    %place = arith.index_cast %i : index to i64
    %m, %mp = tally.accumulate %a, %place : f32, i64 {
    ^bb0(%l: f32, %lp: i64, %n: f32, %np: i64):
      %takes = arith.cmpf oge, %n, %l : f32
      %m = arith.select %takes, %n, %l : f32
      %mp = arith.select %takes, %np, %lp : i64
      tally.yield %m, %mp : f32, i64
    }
    tally.yield %m, %mp : f32, i64
  } -> tensor<2x?x3xf32>, tensor<2x?x3xi64>
  return %r#0, %r#1 : tensor<2x?x3xf32>, tensor<2x?x3xi64>
}

// What is on memrefs is left; a vector has no other dimensions.
// CHECK-LABEL: func.func @vectors(
// CHECK:         tally.prefix_scan
// CHECK-SAME:      memref<?xi64>
// CHECK:         %[[R:.*]]:2 = scf.for
// CHECK-NOT:     scf.for
// CHECK:         return %[[R]]#0
func.func @vectors(%x: tensor<?xi64>, %e: tensor<?xi64>, %y: memref<?xi64>, %f: memref<?xi64>) -> tensor<?xi64> {
  %zero = arith.constant 0 : i64
  tally.prefix_scan ins(%y : memref<?xi64>) outs(%f : memref<?xi64>) starts(%zero : i64) dim 0 associative {
  ^bb0(%i: index, %a: i64):
    %s = tally.accumulate %a : i64 {
    ^bb0(%l: i64, %n: i64):
      %s = arith.addi %l, %n : i64
      tally.yield %s : i64
    }
    tally.yield %s : i64
  }
  %r = tally.prefix_scan ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) starts(%zero : i64) dim 0 associative {
  ^bb0(%i: index, %a: i64):
    %s = tally.accumulate %a : i64 {
    ^bb0(%l: i64, %n: i64):
      %s = arith.addi %l, %n : i64
      tally.yield %s : i64
    }
    tally.yield %s : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}

// A division may fail a check: its elements are taken in the order of the program everywhere.
// FAILING-LABEL: func.func @columns(
// FAILING-NOT:     scf.for
// FAILING-LABEL: func.func @vectors(
// FAILING-NOT:     scf.for
// FAILING-LABEL: func.func @quotients(
// FAILING:         scf.for
// FAILING-NOT:     tally.prefix_scan
func.func @quotients(%x: tensor<?xi64>, %e: tensor<?xi64>, %start: i64) -> tensor<?xi64> {
  %r = tally.prefix_scan ins(%x : tensor<?xi64>) outs(%e : tensor<?xi64>) starts(%start : i64) dim 0 {
  ^bb0(%i: index, %a: i64):
    %value = tally.accumulate %a : i64 {
    ^bb0(%l: i64, %n: i64):
      %q = arith.divsi %l, %n : i64
      tally.yield %q : i64
    }
    tally.yield %value : i64
  } -> tensor<?xi64>
  return %r : tensor<?xi64>
}
