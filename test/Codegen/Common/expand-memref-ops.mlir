// RUN: tally-opt %s --tally-expand-memref-ops | FileCheck %s --check-prefixes=CHECK,KEEP
// RUN: tally-opt %s --tally-expand-memref-ops=booleans | FileCheck %s --check-prefixes=CHECK,BOOL

// expand-strided-metadata of MLIR 22.1 crashes on this one.
// CHECK-LABEL: func.func @two_dynamic_sizes
// CHECK-SAME: %[[M:.*]]: memref<?xf32>, %[[A:.*]]: index, %[[B:.*]]: index
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}, %{{.*}} = memref.extract_strided_metadata %[[M]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[A]], %[[B]]], strides: [%[[B]], 1]
func.func @two_dynamic_sizes(%m: memref<?xf32>, %a: index, %b: index) -> memref<?x?xf32> {
  %e = memref.expand_shape %m [[0, 1]] output_shape [%a, %b] : memref<?xf32> into memref<?x?xf32>
  return %e : memref<?x?xf32>
}

// CHECK-LABEL: func.func @strided
// CHECK: %[[S:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%{{.*}}], sizes: [%{{.*}}, 4, %{{.*}}]
// CHECK-NOT: memref.expand_shape
func.func @strided(%m: memref<?x?xf32, strided<[?, ?], offset: ?>>, %a: index, %b: index) -> memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>> {
  %e = memref.expand_shape %m [[0, 1], [2]] output_shape [%a, 4, %b] : memref<?x?xf32, strided<[?, ?], offset: ?>> into memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>
  return %e : memref<?x4x?xf32, strided<[?, ?, ?], offset: ?>>
}

// CHECK-LABEL: func.func @copies
// CHECK: linalg.generic
// CHECK-SAME: ins(%arg0 : memref<?xf32, strided<[?]>>) outs(%arg1 : memref<?xf32>)
// CHECK: memref.copy %arg1, %arg2
func.func @copies(%a: memref<?xf32, strided<[?]>>, %b: memref<?xf32>, %c: memref<?xf32>) {
  memref.copy %a, %b : memref<?xf32, strided<[?]>> to memref<?xf32>
  memref.copy %b, %c : memref<?xf32> to memref<?xf32>
  return
}

// A caller may pass any byte as true.
// CHECK-LABEL: func.func @booleans
// KEEP: memref.copy %arg0, %arg1
// BOOL: linalg.generic
// BOOL-SAME: ins(%arg0 : memref<?x3xi1>) outs(%arg1 : memref<?x3xi1>)
// CHECK: memref.copy %arg2, %arg3
func.func @booleans(%a: memref<?x3xi1>, %b: memref<?x3xi1>, %c: memref<?x3xi8>, %d: memref<?x3xi8>) {
  memref.copy %a, %b : memref<?x3xi1> to memref<?x3xi1>
  memref.copy %c, %d : memref<?x3xi8> to memref<?x3xi8>
  return
}
