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

// Of two transpositions that are none, the type of the first operand knows less.

// CHECK-LABEL: func.func @turns_back(
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xf32>
// CHECK:         %[[R:.*]] = tensor.cast %[[X]] : tensor<4x?xf32> to tensor<4x2xf32>
// CHECK-NEXT:    return %[[R]]
func.func @turns_back(%x: tensor<4x?xf32>) -> tensor<4x2xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<4x?xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %t = linalg.transpose ins(%x : tensor<4x?xf32>) outs(%e : tensor<?x4xf32>) permutation = [1, 0]
  %s = tensor.cast %t : tensor<?x4xf32> to tensor<2x4xf32>
  %f = tensor.empty() : tensor<4x2xf32>
  %r = linalg.transpose ins(%s : tensor<2x4xf32>) outs(%f : tensor<4x2xf32>) permutation = [1, 0]
  return %r : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @turns_twice(
// CHECK-SAME:    %[[X:.*]]: tensor<?x3x?xf32>
// CHECK:         linalg.transpose ins(%[[X]] : tensor<?x3x?xf32>) {{.*}} permutation = [1, 2, 0]
// CHECK-NOT:     linalg.transpose
func.func @turns_twice(%x: tensor<?x3x?xf32>, %e: tensor<3x?x?xf32>, %f: tensor<3x?x?xf32>) -> tensor<3x?x?xf32> {
  %t = linalg.transpose ins(%x : tensor<?x3x?xf32>) outs(%e : tensor<3x?x?xf32>) permutation = [1, 0, 2]
  %r = linalg.transpose ins(%t : tensor<3x?x?xf32>) outs(%f : tensor<3x?x?xf32>) permutation = [0, 2, 1]
  return %r : tensor<3x?x?xf32>
}
