// RUN: tally-opt %s --tally-lift-loop-numbers --split-input-file | FileCheck %s

#map = affine_map<() -> ()>
#row = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// The counter starts with a number that is known; its end is read once. A kernel
// gets the number, the result is a tensor again.
// CHECK-LABEL: func.func @counts
// CHECK-SAME: %[[N:.*]]: tensor<i64>, %[[X:.*]]: tensor<?xi64>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK: %[[END:.*]] = tensor.extract %[[N]][]
// CHECK: %[[R:.*]]:2 = scf.while (%[[I:.*]] = %[[C0]], %[[A:.*]] = %[[X]]) : (i64, tensor<?xi64>) -> (i64, tensor<?xi64>)
// CHECK: %[[P:.*]] = arith.cmpi slt, %[[I]], %[[END]]
// CHECK: scf.condition(%[[P]]) %[[I]], %[[A]]
// CHECK: ^bb0(%[[J:.*]]: i64, %[[B:.*]]: tensor<?xi64>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[B]], %[[J]] : tensor<?xi64>, i64)
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]], %[[C1]]
// CHECK: scf.yield %[[NEXT]], %[[SUM]]
// CHECK: %[[LAST:.*]] = tensor.from_elements %[[R]]#0
// CHECK: return %[[LAST]], %[[R]]#1
func.func @counts(%n: tensor<i64>, %x: tensor<?xi64>) -> (tensor<i64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %e = tensor.empty() : tensor<i64>
  %zero = linalg.fill ins(%c0 : i64) outs(%e : tensor<i64>) -> tensor<i64>
  %r:2 = scf.while (%i = %zero, %a = %x) : (tensor<i64>, tensor<?xi64>) -> (tensor<i64>, tensor<?xi64>) {
    %f = tensor.empty() : tensor<i1>
    %less = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%i, %n : tensor<i64>, tensor<i64>) outs(%f : tensor<i1>) {
    ^bb0(%in: i64, %end: i64, %out: i1):
      %p = arith.cmpi slt, %in, %end : i64
      linalg.yield %p : i1
    } -> tensor<i1>
    %p = tensor.extract %less[] : tensor<i1>
    scf.condition(%p) %i, %a : tensor<i64>, tensor<?xi64>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<?xi64>):
    %next = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%i : tensor<i64>) outs(%e : tensor<i64>) {
    ^bb0(%in: i64, %out: i64):
      %s = arith.addi %in, %c1 : i64
      linalg.yield %s : i64
    } -> tensor<i64>
    %sum = linalg.generic {indexing_maps = [#row, #none, #row], iterator_types = ["parallel"]} ins(%a, %i : tensor<?xi64>, tensor<i64>) outs(%a : tensor<?xi64>) {
    ^bb0(%v: i64, %in: i64, %out: i64):
      %s = arith.addi %v, %in : i64
      linalg.yield %s : i64
    } -> tensor<?xi64>
    scf.yield %next, %sum : tensor<i64>, tensor<?xi64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<?xi64>
}

// -----

#map = affine_map<() -> ()>

// What ends the loop follows from two numbers, one of which becomes the other.
// CHECK-LABEL: func.func @two
// CHECK-SAME: %[[N:.*]]: tensor<i32>, %[[M:.*]]: tensor<i32>
// CHECK-DAG: %[[A:.*]] = tensor.extract %[[N]][]
// CHECK-DAG: %[[B:.*]] = tensor.extract %[[M]][]
// CHECK: scf.while (%{{.*}} = %[[A]], %{{.*}} = %[[B]]) : (i32, i32) -> (i32, i32)
func.func @two(%n: tensor<i32>, %m: tensor<i32>) -> tensor<i32> {
  %c9 = arith.constant 9 : i32
  %e = tensor.empty() : tensor<i32>
  %r:2 = scf.while (%a = %n, %b = %m) : (tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %v = tensor.extract %a[] : tensor<i32>
    %p = arith.cmpi slt, %v, %c9 : i32
    scf.condition(%p) %b, %a : tensor<i32>, tensor<i32>
  } do {
  ^bb0(%b: tensor<i32>, %a: tensor<i32>):
    %sum = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%a, %b : tensor<i32>, tensor<i32>) outs(%e : tensor<i32>) {
    ^bb0(%v: i32, %w: i32, %out: i32):
      %s = arith.addi %v, %w : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    scf.yield %b, %sum : tensor<i32>, tensor<i32>
  }
  return %r#0 : tensor<i32>
}

// -----

#map = affine_map<() -> ()>
#row = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// What ends the loop comes from an element of the device, or from a float: it
// stays there.
// CHECK-LABEL: func.func @data
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<i64>) -> tensor<i64>
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (tensor<f32>) -> tensor<f32>
func.func @data(%n: tensor<i64>, %x: tensor<?xi64>, %f: tensor<f32>) -> (tensor<i64>, tensor<f32>) {
  %c9 = arith.constant 9 : i64
  %c0 = arith.constant 0 : index
  %limit = arith.constant 9.0 : f32
  %r = scf.while (%a = %n) : (tensor<i64>) -> tensor<i64> {
    %v = tensor.extract %a[] : tensor<i64>
    %p = arith.cmpi slt, %v, %c9 : i64
    scf.condition(%p) %a : tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    %sum = linalg.generic {indexing_maps = [#row, #none], iterator_types = ["reduction"]} ins(%x : tensor<?xi64>) outs(%a : tensor<i64>) {
    ^bb0(%v: i64, %out: i64):
      %s = arith.addi %v, %out : i64
      linalg.yield %s : i64
    } -> tensor<i64>
    scf.yield %sum : tensor<i64>
  }
  %s = scf.while (%a = %f) : (tensor<f32>) -> tensor<f32> {
    %v = tensor.extract %a[] : tensor<f32>
    %p = arith.cmpf olt, %v, %limit : f32
    scf.condition(%p) %a : tensor<f32>
  } do {
  ^bb0(%a: tensor<f32>):
    scf.yield %a : tensor<f32>
  }
  return %r, %s : tensor<i64>, tensor<f32>
}
