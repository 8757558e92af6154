// RUN: tally-opt %s -tally-lower-data-dependent | FileCheck %s
// RUN: tally-opt %s -tally-lower-data-dependent -canonicalize -cse | FileCheck %s --check-prefix=CANON
// RUN: tally-opt %s -tally-lower-data-dependent \
// RUN:   -canonicalize -cse -eliminate-empty-tensors -empty-tensor-to-alloc-tensor \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops" \
// RUN:   -canonicalize -cse -ownership-based-buffer-deallocation -canonicalize -buffer-deallocation-simplification \
// RUN:   -bufferization-lower-deallocations -convert-bufferization-to-memref -canonicalize -cse \
// RUN: | FileCheck %s --check-prefix=BUFFER

// CHECK-LABEL: func.func @items(
// CHECK-SAME:    %[[A:.*]]: tensor<i64>, %[[B:.*]]: tensor<1x?xi1>)
func.func @items(%a: tensor<i64>, %b: tensor<1x?xi1>) -> (i64, i1) {
  // CHECK: %[[V:.*]] = tensor.extract %[[A]][] : tensor<i64>
  %v = tally.item %a : tensor<i64>
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[W:.*]] = tensor.extract %[[B]][%[[C0]], %[[C0]]] : tensor<1x?xi1>
  %w = tally.item %b : tensor<1x?xi1>
  // CHECK: return %[[V]], %[[W]]
  return %v, %w : i64, i1
}

// Row-major, a column a dimension, NaN is not zero. The size of the result is
// the count, a reduction of its own.
// CHECK-LABEL: func.func @nonzero(
// CHECK-SAME:    %[[X:.*]]: tensor<?x3xf32>)
// CHECK-DAG:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:  %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:  %[[D1:.*]] = arith.constant 3 : index
// CHECK:      %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[X]] : {{.*}}) outs(%{{.*}} : tensor<i64>) {
// CHECK-NEXT: ^bb0(%[[E:.*]]: f32, %[[M:.*]]: i64):
// CHECK-NEXT:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %[[NZ:.*]] = arith.cmpf une, %[[E]], %[[ZERO]]
// CHECK-NEXT:   %[[INC:.*]] = arith.extui %[[NZ]] : i1 to i64
// CHECK-NEXT:   %[[NEXT:.*]] = arith.addi %[[M]], %[[INC]]
// CHECK-NEXT:   linalg.yield %[[NEXT]]
// CHECK:      %[[SUMMED:.*]] = tensor.extract %[[SUM]][] : tensor<i64>
// CHECK:      %[[INDEX:.*]] = arith.index_cast %[[SUMMED]] : i64 to index
// CHECK:      %[[NATURAL:.*]] = arith.maxsi %[[INDEX]], %[[C0]]
// CHECK:      %[[ALL:.*]] = arith.muli %{{.*}}, %[[D1]]
// CHECK:      %[[COUNT:.*]] = arith.minsi %[[NATURAL]], %[[ALL]]
// CHECK:      %[[EMPTY:.*]] = tensor.empty(%[[COUNT]]) : tensor<?x2xi64>
// CHECK:      %[[FILLED:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %[[EMPTY]], %{{.*}} = %[[C0]])
// CHECK:        scf.for %[[J:.*]] = {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}}) -> (tensor<?x2xi64>, index) {
// CHECK:          %[[IN:.*]] = arith.cmpi ult, %[[N]], %[[COUNT]]
// CHECK:          scf.if %[[IN]] -> (tensor<?x2xi64>, index) {
// CHECK:            %[[IV:.*]] = arith.index_cast %[[I]] : index to i64
// CHECK:            %[[T1:.*]] = tensor.insert %[[IV]] into %[[T]][%[[N]], %{{.*}}]
// CHECK:            %[[JV:.*]] = arith.index_cast %[[J]] : index to i64
// CHECK:            %[[T2:.*]] = tensor.insert %[[JV]] into %[[T1]][%[[N]], %{{.*}}]
// CHECK:            %[[NZ:.*]] = arith.cmpf une
// CHECK:            %[[STEP:.*]] = arith.select %[[NZ]], %[[C1]], %[[C0]]
// CHECK:            %[[N1:.*]] = arith.addi %[[N]], %[[STEP]]
// CHECK:            scf.yield %[[T2]], %[[N1]]
// CHECK:          } else {
// CHECK-NEXT:       scf.yield %[[T]], %[[N]]
// CHECK:      %[[R:.*]] = tensor.extract_slice %[[FILLED]]#0[0, 0] [%[[COUNT]], 2] [1, 1]

// CANON-LABEL: func.func @nonzero(
// CANON:       %[[COUNT:.*]] = arith.minsi
// CANON:       %[[R:.*]] = tensor.extract_slice
// CANON-NOT:   tensor.dim
// CANON:       return %[[R]], %[[COUNT]]

