// Why loops are not divided among threads of a GPU; each operator is told once.
// RUN: tally-opt %s --tally-place-on-device --remarks-filter=tally-form-kernels -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=OneThread

// CHECK: remark: {{.*}}OneThread{{.*}}scf.for at place-on-device-remarks.mlir:[[@LINE+6]] runs on one thread of the GPU: it carries a value from element to element
func.func @carries(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  // The inner loop, which may come with others around it.
  scf.for %i = %c0 to %m step %c1 {
    %last = scf.for %j = %c0 to %n step %c1 iter_args(%before = %zero) -> (f32) {
      %a = memref.load %x[%i, %j] : memref<?x?xf32>
      %next = arith.divf %before, %a : f32
      memref.store %next, %y[%i, %j] : memref<?x?xf32>
      scf.yield %next : f32
    }
  }
  return
}

// CHECK: remark: {{.*}}OneThread{{.*}}scf.for at place-on-device-remarks.mlir:[[@LINE+4]] runs on one thread of the GPU: its iterations may read or write what others write
func.func @others(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %next = arith.addi %i, %c1 : index
    %a = memref.load %x[%i] : memref<?xf32>
    memref.store %a, %x[%next] : memref<?xf32>
  }
  return
}

// CHECK: remark: {{.*}}OneThread{{.*}}scf.while at place-on-device-remarks.mlir:[[@LINE+4]] runs on one thread of the GPU: how often it goes round depends on what it computes
func.func @searches(%x: memref<?xi64>, %y: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.while (%i = %c0) : (index) -> index {
    %a = memref.load %x[%i] : memref<?xi64>
    %zero = arith.constant 0 : i64
    %more = arith.cmpi ne, %a, %zero : i64
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %one = arith.constant 1 : i64
    memref.store %one, %y[%i] : memref<?xi64>
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// Single stores are no loop.
func.func @stores(%x: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  memref.store %one, %x[%c0] : memref<?xi64>
  return
}
