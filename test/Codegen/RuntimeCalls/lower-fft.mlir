// RUN: tally-opt %s --tally-lower-fft | FileCheck %s

// The kind, the type, the scaling and the length; addresses with the strides of
// numbers and parts; the batch.
// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr, %[[A:[a-z0-9]+]]: memref<?x?x2xf32>
// CHECK-DAG:     %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, ptr, i64, i64, ptr, i64, i64, i64, ptr)>
// CHECK-DAG:     %[[BATCH:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64)>
// CHECK:         memref.extract_strided_metadata %[[A]]
// CHECK:         call @tally_rt_host_fft(%[[CTX]], %[[ARGS]]) {tally.status}
func.func @forward(%ctx: !llvm.ptr, %a: memref<?x?x2xf32>, %b: memref<?x?x2xf32>) {
  tally.fft forward dim(1) scale(root) ins(%a : memref<?x?x2xf32>) outs(%b : memref<?x?x2xf32>)
  return
}

// Without a batch there are no words for it.
// CHECK-LABEL: func.func @real(
// CHECK:         llvm.mlir.zero : !llvm.ptr
// CHECK:         call @tally_rt_host_fft
func.func @real(%ctx: !llvm.ptr, %a: memref<?xf64>, %b: memref<?x2xf64>) {
  tally.fft real_to_complex dim(0) scale(none) ins(%a : memref<?xf64>) outs(%b : memref<?x2xf64>)
  return
}
