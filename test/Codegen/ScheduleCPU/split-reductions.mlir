// RUN: tally-opt %s --tally-split-reductions --canonicalize --cse | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
#scalar = affine_map<() -> ()>

// Parts of 4096 elements of all dimensions; what the result holds is the start of
// the loop that joins them.
// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[S:.*]]: f32, %[[Y:.*]]: memref<f32>)
// CHECK:         %[[TOTAL:.*]] = arith.muli
// CHECK:         %[[ROW:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [%[[TOTAL]]], strides: [1]
// CHECK:         %[[PARTS:.*]] = arith.ceildivsi %[[TOTAL]], %c4096
// CHECK:         %[[SUMS:.*]] = memref.alloc(%[[PARTS]]) : memref<?xf32>
// CHECK:         scf.parallel (%[[P:.*]]) = (%c0) to (%[[PARTS]]) step (%c1) {
// CHECK:           %[[BEGIN:.*]] = arith.muli %[[P]], %c4096
// CHECK:           %[[END:.*]] = arith.minsi %{{.*}}, %[[TOTAL]]
// CHECK:           %[[SUM:.*]] = scf.for %[[I:.*]] = %[[BEGIN]] to %[[END]] step %c1 iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK:             %[[V:.*]] = memref.load %[[ROW]][%[[I]]]
// CHECK:             %[[SCALED:.*]] = arith.mulf %[[V]], %[[S]]
// CHECK:             arith.addf %[[SCALED]], %[[A]]
// CHECK:           memref.store %[[SUM]], %[[SUMS]][%[[P]]]
// CHECK:         %[[START:.*]] = memref.load %[[Y]][]
// CHECK:         %[[ALL:.*]] = scf.for %[[Q:.*]] = %c0 to %[[PARTS]] step %c1 iter_args(%[[B:.*]] = %[[START]])
// CHECK:           %[[PART:.*]] = memref.load %[[SUMS]][%[[Q]]]
// CHECK:           arith.addf %[[PART]], %[[B]]
// CHECK:         memref.store %[[ALL]], %[[Y]][]
// CHECK:         memref.dealloc %[[SUMS]]
func.func @sum(%x: memref<?x?xf32>, %s: f32, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#ij, #none, #none], iterator_types = ["reduction", "reduction"]} ins(%x, %s : memref<?x?xf32>, f32) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %t: f32, %sum: f32):
    %p = arith.mulf %v, %t : f32
    %r = arith.addf %p, %sum : f32
    linalg.yield %r : f32
  }
  return
}

// A sum of f64 of what is f32, and is so again in the end: blocks of 512 in f32.
// CHECK-LABEL: func.func @wide(
// CHECK:         scf.parallel
// CHECK:           scf.for %[[I:.*]] = %{{.*}} to %[[END:.*]] step %c512 iter_args(%[[A:.*]] = %{{.*}}) -> (f64) {
// CHECK:             %[[NEXT:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK:             %[[BLOCK:.*]] = scf.for %{{.*}} = %[[I]] to %[[NEXT]] step %c1 iter_args({{.*}}) -> (f32) {
// CHECK:               arith.addf %{{.*}} fastmath<reassoc> : f32
// CHECK:             %[[WIDE:.*]] = arith.extf %[[BLOCK]] : f32 to f64
// CHECK:             arith.addf %[[A]], %[[WIDE]] : f64
func.func @wide(%x: memref<?x?xf32>, %n: f64, %y: memref<f32>) -> f32 {
  %zero = arith.constant 0.0 : f64
  %wide = memref.alloc() : memref<f64>
  linalg.fill ins(%zero : f64) outs(%wide : memref<f64>)
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xf32>) outs(%wide : memref<f64>) {
  ^bb0(%v: f32, %sum: f64):
    %w = arith.extf %v : f32 to f64
    %r = arith.addf %sum, %w fastmath<reassoc> : f64
    linalg.yield %r : f64
  }
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%wide : memref<f64>) outs(%y : memref<f32>) {
  ^bb0(%v: f64, %out: f32):
    %mean = arith.divf %v, %n : f64
    %r = arith.truncf %mean : f64 to f32
    linalg.yield %r : f32
  }
  %sum = memref.load %wide[] : memref<f64>
  %rounded = arith.truncf %sum : f64 to f32
  memref.dealloc %wide : memref<f64>
  return %rounded : f32
}

