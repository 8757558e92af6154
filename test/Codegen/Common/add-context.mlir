// RUN: tally-opt %s --tally-add-context | FileCheck %s

// CHECK: func.func private @sin(f32) -> f32
func.func private @sin(f32) -> f32

// CHECK: func.func private @helper(%[[CTX:.*]]: !llvm.ptr, %{{.*}}: memref<?xf32>)
func.func private @helper(%x: memref<?xf32>) {
  return
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr, %[[X:.*]]: memref<?xf32>, %[[P:.*]]: i1, %[[V:.*]]: f32) -> f32
// CHECK: call @helper(%[[CTX]], %[[X]]) : (!llvm.ptr, memref<?xf32>) -> ()
// CHECK: call @sin(%[[V]]) : (f32) -> f32
func.func @main(%x: memref<?xf32>, %p: i1, %v: f32) -> f32 {
  scf.if %p {
    func.call @helper(%x) : (memref<?xf32>) -> ()
  }
  %r = call @sin(%v) : (f32) -> f32
  return %r : f32
}
