// RUN: tally-opt %s --tally-split-columns --canonicalize --cse --split-input-file | FileCheck %s

// Parts of 128 wide rows in tiles of 2048 columns; they are joined in f64, and what a column has in each row of a group in the
// end, with the rows that no group has.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG:     %[[COLUMNS:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG:     %[[SHORT:.*]] = arith.cmpi sle, %[[COLUMNS]], %c32
// CHECK-DAG:     %[[SOME:.*]] = arith.cmpi sgt, %[[ROWS]], %c128
// CHECK:         %[[THIN:.*]] = arith.andi %[[SHORT]], %[[SOME]]
// CHECK:         %[[MANY:.*]] = arith.cmpi sgt, %[[ROWS]], %c256
// CHECK:         %[[CHOICE:.*]] = arith.ori %[[THIN]], %[[MANY]]
// CHECK:         scf.if %[[CHOICE]] {
// CHECK:           %[[FIT:.*]] = arith.divui %c64
// CHECK:           %[[GROUP:.*]] = arith.maxsi %[[FIT]], %c1
// CHECK:           %[[WIDE:.*]] = arith.divui %[[ROWS]], %[[GROUP]]
// CHECK:           %[[WIDTH:.*]] = arith.muli %[[COLUMNS]], %[[GROUP]]
// CHECK:           %[[FLAT:.*]] = memref.reinterpret_cast %[[X]] to offset: [0]
// CHECK:           %[[REPEATED:.*]] = memref.alloc(%[[WIDTH]]) : memref<?xf32>
// CHECK:           %[[PARTIAL:.*]] = memref.alloc({{.*}}) : memref<?xf32>
// CHECK:           scf.parallel (%{{.*}}) = (%c0) to
// CHECK:             memref.store %cst{{.*}}, %[[PARTIAL]]
// CHECK:             scf.for {{.*}} step %c4 {
// CHECK:               scf.for %[[J:[a-z0-9]*]] = {{.*}} step %c1 {
// CHECK:                 memref.load %[[PARTIAL]]
// CHECK-COUNT-4:         arith.addf {{.*}} : f32
// CHECK:                 memref.store {{.*}}, %[[PARTIAL]]
// CHECK:             scf.for {{.*}} step %c1 {
// CHECK:           %[[SUMS:.*]] = memref.alloc({{.*}}) : memref<?xf64>
// CHECK:           scf.parallel
// CHECK:             arith.extf {{.*}} : f32 to f64
// CHECK:             arith.addf {{.*}} : f64
// CHECK:           scf.parallel
// CHECK:             scf.for {{.*}} = %c0 to %[[GROUP]] step %c1 iter_args({{.*}}) -> (f64) {
// CHECK:             scf.for {{.*}} to %[[ROWS]] step %c1 iter_args({{.*}}) -> (f64) {
// CHECK:             arith.truncf {{.*}} : f64 to f32
// CHECK:           memref.dealloc %[[SUMS]]
// CHECK:           memref.dealloc %[[PARTIAL]]
// CHECK:           memref.dealloc %[[REPEATED]]
// CHECK:         } else {
// CHECK:           linalg.generic
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @sum(%x: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #j, #j], iterator_types = ["reduction", "parallel"]} ins(%x, %w : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %p = arith.mulf %v, %u : f32
    %t = arith.addf %sum, %p : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Extrema of many long rows are taken in parts as well, for threads; one row at a time.
// CHECK-LABEL: func.func @largest(
// CHECK:         %[[MANY:.*]] = arith.cmpi sgt, %{{.*}}, %c256
// CHECK:         scf.if %[[MANY]] {
// CHECK:           scf.parallel
// CHECK:               scf.for %{{.*}} step %c1 {
// CHECK:                 %[[MOST:.*]] = arith.maximumf
// CHECK-NEXT:            memref.store %[[MOST]]
// CHECK:             scf.reduce
// CHECK:         } else {
// CHECK-NEXT:      linalg.generic
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @largest(%x: memref<?x512xf32>, %y: memref<512xf32>) {
  linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x512xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%v: f32, %most: f32):
    %t = arith.maximumf %most, %v : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Neither do few rows.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     scf.if
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @few(%x: memref<128x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]} ins(%x : memref<128x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// Rows that have gaps stay as they are.
// CHECK-LABEL: func.func @gaps(
// CHECK-NOT:     scf.if
#ij = affine_map<(i, j) -> (i, j)>
#j = affine_map<(i, j) -> (j)>
func.func @gaps(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #j], iterator_types = ["reduction", "parallel"]} ins(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// A batch around the rows, of integers.
// CHECK-LABEL: func.func @batch(
// CHECK:         scf.if
// CHECK:           memref.alloc({{.*}}) : memref<?xi64>
// CHECK:           scf.parallel
// CHECK-NOT:       f64
#abc = affine_map<(a, b, c) -> (a, b, c)>
#ac = affine_map<(a, b, c) -> (a, c)>
func.func @batch(%x: memref<?x?x3xi64>, %y: memref<?x3xi64>) {
  linalg.generic {indexing_maps = [#abc, #ac], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : memref<?x?x3xi64>) outs(%y : memref<?x3xi64>) {
  ^bb0(%v: i64, %sum: i64):
    %t = arith.addi %sum, %v : i64
    linalg.yield %t : i64
  }
  return
}
