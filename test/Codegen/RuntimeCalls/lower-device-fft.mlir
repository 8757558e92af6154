// RUN: tally-opt %s --tally-lower-device-fft | FileCheck %s

// The kind, the type, the length, the number of lines; addresses.
// CHECK-LABEL: func.func @lines(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr
// CHECK:         %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, ptr, ptr)>
// CHECK:         %[[BATCH:.*]] = arith.muli
// CHECK:         arith.muli %[[BATCH]]
// CHECK:         call @tally_rt_fft(%[[CTX]], %[[ARGS]]) {tally.status}
func.func @lines(%ctx: !llvm.ptr, %a: memref<?x?x?xf32>, %b: memref<?x?x?x2xf32>) {
  tally.fft real_to_complex dim(2) scale(none) ins(%a : memref<?x?x?xf32>) outs(%b : memref<?x?x?x2xf32>)
  return
}
