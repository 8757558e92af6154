// RUN: tally-opt %s --tally-raise-expand-shapes --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @bias(
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[D:.*]] = tensor.expand_shape %[[X]]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-SAME: ins(%[[D]], %[[B]] : tensor<?x?x8xf32>, tensor<8xf32>)
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @bias(%x: tensor<?x8xf32>, %b: tensor<8xf32>, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %d = tensor.expand_shape %r [[0, 1], [2]] output_shape [%m, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %d : tensor<?x?x8xf32>
}

// -----

// It stays with the sums of the same rows.
// CHECK-LABEL: func.func @rows(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
// CHECK: tensor.expand_shape
func.func @rows(%x: tensor<?x8xf32>, %z: tensor<?xf32>, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %e = tensor.empty(%rows) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x8xf32>, tensor<?xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%in: f32, %of: f32, %out: f32):
    %s = arith.divf %in, %of : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  %d = tensor.expand_shape %r [[0, 1], [2]] output_shape [%m, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %d : tensor<?x?x8xf32>
}

// -----

// A copy of all elements is what it copies.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?xf32>
// CHECK-NEXT: return %[[X]]
func.func @copy(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
