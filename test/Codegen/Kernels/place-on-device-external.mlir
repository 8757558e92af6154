// RUN: tally-test-opt %s --tally-place-on-device --split-input-file | FileCheck %s

// Operations that Tally knows nothing of are placed by what their interfaces
// tell: a branch and a pure operation by upstream's, what uses memory by Tally's.
// CHECK-LABEL: gpu.func @branch_thread
// CHECK: test_hop.roll
// CHECK: test_hop.when
// CHECK:   test_hop.increment
// CHECK:   test_hop.yield
// CHECK: test_hop.increment
// CHECK: gpu.return
// CHECK: func.func @branch(
// CHECK-NOT: test_hop
// CHECK: scf.for
// CHECK-NEXT: test_hop.launch
// CHECK: gpu.launch_func @kernels::@branch_thread
// CHECK-NOT: test_hop
func.func @branch(%x: memref<?xi64>, %go: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    test_hop.launch %x : memref<?xi64>
    scf.for %j = %c0 to %n step %c1 {
      %k = test_hop.roll : index
      %l = test_hop.when %go : index {
        test_hop.increment %x[%k] : memref<?xi64>
        test_hop.yield %k : index
      } or {
        test_hop.yield %j : index
      }
      test_hop.increment %x[%l] : memref<?xi64>
    }
  }
  return
}

// -----

// Between stores it shares their kernel.
// CHECK-LABEL: gpu.func @stores_thread
// CHECK: memref.store
// CHECK-NEXT: test_hop.increment
// CHECK-NEXT: memref.store
// CHECK-NEXT: gpu.return
// CHECK: func.func @stores(
// CHECK: gpu.launch_func
// CHECK-NOT: gpu.launch_func
func.func @stores(%x: memref<4xi64>, %v: i64, %i: index) {
  memref.store %v, %x[%i] : memref<4xi64>
  test_hop.increment %x[%i] : memref<4xi64>
  memref.store %v, %x[%i] : memref<4xi64>
  return
}
