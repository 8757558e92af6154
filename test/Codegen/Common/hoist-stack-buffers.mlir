// RUN: tally-opt %s --tally-hoist-stack-buffers | FileCheck %s

// Buffers of known sizes are allocated once for each call, in their order.
// CHECK-LABEL: func.func @rows(
// CHECK-NEXT: %[[A:.*]] = memref.alloca() {alignment = 64 : i64} : memref<4096xf32>
// CHECK-NEXT: %[[B:.*]] = memref.alloca() : memref<8xf64>
// CHECK: scf.for
// CHECK-NOT: memref.alloca
// CHECK: memref.store %{{.*}}, %[[A]]
// CHECK: memref.store %{{.*}}, %[[B]]
func.func @rows(%n: index, %v: f32, %w: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.alloca() {alignment = 64} : memref<4096xf32>
    memref.store %v, %a[%i] : memref<4096xf32>
    scf.for %j = %c0 to %n step %c1 {
      %b = memref.alloca() : memref<8xf64>
      memref.store %w, %b[%c0] : memref<8xf64>
    }
  }
  return
}

// A size that is not known may be computed in the loop.
// CHECK-LABEL: func.func @unknown(
// CHECK: scf.for
// CHECK: memref.alloca(%{{.*}}) : memref<?xf32>
func.func @unknown(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c1 to %n step %c1 {
    %a = memref.alloca(%i) : memref<?xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func private @outside()
func.func private @outside()
