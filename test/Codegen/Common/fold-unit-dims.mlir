// RUN: tally-opt %s --tally-fold-unit-dims --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @column(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
func.func @column(%x: tensor<?x1xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}

// -----

// One window of three of four elements: it is no longer for the loop that is left out.
// CHECK-LABEL: func.func @window(
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<?x4xf32>, tensor<3xf32>)
func.func @window(%x: tensor<?x4xf32>, %w: tensor<3xf32>, %e: tensor<?x1xf32>) -> tensor<?x1xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j * 2 + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x4xf32>, tensor<3xf32>) outs(%e : tensor<?x1xf32>) {
  ^bb0(%in: f32, %u: f32, %out: f32):
    %m = arith.maximumf %out, %in : f32
    linalg.yield %m : f32
  } -> tensor<?x1xf32>
  return %r : tensor<?x1xf32>
}
