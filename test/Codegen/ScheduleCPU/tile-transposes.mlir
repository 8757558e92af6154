// RUN: tally-opt %s --tally-tile-transposes --canonicalize --cse | FileCheck %s

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>

// A copy: 8 vectors of 8 lanes are read along one loop, interleaved three times,
// and written along the other one; then what is left of the columns, and of the
// rows.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK:         scf.parallel (%[[I0:.*]], %[[J0:.*]]) = (%c0, %c0) to (%{{.*}}, %{{.*}}) step (%c64, %c128) {
// CHECK:           scf.for %[[I:.*]] = %[[I0]] to %[[IFULL:.*]] step %c8 {
// CHECK:             scf.for %[[J:.*]] = %[[J0]] to %[[JFULL:.*]] step %c8 {
// CHECK:               %[[V0:.*]] = vector.load %[[X]][%[[J]], %[[I]]] : memref<?x?xf32>, vector<8xf32>
// CHECK-COUNT-7:       vector.load %[[X]]
// CHECK:               vector.shuffle %[[V0]], %{{.*}} [0, 8, 1, 9, 2, 10, 3, 11]
// CHECK:               vector.shuffle %[[V0]], %{{.*}} [4, 12, 5, 13, 6, 14, 7, 15]
// CHECK-COUNT-22:      vector.shuffle
// CHECK-NOT:           vector.shuffle
// CHECK-COUNT-8:       vector.store %{{.*}}, %[[Y]]
// CHECK:             } {tally.independent
// CHECK:           scf.for %{{.*}} = %[[I0]] to %[[IFULL]] step %c1 {
// CHECK:             scf.for %{{.*}} = %[[JFULL]] to
// CHECK:           scf.for %{{.*}} = %[[IFULL]] to
// CHECK:             scf.for %{{.*}} = %[[J0]] to
func.func @copy(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}

// Other computations transpose what lies along the outer loop and compute rows by
// vectors; halves are taken element by element.
// CHECK-LABEL: func.func @computation(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?xf32>, %[[S:.*]]: f32, %[[Y:.*]]: memref<?x?xf32>)
// CHECK:         scf.parallel (%[[I0:.*]], %[[J0:.*]]) = {{.*}} step (%c64, %c128) {
// CHECK:           scf.for %[[I:.*]] = %[[I0]] to %{{.*}} step %c8
// CHECK:             scf.for %[[J:.*]] = %[[J0]] to %{{.*}} step %c8
// CHECK:               vector.load %[[X]][%[[J]], %[[I]]] : memref<?x?xf32>, vector<8xf32>
// CHECK-COUNT-24:      vector.shuffle
// CHECK-NOT:           vector.shuffle
// CHECK:               %[[C:.*]] = vector.load %[[B]][%[[J]]] : memref<?xf32>, vector<8xf32>
// CHECK:               %[[T:.*]] = vector.broadcast %[[S]] : f32 to vector<8xf32>
// CHECK:               %[[P:.*]] = arith.mulf %{{.*}}, %[[T]] : vector<8xf32>
// CHECK:               %[[R:.*]] = arith.addf %[[P]], %[[C]] : vector<8xf32>
// CHECK:               vector.store %[[R]], %[[Y]][%[[I]], %[[J]]]
// CHECK:           scf.for
// CHECK:               memref.load %[[X]]
// CHECK:               memref.store
// Halves are moved by vectors; arithmetic on them is done one by one.
// CHECK-LABEL: func.func @halves(
// CHECK:         step (%c64, %c128)
// CHECK:         vector.load %{{.*}} : memref<?x?xf16>, vector<8xf16>
// CHECK-COUNT-24: vector.shuffle {{.*}} : vector<8xf16>, vector<8xf16>
// CHECK-COUNT-8: vector.store
// CHECK-LABEL: func.func @half_arithmetic(
// CHECK:         step (%c64, %c128)
// CHECK-NOT:     vector
func.func @computation(%x: memref<?x?xf32>, %b: memref<?xf32>, %s: f32, %y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#ji, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> ()>, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b, %s : memref<?x?xf32>, memref<?xf32>, f32) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %c: f32, %t: f32, %unused: f32):
    %p = arith.mulf %v, %t : f32
    %r = arith.addf %p, %c : f32
    linalg.yield %r : f32
  }
  return
}
func.func @halves(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf16>) outs(%y : memref<?x?xf16>) {
  ^bb0(%v: f16, %unused: f16):
    linalg.yield %v : f16
  }
  return
}
func.func @half_arithmetic(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf16>) outs(%y : memref<?x?xf16>) {
  ^bb0(%v: f16, %unused: f16):
    %t = arith.addf %v, %v : f16
    linalg.yield %t : f16
  }
  return
}

