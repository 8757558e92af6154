// RUN: tally-opt %s --tally-tile-reductions --canonicalize --cse | FileCheck %s

#x = affine_map<(i, j, k) -> (i, k)>
#y = affine_map<(i, j, k) -> (j, k)>
#d = affine_map<(i, j, k) -> (i, j)>

// Tiles of 6 rows and 16 columns; the operation stays for less.
// CHECK-LABEL: func.func @distances(
// CHECK-SAME: %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-DAG: %[[M:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[Y]], %c0
// CHECK-DAG: %[[K:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG: %[[FEW_ROWS:.*]] = arith.cmpi slt, %[[M]], %c6
// CHECK-DAG: %[[FEW_COLUMNS:.*]] = arith.cmpi slt, %[[N]], %c16
// CHECK: %[[SMALL:.*]] = arith.ori %[[FEW_ROWS]], %[[FEW_COLUMNS]]
// CHECK: scf.if %[[SMALL]] {
// CHECK: linalg.generic
// CHECK: } else {
// A vector of columns for each element of the sum; columns behind the last one stand for it.
// CHECK: %[[VECTORS:.*]] = arith.ceildivui %[[N]], %c16
// CHECK: %[[TURNED:.*]] = memref.alloc(%[[VECTORS]], %[[K]]) {alignment = 64 : i64} : memref<?x?x16xf32>
// CHECK: scf.parallel (%[[V:.*]]) = (%c0) to (%[[VECTORS]]) step (%c1)
// CHECK-COUNT-15: arith.minsi
// CHECK: %[[REST:.*]] = arith.andi %[[K]], %c15
// CHECK: %[[WHOLE:.*]] = arith.subi %[[K]], %[[REST]]
// CHECK: scf.for %[[AT:.*]] = %c0 to %[[WHOLE]] step %c16
// CHECK-COUNT-16: vector.load %[[Y]][%{{.*}}, %[[AT]]] : memref<?x?xf32>, vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: vector.store %{{.*}}, %[[TURNED]][%[[V]],
// CHECK: scf.for %{{.*}} = %[[WHOLE]] to %[[K]] step %c1
// CHECK-COUNT-16: memref.load %[[Y]]
// CHECK: vector.from_elements
// CHECK: scf.parallel (%[[J0:.*]], %[[I:.*]]) = (%c0, %c0) to (%[[N]], %[[M]]) step (%c256, %c6)
// CHECK: scf.for %[[J:.*]] = %[[J0]] to %{{.*}} step %c16
// Of a tile that is not whole, rows behind the last one stand for it, and are
// masked.
// CHECK: %[[IS_WHOLE:.*]] = arith.andi
// CHECK: scf.if %[[IS_WHOLE]]
// CHECK-COUNT-6: vector.load %[[D]][
// CHECK: } else {
// CHECK-COUNT-6: vector.maskedload %[[D]][
// CHECK: %[[SUMS:.*]]:6 = scf.for %[[K0:.*]] = %c0 to %[[K]] step %c256
// CHECK: %[[PARTS:.*]]:6 = scf.for %[[AT:.*]] = %[[K0]] to %{{.*}} step %c1 iter_args(%[[PART:[^ ]*]] = %[[ZERO]]
// CHECK: %[[COLUMNS:.*]] = vector.load %[[TURNED]][%{{.*}}, %[[AT]], %c0] : memref<?x?x16xf32>, vector<16xf32>
// CHECK: %[[ELEMENT:.*]] = memref.load %[[X]][%[[I]], %[[AT]]]
// CHECK: %[[ROW:.*]] = vector.broadcast %[[ELEMENT]] : f32 to vector<16xf32>
// CHECK: %[[GAP:.*]] = arith.subf %[[ROW]], %[[COLUMNS]] : vector<16xf32>
// A product is not rounded before it is added.
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[GAP]], %[[GAP]] fastmath<contract> : vector<16xf32>
// CHECK: arith.addf %[[PART]], %[[SQUARE]] fastmath<reassoc,contract> : vector<16xf32>
// CHECK: arith.addf %{{.*}}, %[[PARTS]]#0 : vector<16xf32>
// CHECK: scf.if %[[IS_WHOLE]]
// CHECK-COUNT-6: vector.store %{{.*}}, %[[D]][
// CHECK: } else {
// CHECK-COUNT-6: vector.maskedstore %[[D]][
// CHECK: memref.dealloc %[[TURNED]]
func.func @distances(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %d: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#x, #y, #d], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %gap = arith.subf %a, %b : f32
    %square = arith.mulf %gap, %gap : f32
    %next = arith.addf %sum, %square fastmath<reassoc> : f32
    linalg.yield %next : f32
  }
  return
}

// What is not reassociated keeps its order and its roundings; 8 lanes of f64.
// CHECK-LABEL: func.func @ordered(
// CHECK: vector.maskedload
// CHECK: scf.for %{{.*}} step %c1 iter_args(%[[SUM:[^ ]*]] = %{{.*}}
// CHECK: %[[SQUARE:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<8xf64>
// CHECK: arith.addf %[[SUM]], %[[SQUARE]] : vector<8xf64>
func.func @ordered(%x: memref<?x?xf64>, %y: memref<?x?xf64>, %d: memref<?x?xf64>) {
  linalg.generic {indexing_maps = [#x, #y, #d], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<?x?xf64>, memref<?x?xf64>) outs(%d : memref<?x?xf64>) {
  ^bb0(%a: f64, %b: f64, %sum: f64):
    %gap = arith.subf %a, %b : f64
    %square = arith.mulf %gap, %gap : f64
    %next = arith.addf %sum, %square : f64
    linalg.yield %next : f64
  }
  return
}

// Both operands have rows of their own for each row of the result; and columns that lie along the result need no tiles.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT: scf.parallel
func.func @left_alone(%x: memref<?x?x?xf32>, %y: memref<?x?xf32>, %d: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, #y, #d], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : memref<?x?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product fastmath<reassoc> : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#x, affine_map<(i, j, k) -> (k, j)>, #d], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %gap = arith.subf %a, %b : f32
    %next = arith.addf %sum, %gap fastmath<reassoc> : f32
    linalg.yield %next : f32
  }
  return
}
