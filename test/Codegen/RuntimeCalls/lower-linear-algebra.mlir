// RUN: tally-opt %s --tally-lower-linear-algebra | FileCheck %s

// Three matrices of five words, the sizes of the batch and strides along it. A
// vector is one column.
// CHECK-LABEL: func.func @solve(
// CHECK-SAME:    %[[CTX:[a-z0-9]+]]: !llvm.ptr, %[[F:[a-z0-9]+]]: memref<?x?x?xf32>, %[[P:[a-z0-9]+]]: memref<?x?xi32>
// CHECK-DAG:     %[[ARGS:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, ptr, i64, ptr)>
// CHECK-DAG:     %[[BATCH:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64)>
// CHECK-DAG:     %[[MATRICES:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)>
// CHECK:         memref.extract_strided_metadata %[[F]]
// CHECK:         memref.extract_strided_metadata %[[P]]
// TALLY_RT_SOLVE_LU | TALLY_RT_TRANSPOSED
// CHECK:         arith.constant 17 : i64
// kDLFloat << 8 | 32
// CHECK:         arith.constant 544 : i64
// CHECK:         %[[STATUS:.*]] = call @tally_rt_host_linear_algebra(%[[CTX]], %[[ARGS]]) {tally.status}
func.func @solve(%ctx: !llvm.ptr, %f: memref<?x?x?xf32>, %p: memref<?x?xi32>, %b: memref<?x?x?xf32>, %x: memref<?x?x?xf32>) {
  tally.linear_algebra solve_lu ins(%f, %p, %b : memref<?x?x?xf32>, memref<?x?xi32>, memref<?x?x?xf32>) outs(%x : memref<?x?x?xf32>) {transposed}
  return
}

// Without a batch there are no words for it.
// CHECK-LABEL: func.func @cholesky(
// CHECK:         llvm.mlir.zero : !llvm.ptr
// CHECK:         call @tally_rt_host_linear_algebra
func.func @cholesky(%ctx: !llvm.ptr, %a: memref<?x?xf64>, %l: memref<?x?xf64>, %i: memref<i32>) {
  tally.linear_algebra cholesky ins(%a : memref<?x?xf64>) outs(%l, %i : memref<?x?xf64>, memref<i32>)
  return
}

// A transposed matrix is one whose columns are rows: the flag is that of equations.
// CHECK-LABEL: func.func @factor(
// CHECK-SAME:    %{{[a-z0-9]+}}: !llvm.ptr, %[[A:[a-z0-9]+]]: memref<4x7xf64>
// CHECK:         memref.extract_strided_metadata %[[A]]
// CHECK:         llvm.ptrtoint
// CHECK:         arith.constant 7 : index
// CHECK:         arith.constant 4 : index
// CHECK:         memref.extract_strided_metadata
// TALLY_RT_LU, and kDLFloat << 8 | 64
// CHECK:         arith.constant 0 : i64
// CHECK-NEXT:    arith.constant 576 : i64
// CHECK:         call @tally_rt_host_linear_algebra
func.func @factor(%ctx: !llvm.ptr, %a: memref<4x7xf64>, %f: memref<7x4xf64>, %p: memref<4xi32>, %i: memref<i32>) {
  tally.linear_algebra lu ins(%a : memref<4x7xf64>) outs(%f, %p, %i : memref<7x4xf64>, memref<4xi32>, memref<i32>) {transposed}
  return
}