// What lies along the same loop stays.
// CHECK-LABEL: func.func @same(
// CHECK-COUNT-2: linalg.generic
func.func @same(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?xf32>) {
  linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [#ji, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : memref<?x?xf32>) outs(%z : memref<?xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %r = arith.addf %v, %sum : f32
    linalg.yield %r : f32
  }
  return
}

// The numbers of a row and a column are those of the loops.
// CHECK-LABEL: func.func @numbered(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xindex>, %[[Y:.*]]: memref<?x?xindex>)
// CHECK:         scf.parallel (%[[I0:.*]], %[[J0:.*]]) = {{.*}} step (%c64, %c128) {
// CHECK:           scf.for %[[I:.*]] = %[[I0]]
// CHECK:             scf.for %[[J:.*]] = %[[J0]]
// CHECK:               %[[V:.*]] = memref.load %[[X]][%[[J]], %[[I]]]
// CHECK:               %[[P:.*]] = arith.muli %[[V]], %[[I]]
// CHECK:               %[[R:.*]] = arith.addi %[[P]], %[[J]]
// CHECK:               memref.store %[[R]], %[[Y]][%[[I]], %[[J]]]
func.func @numbered(%x: memref<?x?xindex>, %y: memref<?x?xindex>) {
  linalg.generic {indexing_maps = [#ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : memref<?x?xindex>) outs(%y : memref<?x?xindex>) {
  ^bb0(%v: index, %unused: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = arith.muli %v, %i : index
    %r = arith.addi %p, %j : index
    linalg.yield %r : index
  }
  return
}

// The sum of two operands that lie along the other loop is transposed, they are not.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[Z:.*]]: memref<?x?xf32>)
// CHECK:         scf.for %[[I:.*]] = {{.*}} step %c8 {
// CHECK-NEXT:      scf.for %[[J:.*]] = {{.*}} step %c8 {
// CHECK:             vector.load %[[X]]
// CHECK:             vector.load %[[Y]]
// CHECK-NOT:         vector.shuffle
// CHECK-COUNT-8:     arith.addf {{.*}} : vector<8xf32>
// CHECK-COUNT-24:    vector.shuffle
// CHECK-NOT:         vector.shuffle
// CHECK:             vector.store {{.*}}, %[[Z]][%[[I]], %[[J]]]
func.func @both(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#ji, #ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%z : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  return
}

// Where both parts of pairs are read one after the other, the loops stay as they are; where they are written so, rows
// that are read are tiled.
// CHECK-LABEL: func.func @parts(
// CHECK-NOT:     scf.for
// CHECK:         linalg.generic
// CHECK-LABEL: func.func @pairs(
// CHECK-NOT:     linalg.generic
// CHECK:         scf.parallel {{.*}} step (%c1, %c64)
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ikj = affine_map<(i, j, k) -> (i, k, j)>
func.func @parts(%x: memref<?x?x2xf32>, %y: memref<?x2x?xf32>) {
  linalg.generic {indexing_maps = [#ikj, #ijk], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<?x?x2xf32>) outs(%y : memref<?x2x?xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}
func.func @pairs(%x: memref<?x2x?xf32>, %y: memref<?x?x2xf32>) {
  linalg.generic {indexing_maps = [#ikj, #ijk], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : memref<?x2x?xf32>) outs(%y : memref<?x?x2xf32>) {
  ^bb0(%v: f32, %unused: f32):
    linalg.yield %v : f32
  }
  return
}
