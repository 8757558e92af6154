// RUN: tally-opt %s --tally-lower-matmul --canonicalize --split-input-file | FileCheck %s

// Rows may lie apart; what is not at the start of its buffer is found there.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[A:[^:]*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i32, i32, i32, i32)>
// CHECK: scf.for
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[A]]
// CHECK: %[[LDA:.*]] = arith.index_cast %[[STRIDES]]#0 : index to i64
// CHECK: %[[O:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[O]], %{{.*}}
// CHECK: %[[ADDRESS:.*]] = arith.addi %{{.*}}, %[[BYTES]]
// CHECK: %[[P:.*]] = llvm.inttoptr %[[ADDRESS]]
// CHECK: %[[F4:.*]] = llvm.getelementptr {{.*}}%[[ROOM]][0, 4]
// CHECK-NEXT: llvm.store %[[P]], %[[F4]]
// CHECK: %[[KERNEL:.*]] = tally.kernel_address @kernels::@matmul_f32_nn : !llvm.ptr
// CHECK: call @tally_rt_matmul(%[[CTX]], %[[ROOM]], %[[KERNEL]]) {tally.status} : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
func.func @rows(%ctx: !llvm.ptr, %a: memref<?x?xf32, strided<[?, 1], offset: ?>>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    tally.matmul ins(%a, %b : memref<?x?xf32, strided<[?, 1], offset: ?>>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
        {fallback = @kernels::@matmul_f32_nn}
  }
  return
}

// -----

// Dimensions that count matrices are one; a transposed operand has its sizes
// the other way round: m = 6, n = 7, k = 5.
// CHECK-LABEL: func.func @batches
// CHECK-DAG: %[[BATCH:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[N:.*]] = arith.constant 7 : i64
// CHECK-DAG: %[[K:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[STRIDE_A:.*]] = arith.constant 30 : i64
// CHECK-DAG: %[[TYPE:.*]] = arith.constant 1040 : i32
// CHECK: llvm.getelementptr {{.*}}[0, 0]
// CHECK-NEXT: llvm.store %[[BATCH]]
// CHECK: llvm.getelementptr {{.*}}[0, 1]
// CHECK-NEXT: llvm.store %[[BATCH]]
// CHECK: llvm.getelementptr {{.*}}[0, 2]
// CHECK-NEXT: llvm.store %[[N]]
// CHECK: llvm.getelementptr {{.*}}[0, 3]
// CHECK-NEXT: llvm.store %[[K]]
// CHECK: llvm.getelementptr {{.*}}[0, 7]
// CHECK-NEXT: llvm.store %[[BATCH]]
// CHECK: llvm.getelementptr {{.*}}[0, 10]
// CHECK-NEXT: llvm.store %[[STRIDE_A]]
// CHECK: llvm.getelementptr {{.*}}[0, 13]
// CHECK-NEXT: llvm.store %[[TYPE]]
// CHECK: llvm.getelementptr {{.*}}[0, 14]
// CHECK-NEXT: llvm.store %[[ONE:.*]],
func.func @batches(%ctx: !llvm.ptr, %a: memref<2x3x5x6xbf16>, %b: memref<2x3x5x7xbf16>, %c: memref<2x3x6x7xbf16>) {
  tally.matmul ins(%a, %b : memref<2x3x5x6xbf16>, memref<2x3x5x7xbf16>) outs(%c : memref<2x3x6x7xbf16>)
      {fallback = @kernels::@matmul_bf16_tn, transpose_a}
  return
}
