// RUN: tally-opt %s --tally-straighten-loads --canonicalize --cse --split-input-file | FileCheck %s

// A quarter turn reads rows backwards: the loop goes the other way, and the rows of
// the result are written from the last one on.
// CHECK-DAG:   #[[JI:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG:   #[[IJ:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @turn(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>)
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[Y]], %c0
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[Y]], %c1
// CHECK-DAG:     %[[LAST:.*]] = arith.subi %[[M]], %c1
// CHECK:         %[[FROM:.*]] = memref.reinterpret_cast %[[X]] to offset: [{{.*}}], sizes: [%[[N]], %[[M]]], strides: [%{{.*}}, 1]
// CHECK:         %{{.*}}, %{{.*}}, %{{.*}}:2, %[[S:.*]]:2 = memref.extract_strided_metadata %[[Y]]
// CHECK-DAG:     %[[END:.*]] = arith.muli %[[LAST]], %[[S]]#0
// CHECK-DAG:     %[[BACK:.*]] = arith.subi %c0, %[[S]]#0
// CHECK:         %[[TO:.*]] = memref.reinterpret_cast %[[Y]] to offset: [%[[END]]], sizes: [%[[M]], %[[N]]], strides: [%[[BACK]], 1]
// CHECK:         linalg.generic {indexing_maps = [#[[JI]], #[[IJ]]]{{.*}} ins(%[[FROM]] : {{.*}}) outs(%[[TO]] : {{.*}}) attrs = {kept}
// CHECK-NEXT:    ^bb0(%[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[V]]
func.func @turn(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) attrs = {kept} {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %last = arith.subi %m, %c1 : index
    %k = arith.subi %last, %i : index
    %v = memref.load %x[%j, %k] : memref<?x?xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

// Rows in the other order are an operand of a negative stride; the loop stays, and
// with it what depends on its index.
// CHECK-LABEL: func.func @upside_down(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xf32>, %[[W:.*]]: memref<?x8xf32>, %[[LAST:.*]]: index, %[[Y:.*]]: memref<?x8xf32>, %[[U:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[W]], %c0
// CHECK-DAG:     %[[START:.*]] = arith.muli %[[LAST]], %c8
// CHECK:         %[[FROM:.*]] = memref.reinterpret_cast %[[X]] to offset: [%[[START]]], sizes: [%[[M]], 8], strides: [-8, 1]
// CHECK:         linalg.generic {{.*}} ins(%[[W]], %[[FROM]] : {{.*}}) outs(%[[Y]] : {{.*}})
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %[[V:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[I:.*]] = linalg.index 0
// CHECK-NEXT:      %[[F:.*]] = memref.load %[[U]][%[[I]]]
// CHECK-NEXT:      %[[S:.*]] = arith.addf %[[V]], %[[A]]
// CHECK-NEXT:      %[[T:.*]] = arith.mulf %[[S]], %[[F]]
// CHECK-NEXT:      linalg.yield %[[T]]
func.func @upside_down(%x: memref<?x8xf32>, %w: memref<?x8xf32>, %last: index, %y: memref<?x8xf32>, %u: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : memref<?x8xf32>) outs(%y : memref<?x8xf32>) {
  ^bb0(%a: f32, %unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %i : index
    %v = memref.load %x[%k, %j] : memref<?x8xf32>
    %f = memref.load %u[%i] : memref<?xf32>
    %s = arith.addf %v, %a : f32
    %t = arith.mulf %s, %f : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// An index of a loop that has been turned is counted back.
// CHECK-LABEL: func.func @numbered(
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0(%[[V:.*]]: index, %{{.*}}: index):
// CHECK-NEXT:      %[[I:.*]] = linalg.index 0
// CHECK-NEXT:      %[[K:.*]] = arith.subi %{{.*}}, %[[I]]
// CHECK-NEXT:      %[[T:.*]] = arith.addi %[[V]], %[[K]]
// CHECK-NEXT:      linalg.yield %[[T]]
func.func @numbered(%x: memref<?x?xindex>, %last: index, %y: memref<?x?xindex>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xindex>) {
  ^bb0(%unused: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %i : index
    %v = memref.load %x[%j, %k] : memref<?x?xindex>
    %t = arith.addi %v, %i : index
    linalg.yield %t : index
  }
  return
}

// -----

// Loads stay: along the result, which would be written backwards then; along a
// reduction, whose order matters; of one place twice; and of a place that is looked up.
// CHECK-LABEL: func.func @stay(
// CHECK-COUNT-4: memref.load
// CHECK-NOT:     memref.reinterpret_cast
func.func @stay(%x: memref<?x?xf32>, %at: memref<?xindex>, %last: index, %y: memref<?x?xf32>, %z: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xf32>) {
  ^bb0(%unused: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %j : index
    %v = memref.load %x[%i, %k] : memref<?x?xf32>
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%y : memref<?x?xf32>) outs(%z : memref<?xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %last, %j : index
    %v = memref.load %x[%i, %k] : memref<?x?xf32>
    %p = arith.mulf %a, %v : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%at : memref<?xindex>) outs(%z : memref<?xf32>) {
  ^bb0(%row: index, %unused: f32):
    %i = linalg.index 0 : index
    %k = arith.subi %last, %i : index
    %l = arith.subi %row, %i : index
    %v = memref.load %x[%k, %k] : memref<?x?xf32>
    %u = memref.load %x[%l, %i] : memref<?x?xf32>
    %s = arith.addf %v, %u : f32
    linalg.yield %s : f32
  }
  return
}