// A sum of f64 all of whose bits may be read is summed up in f64: what is
// returned, what lies in the memory of another, and what something is
// subtracted from.
// CHECK-LABEL: func.func @returned(
// CHECK-NOT:     -> (f32)
// CHECK:         return
func.func @returned(%x: memref<?x?xf32>) -> memref<f64> {
  %zero = arith.constant 0.0 : f64
  %wide = memref.alloc() : memref<f64>
  linalg.fill ins(%zero : f64) outs(%wide : memref<f64>)
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xf32>) outs(%wide : memref<f64>) {
  ^bb0(%v: f32, %sum: f64):
    %w = arith.extf %v : f32 to f64
    %r = arith.addf %sum, %w fastmath<reassoc> : f64
    linalg.yield %r : f64
  }
  return %wide : memref<f64>
}

// CHECK-LABEL: func.func @given(
// CHECK-NOT:     -> (f32)
// CHECK:         return
func.func @given(%x: memref<?x?xf32>, %wide: memref<f64>) {
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xf32>) outs(%wide : memref<f64>) {
  ^bb0(%v: f32, %sum: f64):
    %w = arith.extf %v : f32 to f64
    %r = arith.addf %sum, %w fastmath<reassoc> : f64
    linalg.yield %r : f64
  }
  return
}

// CHECK-LABEL: func.func @subtracted(
// CHECK-NOT:     -> (f32)
// CHECK:         return
func.func @subtracted(%x: memref<?x?xf32>, %other: f64) -> f32 {
  %zero = arith.constant 0.0 : f64
  %wide = memref.alloc() : memref<f64>
  linalg.fill ins(%zero : f64) outs(%wide : memref<f64>)
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xf32>) outs(%wide : memref<f64>) {
  ^bb0(%v: f32, %sum: f64):
    %w = arith.extf %v : f32 to f64
    %r = arith.addf %sum, %w fastmath<reassoc> : f64
    linalg.yield %r : f64
  }
  %sum = memref.load %wide[] : memref<f64>
  %difference = arith.subf %sum, %other : f64
  %rounded = arith.truncf %difference : f64 to f32
  memref.dealloc %wide : memref<f64>
  return %rounded : f32
}

// What is not in the order of memory, has a place, or has a body that joins in
// more than one step, stays.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: linalg.generic
func.func @others(%x: memref<?x?xf32>, %s: memref<?x?xf32, strided<[?, 1]>>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%s : memref<?x?xf32, strided<[?, 1]>>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %sum, %v : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xf32>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %r = arith.addf %sum, %f : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#ij, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xf32>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %p = arith.mulf %sum, %v : f32
    %r = arith.addf %p, %v : f32
    linalg.yield %r : f32
  }
  return
}

// -----

// The largest element of a part is left to an operation that has vectors for it.
// CHECK-LABEL: func.func @max(
// CHECK-SAME: %[[X:.*]]: memref<?xf16>, %[[Y:.*]]: memref<f16>
// CHECK: %[[PARTS:.*]] = memref.alloc(%{{.*}}) : memref<?xf16>
// CHECK: scf.parallel (%[[P:.*]]) =
// CHECK: memref.store %{{.*}}, %[[PARTS]][%[[P]]]
// CHECK: %[[RESULT:.*]] = memref.subview %[[PARTS]][%[[P]]] [1] [1] : memref<?xf16> to memref<f16, strided<[], offset: ?>>
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[%{{.*}}] [%{{.*}}] [1] : memref<?xf16> to memref<?xf16, strided<[1], offset: ?>>
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[PART]] : {{.*}}) outs(%[[RESULT]] :
// CHECK: arith.maximumf
// CHECK: scf.for
// CHECK: arith.maximumf
func.func @max(%x: memref<?xf16>, %y: memref<f16>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<?xf16>) outs(%y : memref<f16>) {
  ^bb0(%v: f16, %max: f16):
    %r = arith.maximumf %max, %v : f16
    linalg.yield %r : f16
  }
  return
}

