// RUN: tally-opt %s --tally-lift-counters --canonicalize --split-input-file | FileCheck %s

// The place in the source is a number of elements of the mask before: a scan of what is
// added, over both loops.
// CHECK-LABEL: func.func @masked_scatter(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?xf32>, %[[MASK:.*]]: tensor<?x?xi1>, %[[SOURCE:.*]]: tensor<?xf32>
// CHECK:       %[[STEPS:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<?x?xi64>)
// CHECK:         %[[FLAG:.*]] = tensor.extract %[[MASK]]
// CHECK:         arith.select %[[FLAG]], %c1, %c0
// CHECK:       %[[ROW:.*]] = tensor.collapse_shape %[[STEPS]] {{\[\[}}0, 1]]
// CHECK:       %[[SCAN:.*]] = tally.prefix_scan ins(%[[ROW]] : tensor<?xi64>) {{.*}} dim 0 associative
// CHECK:         tally.accumulate
// CHECK:           arith.addi
// CHECK:       %[[SUMS:.*]] = tensor.expand_shape %[[SCAN]]
// CHECK:       scf.for %[[I:.*]] = %c0 to {{.*}} iter_args(%{{.*}} = %[[X]]) -> (tensor<?x?xf32>)
// CHECK-NEXT:    scf.for %[[J:.*]] = %c0 to {{.*}} -> (tensor<?x?xf32>)
// CHECK:           %[[SUM:.*]] = tensor.extract %[[SUMS]][%[[I]], %[[J]]]
// CHECK:           %[[INDEX:.*]] = arith.index_cast %[[SUM]]
// CHECK:           %[[BEFORE:.*]] = arith.subi %[[INDEX]], %{{.*}}
// CHECK:           tensor.extract %[[SOURCE]][%[[BEFORE]]]
func.func @masked_scatter(%x: tensor<?x?xf32>, %mask: tensor<?x?xi1>, %source: tensor<?xf32>, %m: index, %n: index)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %m step %c1 iter_args(%a = %x, %k = %c0) -> (tensor<?x?xf32>, index) {
    %s:2 = scf.for %j = %c0 to %n step %c1 iter_args(%b = %a, %l = %k) -> (tensor<?x?xf32>, index) {
      %flag = tensor.extract %mask[%i, %j] : tensor<?x?xi1>
      %old = tensor.extract %b[%i, %j] : tensor<?x?xf32>
      %new = scf.if %flag -> (f32) {
        %taken = tensor.extract %source[%l] : tensor<?xf32>
        scf.yield %taken : f32
      } else {
        scf.yield %old : f32
      }
      %step = arith.select %flag, %c1, %c0 : index
      %next = arith.addi %l, %step : index
      %c = tensor.insert %new into %b[%i, %j] : tensor<?x?xf32>
      scf.yield %c, %next : tensor<?x?xf32>, index
    }
    scf.yield %s#0, %s#1 : tensor<?x?xf32>, index
  }
  return %r#0 : tensor<?x?xf32>
}

// -----

// The number with what an iteration adds is used, and does not start with 0.
// CHECK-LABEL: func.func @numbered(
// CHECK:       %[[SUMS:.*]] = tally.prefix_scan
// CHECK:       scf.for %[[I:.*]] = %c0 to {{.*}} -> (tensor<?xi64>)
// CHECK:         %[[SUM:.*]] = tensor.extract %[[SUMS]][%[[I]]]
// CHECK:         %[[NUMBER:.*]] = arith.addi %[[SUM]], %c-1_i64
// CHECK:         tensor.insert %[[NUMBER]]
func.func @numbered(%steps: tensor<?xi64>, %x: tensor<?xi64>, %n: index) -> tensor<?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %none) -> (tensor<?xi64>, i64) {
    %step = tensor.extract %steps[%i] : tensor<?xi64>
    %next = arith.addi %k, %step : i64
    %b = tensor.insert %next into %a[%i] : tensor<?xi64>
    scf.yield %b, %next : tensor<?xi64>, i64
  }
  return %r#0 : tensor<?xi64>
}

// -----

// What is added depends on what is carried; each iteration adds the same; the number is a
// result.
// CHECK-NOT: tally.prefix_scan
func.func @others(%x: tensor<?xi64>, %n: index) -> (tensor<?xi64>, tensor<?xi64>, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %zero) -> (tensor<?xi64>, i64) {
    %step = tensor.extract %a[%i] : tensor<?xi64>
    %next = arith.addi %k, %step : i64
    %b = tensor.insert %k into %a[%i] : tensor<?xi64>
    scf.yield %b, %next : tensor<?xi64>, i64
  }
  %s:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %zero) -> (tensor<?xi64>, i64) {
    %next = arith.addi %k, %one : i64
    %b = tensor.insert %k into %a[%i] : tensor<?xi64>
    scf.yield %b, %next : tensor<?xi64>, i64
  }
  %t:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %k = %zero) -> (tensor<?xi64>, i64) {
    %step = tensor.extract %x[%i] : tensor<?xi64>
    %next = arith.addi %k, %step : i64
    %b = tensor.insert %k into %a[%i] : tensor<?xi64>
    scf.yield %b, %next : tensor<?xi64>, i64
  }
  return %r#0, %s#0, %t#1 : tensor<?xi64>, tensor<?xi64>, i64
}
