// RUN: tally-test-opt %s --tally-merge-equal-results | FileCheck %s

// What comes out of a branch, or of a loop, of somebody else may be another result:
// upstream's interfaces tell.

// CHECK-LABEL: func.func @when(
// CHECK: %[[R:.*]] = test_hop.when
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[R]])
// CHECK: return %arg0, %[[OWN]]
func.func @when(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = test_hop.when %p : tensor<4xf32> {
    test_hop.yield %x : tensor<4xf32>
  } or {
    test_hop.yield %y : tensor<4xf32>
  }
  return %x, %r : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @count(
// CHECK: %[[R:.*]] = test_hop.count
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[R]])
// CHECK: return %arg0, %[[OWN]]
func.func @count(%x: tensor<4xf32>, %y: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = test_hop.count %c0 to %n step %c1 carries(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: index, %a: tensor<4xf32>):
    test_hop.yield %y : tensor<4xf32>
  }
  return %x, %r : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @other(
// CHECK-NOT: alloc_tensor
// CHECK: return
func.func @other(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>, %p: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = test_hop.when %p : tensor<4xf32> {
    test_hop.yield %z : tensor<4xf32>
  } or {
    test_hop.yield %y : tensor<4xf32>
  }
  return %x, %r : tensor<4xf32>, tensor<4xf32>
}
