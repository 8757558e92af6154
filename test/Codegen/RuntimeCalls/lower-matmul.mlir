// RUN: tally-opt %s --tally-lower-matmul --canonicalize --split-input-file | FileCheck %s

// Rows may lie apart; what is not at the start of its buffer is found there.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[A:[^:]*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, ptr, i32, i32, i32, i32, i32, i32)>
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
// CHECK: llvm.getelementptr {{.*}}[0, 14]
// CHECK-NEXT: llvm.store %[[TYPE]]
// CHECK: llvm.getelementptr {{.*}}[0, 15]
// CHECK-NEXT: llvm.store %[[ONE:.*]],
func.func @batches(%ctx: !llvm.ptr, %a: memref<2x3x5x6xbf16>, %b: memref<2x3x5x7xbf16>, %c: memref<2x3x6x7xbf16>) {
  tally.matmul ins(%a, %b : memref<2x3x5x6xbf16>, memref<2x3x5x7xbf16>) outs(%c : memref<2x3x6x7xbf16>)
      {fallback = @kernels::@matmul_bf16_tn, transpose_a}
  return
}

// -----

// A convolution: batch, groups, channels, then three of each size, of which
// those of dimensions that there are not are 1.
// CHECK-LABEL: func.func @convolution
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[W:[^:]*]]: memref<6x4x3x2xf16>
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i64
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[TYPE:.*]] = arith.constant 528 : i64
// CHECK: %[[ROOM:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, ptr, ptr, ptr, i64)>
// CHECK-DAG: %[[WINDOWS:.*]] = tally.kernel_address @kernels::@windows_f16 : !llvm.ptr
// CHECK-DAG: %[[PRODUCT:.*]] = tally.kernel_address @kernels::@matmul_f16_nn : !llvm.ptr
// CHECK: %[[GROUPS:.*]] = llvm.getelementptr {{.*}}[0, 1]
// CHECK-NEXT: llvm.store %[[ONE]], %[[GROUPS]]
// CHECK: llvm.getelementptr {{.*}}[0, 2]
// CHECK-NEXT: llvm.store %[[FOUR]]
// CHECK: llvm.getelementptr {{.*}}[0, 3]
// CHECK-NEXT: llvm.store %[[SIX]]
// CHECK: llvm.getelementptr {{.*}}[0, 7]
// CHECK-NEXT: llvm.store %[[ONE]]
// CHECK: llvm.getelementptr {{.*}}[0, 8]
// CHECK-NEXT: llvm.store %[[THREE]]
// CHECK: llvm.getelementptr {{.*}}[0, 9]
// CHECK-NEXT: llvm.store %[[TWO]]
// CHECK: llvm.getelementptr {{.*}}[0, 13]
// CHECK-NEXT: llvm.store %[[ONE]]
// CHECK: llvm.getelementptr {{.*}}[0, 14]
// CHECK-NEXT: llvm.store %[[TWO]]
// CHECK: llvm.getelementptr {{.*}}[0, 18]
// CHECK-NEXT: llvm.store %[[THREE]]
// CHECK: llvm.getelementptr {{.*}}[0, 19]
// CHECK-NEXT: llvm.store %[[ZERO]]
// CHECK: llvm.getelementptr {{.*}}[0, 20]
// CHECK-NEXT: llvm.store %[[TWO]]
// CHECK: llvm.getelementptr {{.*}}[0, 21]
// CHECK-NEXT: llvm.store %[[ZERO]]
// CHECK: llvm.getelementptr {{.*}}[0, 25]
// CHECK-NEXT: llvm.store %[[TYPE]]
// CHECK: call @tally_rt_convolution(%[[CTX]], %[[ROOM]], %[[WINDOWS]], %[[PRODUCT]]) {tally.status} : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
func.func @convolution(%ctx: !llvm.ptr, %w: memref<6x4x3x2xf16>, %x: memref<?x4x?x?xf16>, %r: memref<?x6x?x?xf16>) {
  tally.contract ins(%w, %x : memref<6x4x3x2xf16>, memref<?x4x?x?xf16>) outs(%r : memref<?x6x?x?xf16>)
      maps [affine_map<(n, o, y, x, c, i, j) -> (o, c, i, j)>,
            affine_map<(n, o, y, x, c, i, j) -> (n, c, y * 2 + i - 2, x + j * 3)>,
            affine_map<(n, o, y, x, c, i, j) -> (n, o, y, x)>]
      {tally.fallbacks = [@kernels::@windows_f16, @kernels::@matmul_f16_nn]}
  return
}

// -----

