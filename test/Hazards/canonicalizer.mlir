// What the pipelines leave out of upstream's canonicalizer.
// RUN: tally-opt %s --tally-check-pipeline | FileCheck %s

// What copies a diagonal, or a column, is no copy of everything.

// CHECK-LABEL: func.func @copies_a_diagonal(
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         return %[[R]]
func.func @copies_a_diagonal(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @copies_a_column(
// CHECK:         %[[R:.*]] = linalg.generic
// CHECK:         return %[[R]]
func.func @copies_a_column(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i, 0)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