// At most 32 rows of at least 524288 elements are reduced in parts of 131072;
// others row by row. What the sizes tell is decided here.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: memref<?x?x?xf32>, %[[Y:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[LENGTH:.*]] = arith.muli
// CHECK:         %[[LONG:.*]] = arith.cmpi sge, %[[LENGTH]], %c524288
// CHECK:         %[[FEW:.*]] = arith.cmpi sle, %[[ROWS]], %c32
// CHECK:         %[[BOTH:.*]] = arith.andi %[[LONG]], %[[FEW]]
// CHECK:         scf.if %[[BOTH]] {
// CHECK:           %[[ALL:.*]] = memref.reinterpret_cast %[[X]]
// CHECK:           %[[PARTS:.*]] = arith.ceildivsi %[[LENGTH]], %c131072
// CHECK:           %[[COUNT:.*]] = arith.muli %[[ROWS]], %[[PARTS]]
// CHECK:           %[[SUMS:.*]] = memref.alloc(%[[COUNT]])
// CHECK:           scf.parallel (%[[P:.*]]) = (%c0) to (%[[COUNT]]) step (%c1) {
// CHECK:             %[[ROW:.*]] = arith.divui %[[P]], %[[PARTS]]
// CHECK:             %[[PART:.*]] = arith.remui %[[P]], %[[PARTS]]
// CHECK:             %[[START:.*]] = arith.muli %[[ROW]], %[[LENGTH]]
// CHECK:             %[[FIRST:.*]] = arith.muli %[[PART]], %c131072
// CHECK:             %[[NEXT:.*]] = arith.addi %[[FIRST]], %c131072
// CHECK:             %[[END:.*]] = arith.minsi %[[NEXT]], %[[LENGTH]]
// CHECK:             %[[FROM:.*]] = arith.addi %[[FIRST]], %[[START]]
// CHECK:             %[[TO:.*]] = arith.addi %[[END]], %[[START]]
// CHECK:             scf.for %{{.*}} = %[[FROM]] to %[[TO]]
// CHECK:             memref.store %{{.*}}, %[[SUMS]][%[[P]]]
// CHECK:           scf.for %[[R:.*]] = %c0 to %[[ROWS]]
// CHECK:             scf.for
// CHECK:             memref.store %{{.*}}[%[[R]]]
// CHECK:           memref.dealloc %[[SUMS]]
// CHECK:         } else {
// CHECK-NEXT:      linalg.generic
func.func @rows(%x: memref<?x?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%x : memref<?x?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %v, %sum fastmath<reassoc> : f32
    linalg.yield %r : f32
  }
  return
}

// CHECK-LABEL: func.func @known(
// CHECK-NOT:     scf.if
// CHECK:         scf.parallel
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @known(%x: memref<2x1000000xi32>, %y: memref<2xi32>) {
  linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<2x1000000xi32>) outs(%y : memref<2xi32>) {
  ^bb0(%v: i32, %sum: i32):
    %r = arith.addi %v, %sum : i32
    linalg.yield %r : i32
  }
  return
}

// Rows that are short, or many; a result in another order of memory; columns.
// CHECK-LABEL: func.func @not_rows(
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @not_rows(%x: memref<?x1000xf32>, %w: memref<100x?xf32>, %z: memref<?x?x?xf32>, %y: memref<?xf32>, %u: memref<100xf32>, %t: memref<?x?xf32, strided<[1, ?]>>) {
  linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x1000xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %v, %sum : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%w : memref<100x?xf32>) outs(%u : memref<100xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %v, %sum : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%z : memref<?x?x?xf32>) outs(%t : memref<?x?xf32, strided<[1, ?]>>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %v, %sum : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x1000xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %v, %sum : f32
    linalg.yield %r : f32
  }
  return
}

// An operand has one element for each row: each row first, then all of them.
// CHECK-LABEL: func.func @sum_of_quotients(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[W:.*]]: memref<?xf32>, %[[Y:.*]]: memref<f32>)
// CHECK:         %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[ROWS:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK:         linalg.fill ins(%cst{{.*}} : f32) outs(%[[ROWS]] : memref<?xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[ROWS]] : memref<?xf32>)
// CHECK:           %[[Q:.*]] = arith.divf
// CHECK:           arith.addf %{{.*}}, %[[Q]]
// CHECK:         scf.parallel
// CHECK:           memref.load %[[ROWS]]
// CHECK:         memref.store %{{.*}}, %[[Y]][]
// CHECK:         memref.dealloc %[[ROWS]]
func.func @sum_of_quotients(%x: memref<?x?xf32>, %w: memref<?xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (i)>, #none], iterator_types = ["reduction", "reduction"]} ins(%x, %w : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<f32>) {
  ^bb0(%v: f32, %u: f32, %sum: f32):
    %q = arith.divf %v, %u : f32
    %r = arith.addf %sum, %q : f32
    linalg.yield %r : f32
  }
  return
}

// What reads indices, and three loops: the number of rows is that of the first two.
// CHECK-LABEL: func.func @any_below(
// CHECK:         memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?xi1>
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK:           linalg.index 2
// CHECK:         scf.parallel
func.func @any_below(%x: memref<?x?x?xindex>, %y: memref<i1>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%x : memref<?x?x?xindex>) outs(%y : memref<i1>) {
  ^bb0(%v: index, %any: i1):
    %k = linalg.index 2 : index
    %is = arith.cmpi ult, %v, %k : index
    %r = arith.ori %any, %is : i1
    linalg.yield %r : i1
  }
  return
}