// The gradient by the weight: the result is an operand, and the weight is
// written.
// CHECK-LABEL: func.func @gradient
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[Y:[^:]*]]: memref<?x6x?xf32>, %[[X:[^:]*]]: memref<?x4x?xf32>, %[[W:[^:]*]]: memref<6x4x3xf32>
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i64
// CHECK: %[[KERNEL:.*]] = tally.kernel_address @kernels::@weight_gradient_f32 : !llvm.ptr
// CHECK: llvm.getelementptr {{.*}}[0, 2]
// CHECK-NEXT: llvm.store %[[FOUR]]
// CHECK: llvm.getelementptr {{.*}}[0, 3]
// CHECK-NEXT: llvm.store %[[SIX]]
// CHECK: llvm.getelementptr {{.*}}[0, 9]
// CHECK-NEXT: llvm.store %[[THREE]]
// CHECK: call @tally_rt_weight_gradient(%[[CTX]], %{{.*}}, %[[KERNEL]]) {tally.status} : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
func.func @gradient(%ctx: !llvm.ptr, %y: memref<?x6x?xf32>, %x: memref<?x4x?xf32>, %w: memref<6x4x3xf32>) {
  tally.contract ins(%y, %x : memref<?x6x?xf32>, memref<?x4x?xf32>) outs(%w : memref<6x4x3xf32>)
      maps [affine_map<(o, c, k, n, x) -> (n, o, x)>,
            affine_map<(o, c, k, n, x) -> (n, c, x + k)>,
            affine_map<(o, c, k, n, x) -> (o, c, k)>]
      {tally.fallbacks = [@kernels::@weight_gradient_f32]}
  return
}

// -----

// The gradient by the image, as a transposed convolution: the image is written.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[CTX:[^:]*]]: !llvm.ptr, %[[W:[^:]*]]: memref<6x4x3xf32>, %[[Y:[^:]*]]: memref<?x6x?xf32>, %[[X:[^:]*]]: memref<?x4x?xf32>
// CHECK-DAG: %[[SIX:.*]] = arith.constant 6 : i64
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : i64
// CHECK: %[[KERNEL:.*]] = tally.kernel_address @kernels::@image_gradient_f32 : !llvm.ptr
// CHECK: memref.dim %[[X]]
// CHECK: memref.dim %[[Y]]
// CHECK: llvm.getelementptr {{.*}}[0, 2]
// CHECK-NEXT: llvm.store %[[FOUR]]
// CHECK: llvm.getelementptr {{.*}}[0, 3]
// CHECK-NEXT: llvm.store %[[SIX]]
// CHECK: llvm.getelementptr {{.*}}[0, 9]
// CHECK-NEXT: llvm.store %[[THREE]]
// CHECK: call @tally_rt_image_gradient(%[[CTX]], %{{.*}}, %[[KERNEL]]) {tally.status} : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
func.func @transposed(%ctx: !llvm.ptr, %w: memref<6x4x3xf32>, %y: memref<?x6x?xf32>, %x: memref<?x4x?xf32>) {
  tally.contract ins(%w, %y : memref<6x4x3xf32>, memref<?x6x?xf32>) outs(%x : memref<?x4x?xf32>)
      maps [affine_map<(n, c, o, x, k) -> (o, c, k)>,
            affine_map<(n, c, o, x, k) -> (n, o, x)>,
            affine_map<(n, c, o, x, k) -> (n, c, x * 2 + k - 1)>]
      {tally.fallbacks = [@kernels::@image_gradient_f32]}
  return
}

// -----

// A bias is found in its buffer as matrices are.
// CHECK-LABEL: func.func @epilogue
// CHECK-SAME: %[[V:[^:]*]]: memref<?xf16, strided<[1], offset: ?>>
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[V]]
// CHECK: %[[O:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK: %[[BYTES:.*]] = arith.muli %[[O]], %{{.*}}
// CHECK: %[[ADDRESS:.*]] = arith.addi %{{.*}}, %[[BYTES]]
// CHECK: %[[P:.*]] = llvm.inttoptr %[[ADDRESS]]
// CHECK: %[[BIAS:.*]] = llvm.getelementptr {{.*}}[0, 13]
// CHECK-NEXT: llvm.store %[[P]], %[[BIAS]]
// CHECK: %[[RELU:.*]] = llvm.getelementptr {{.*}}[0, 18]
// CHECK-NEXT: llvm.store %c1_i32, %[[RELU]]
func.func @epilogue(%ctx: !llvm.ptr, %v: memref<?xf16, strided<[1], offset: ?>>, %a: memref<?x?xf16>, %c: memref<?x?xf16>) {
  tally.matmul ins(%a, %a : memref<?x?xf16>, memref<?x?xf16>) bias(%v : memref<?xf16, strided<[1], offset: ?>>)
      outs(%c : memref<?x?xf16>) {fallback = @kernels::@matmul_f16_nn_bias_relu, relu}
  return
}
