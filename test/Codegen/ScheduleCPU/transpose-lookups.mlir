// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-transpose-lookups))' | FileCheck %s

// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[START:.*]] = affine_map<(d0, d1, d2) -> (d0)>
// CHECK-DAG: #[[RESULT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>

// Windows of rows become windows of columns.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>
// CHECK: %[[COLUMNS:.*]] = linalg.generic {indexing_maps = [#[[SWAPPED]], {{.*}}], iterator_types = ["parallel", "parallel"]} ins(%[[X]]
// CHECK: %[[INIT:.*]] = linalg.generic {indexing_maps = [#[[SWAPPED]]
// CHECK: %[[SUMS:.*]] = linalg.generic {indexing_maps = [#[[START]], {{.*}}, #[[RESULT]]], iterator_types = ["parallel", "parallel", "reduction"]}
// CHECK-SAME: outs(%[[INIT]]
// CHECK: %[[ROW:.*]] = linalg.index 1
// CHECK: %[[AT:.*]] = arith.addi
// CHECK: tensor.extract %[[COLUMNS]][%[[AT]], %[[ROW]]]
// CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[SWAPPED]], {{.*}} ins(%[[SUMS]]
// CHECK: return %[[R]]
func.func @windows(%x: tensor<?x?xf32>, %first: tensor<?xindex>, %window: tensor<3xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%first, %window : tensor<?xindex>, tensor<3xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%start: index, %weight: f32, %sum: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %at = arith.addi %start, %k : index
    %v = tensor.extract %x[%i, %at] : tensor<?x?xf32>
    %p = arith.mulf %v, %weight : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Fewer rows than lanes stay.
// CHECK-LABEL: func.func @few_rows(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @few_rows(%x: tensor<7x?xf32>, %first: tensor<?xindex>, %window: tensor<3xf32>, %y: tensor<7x?xf32>) -> tensor<7x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%first, %window : tensor<?xindex>, tensor<3xf32>) outs(%y : tensor<7x?xf32>) {
  ^bb0(%start: index, %weight: f32, %sum: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %at = arith.addi %start, %k : index
    %v = tensor.extract %x[%i, %at] : tensor<7x?xf32>
    %p = arith.mulf %v, %weight : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x?xf32>
  return %r : tensor<7x?xf32>
}

// What differs between rows decides about a place: lanes would look up apart.
// CHECK-LABEL: func.func @start_of_row(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @start_of_row(%x: tensor<?x?xf32>, %first: tensor<?xindex>, %window: tensor<3xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%first, %window : tensor<?xindex>, tensor<3xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%start: index, %weight: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %first_of = arith.addi %start, %j : index
    %at = arith.addi %first_of, %k : index
    %v = tensor.extract %x[%i, %at] : tensor<?x?xf32>
    %p = arith.mulf %v, %weight : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Neighbors of a row are neighbors in memory already.
// CHECK-LABEL: func.func @whole_rows(
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @whole_rows(%x: tensor<?x?xf32>, %window: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%window : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%weight: f32, %sum: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %v = tensor.extract %x[%i, %k] : tensor<?x?xf32>
    %p = arith.mulf %v, %weight : f32
    %s = arith.addf %sum, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