// One allocation of the result; every write goes into it; no copy.
// BUFFER-LABEL: func.func @nonzero(
// BUFFER:       %[[COUNT:.*]] = arith.minsi
// BUFFER:       %[[ALLOC:.*]] = memref.alloc(%[[COUNT]]) {{.*}} : memref<?x2xi64>
// BUFFER-NOT:   memref.alloc
// BUFFER-NOT:   memref.copy
// BUFFER:       scf.for %{{.*}} iter_args(%{{.*}} = %c0) -> (index) {
// BUFFER:         scf.for %{{.*}} -> (index) {
// BUFFER:           scf.if
// BUFFER:             memref.store %{{.*}}, %[[ALLOC]]
// BUFFER:             memref.store %{{.*}}, %[[ALLOC]]
// BUFFER-NOT:   memref.alloc
// BUFFER-NOT:   memref.copy
// BUFFER:       return
func.func @nonzero(%x: tensor<?x3xf32>) -> (tensor<?x2xi64>, index) {
  %r = tally.nonzero %x : tensor<?x3xf32> -> tensor<?x2xi64>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %r, %c0 : tensor<?x2xi64>
  return %r, %n : tensor<?x2xi64>, index
}

// The number of the last column is a constant in front of all loops.
// CHECK-LABEL: func.func @rank_three(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x?xi1>)
// CHECK-DAG:  %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:  %[[C2:.*]] = arith.constant 2 : index
// CHECK:      linalg.generic
// CHECK:      %[[EMPTY:.*]] = tensor.empty(%{{.*}}) : tensor<?x3xi64>
// CHECK:      scf.for %[[I:.*]] = {{.*}} iter_args(%{{.*}} = %[[EMPTY]], %{{.*}})
// CHECK:        scf.for %[[J:.*]] =
// CHECK:          scf.for %[[K:.*]] = {{.*}} iter_args(%[[T:.*]] = %{{.*}}, %[[N:.*]] = %{{.*}})
// CHECK:            %[[T0:.*]] = tensor.insert %{{.*}} into %[[T]][%[[N]], %{{.*}}]
// CHECK:            %[[T1:.*]] = tensor.insert %{{.*}} into %[[T0]][%[[N]], %[[C1]]]
// CHECK:            %[[LAST:.*]] = arith.index_cast %[[K]] : index to i64
// CHECK:            tensor.insert %[[LAST]] into %[[T1]][%[[N]], %[[C2]]]
func.func @rank_three(%x: tensor<?x?x?xi1>) -> tensor<?x3xi64> {
  %r = tally.nonzero %x : tensor<?x?x?xi1> -> tensor<?x3xi64>
  return %r : tensor<?x3xi64>
}

// A tensor of rank 0 has one element and no column.
// CHECK-LABEL: func.func @rank_zero(
// CHECK-SAME:    %[[X:.*]]: tensor<i32>)
// CHECK:  linalg.generic {{.*}} iterator_types = []} ins(%[[X]] : tensor<i32>)
// CHECK:  %[[NZ:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : i32
// CHECK:  %[[ONE:.*]] = arith.extui %[[NZ]]
// CHECK:  arith.addi %{{.*}}, %[[ONE]]
// CHECK:  %[[N:.*]] = arith.minsi
// CHECK:  %[[R:.*]] = tensor.empty(%[[N]]) : tensor<?x0xi64>
// CHECK:  return %[[R]]
func.func @rank_zero(%x: tensor<i32>) -> tensor<?x0xi64> {
  %r = tally.nonzero %x : tensor<i32> -> tensor<?x0xi64>
  return %r : tensor<?x0xi64>
}

// Each element type has its zero; a boolean is its own answer.
// CHECK-LABEL: func.func @element_types(
func.func @element_types(%a: tensor<?xi1>, %b: tensor<?xi8>, %c: tensor<?xbf16>, %d: tensor<?xf64>, %e: tensor<?xindex>)
    -> (tensor<?x1xi64>, tensor<?x1xi64>, tensor<?x1xi64>, tensor<?x1xi64>, tensor<?x1xi64>) {
  // CHECK: ^bb0(%[[E:.*]]: i1, %{{.*}}: i64):
  // CHECK-NEXT: arith.extui %[[E]] : i1 to i64
  %0 = tally.nonzero %a : tensor<?xi1> -> tensor<?x1xi64>
  // CHECK: arith.cmpi ne, %{{.*}}, %{{.*}} : i8
  %1 = tally.nonzero %b : tensor<?xi8> -> tensor<?x1xi64>
  // CHECK: arith.cmpf une, %{{.*}}, %{{.*}} : bf16
  %2 = tally.nonzero %c : tensor<?xbf16> -> tensor<?x1xi64>
  // CHECK: arith.cmpf une, %{{.*}}, %{{.*}} : f64
  %3 = tally.nonzero %d : tensor<?xf64> -> tensor<?x1xi64>
  // CHECK: arith.cmpi ne, %{{.*}}, %{{.*}} : index
  %4 = tally.nonzero %e : tensor<?xindex> -> tensor<?x1xi64>
  return %0, %1, %2, %3, %4 : tensor<?x1xi64>, tensor<?x1xi64>, tensor<?x1xi64>, tensor<?x1xi64>, tensor<?x1xi64>
}

// In a loop, and used by a gather: what is bufferized in place stays so.
// BUFFER-LABEL: func.func @rows(
// BUFFER:       linalg.generic
// BUFFER:       memref.alloc({{.*}} : memref<?x1xi64>
// BUFFER-NOT:   memref.copy
// BUFFER:       memref.alloc({{.*}} : memref<?xf32>
// BUFFER-NOT:   memref.copy
// BUFFER:       return
func.func @rows(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %i = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64>
  %n = tensor.dim %i, %c0 : tensor<?x1xi64>
  %column = tensor.collapse_shape %i [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%column : tensor<?xi64>) outs(%e : tensor<?xf32>) {
  ^bb0(%at: i64, %out: f32):
    %j = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %g : tensor<?xf32>
}
