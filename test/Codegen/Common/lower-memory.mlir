// RUN: tally-opt %s --tally-lower-memory --canonicalize | FileCheck %s

// CHECK: func.func private @tally_rt_free(!llvm.ptr, !llvm.ptr)
// CHECK: func.func private @tally_rt_alloc(!llvm.ptr, i64, i64) -> (!llvm.ptr {llvm.noalias})

// Sizes are multiplied with a check; 0 wins over an overflow.
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr
// CHECK: %[[P:.*]] = "llvm.intr.umul.with.overflow"
// CHECK: llvm.extractvalue %[[P]][1]
// CHECK: "llvm.intr.umul.with.overflow"
// CHECK: %[[OVER:.*]] = llvm.or
// CHECK: %[[EMPTY:.*]] = llvm.or
// CHECK: %[[B:.*]] = llvm.select %[[OVER]]
// CHECK: %[[BYTES:.*]] = llvm.select %[[EMPTY]]
// CHECK: call @tally_rt_alloc(%[[CTX]], %[[BYTES]], %{{.*}})
func.func @dynamic(%ctx: !llvm.ptr, %n: index, %m: index) -> memref<?x?xf32> {
  %r = memref.alloc(%n, %m) {alignment = 128 : i64} : memref<?x?xf32>
  return %r : memref<?x?xf32>
}

// CHECK-LABEL: func.func @static
// CHECK-NOT: umul
// CHECK: %[[P:.*]] = call @tally_rt_alloc
// CHECK: call @tally_rt_free(%{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr) -> ()
func.func @static(%ctx: !llvm.ptr, %v: f32, %i: index) {
  %r = memref.alloc() : memref<4xf32>
  memref.store %v, %r[%i] : memref<4xf32>
  memref.dealloc %r : memref<4xf32>
  return
}
