// RUN: tally-opt %s --tally-add-matmul-fallbacks --split-input-file | FileCheck %s
// No assert is made in it: the runtime passes no room for errors.
// RUN: tally-opt %s --tally-add-matmul-fallbacks --tally-harden-arith --split-input-file | FileCheck %s --check-prefix=HARD
// HARD-NOT: tally.assert

// Products of one kind share a kernel. A size of 0 has no element, so no thread
// divides by it.
// CHECK-LABEL: gpu.module @kernels
// CHECK: gpu.func @matmul_f32_nt(%[[A:.*]]: memref<1xf32>, %[[B:.*]]: memref<1xf32>, %[[C:.*]]: memref<1xf32>, %[[BATCH:.*]]: index, %[[M:.*]]: index, %[[N:.*]]: index, %[[K:.*]]: index, %[[LDA:.*]]: index, %[[LDB:.*]]: index, %[[LDC:.*]]: index, %[[SA:.*]]: index, %[[SB:.*]]: index, %[[SC:.*]]: index) kernel
// CHECK: %[[AS:.*]] = memref.reinterpret_cast %[[A]] to offset: [0], sizes: [%[[BATCH]], %[[M]], %[[K]]], strides: [%[[SA]], %[[LDA]], 1]
// CHECK: %[[BS:.*]] = memref.reinterpret_cast %[[B]] to offset: [0], sizes: [%[[BATCH]], %[[N]], %[[K]]], strides: [%[[SB]], %[[LDB]], 1]
// CHECK: %[[CS:.*]] = memref.reinterpret_cast %[[C]] to offset: [0], sizes: [%[[BATCH]], %[[M]], %[[N]]], strides: [%[[SC]], %[[LDC]], 1]
// CHECK: gpu.grid_dim
// CHECK: arith.maxsi
// CHECK: scf.for
// CHECK:   %[[BI:.*]] = arith.divui
// CHECK:   %[[INSIDE:.*]] = arith.remui
// CHECK:   %[[ROW:.*]] = arith.divui %[[INSIDE]]
// CHECK:   %[[COLUMN:.*]] = arith.remui %[[INSIDE]]
// Sums of 64 products each are summed up.
// CHECK:   %[[SUM:.*]] = scf.for %[[FIRST:.*]] = %{{.*}} to %[[K]] step %{{.*}} iter_args(%[[SO_FAR:.*]] = %{{.*}}) -> (f32)
// CHECK:     %[[END:.*]] = arith.addi %[[FIRST]], %{{c64.*}} : index
// CHECK:     %[[LAST:.*]] = arith.minsi %[[END]], %[[K]] : index
// CHECK:     %[[PART:.*]] = scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK:       memref.load %[[AS]][%[[BI]], %[[ROW]], %[[I]]]
// CHECK:       memref.load %[[BS]][%[[BI]], %[[COLUMN]], %[[I]]]
// CHECK:     arith.addf %[[SO_FAR]], %[[PART]] : f32
// CHECK:   memref.store %[[SUM]], %[[CS]][%[[BI]], %[[ROW]], %[[COLUMN]]]
// CHECK-NOT: gpu.func
// CHECK: func.func @single
// CHECK-COUNT-2: tally.matmul {{.*}} {fallback = @kernels::@matmul_f32_nt, transpose_b}
func.func @single(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {transpose_b}
  tally.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>) {transpose_b}
  return
}

// -----

// Halves are summed in single precision.
// CHECK: gpu.func @matmul_bf16_tn
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: arith.extf
// CHECK: arith.extf
// CHECK: arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf {{.*}} : f32 to bf16
func.func @half(%a: memref<3x4x5xbf16>, %b: memref<3x4x6xbf16>, %c: memref<3x5x6xbf16>) {
  tally.matmul ins(%a, %b : memref<3x4x5xbf16>, memref<3x4x6xbf16>) outs(%c : memref<3x5x6xbf16>) {transpose_a}
  return
}

// -----

// CHECK: gpu.func @matmul_f64_nn
// CHECK: arith.addf %{{.*}}, %{{.*}} : f64
func.func @double(%a: memref<4x4xf64>) {
  tally.matmul ins(%a, %a : memref<4x4xf64>, memref<4x4xf64>) outs(%a : memref<4x4xf64>)
  return
}
