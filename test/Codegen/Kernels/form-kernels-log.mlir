// The debug log has a line for each decision, with the same reasons.
// REQUIRES: debug-log
// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-form-kernels))' --debug-only=tally-form-kernels -o /dev/null 2>&1 \
// RUN:   | FileCheck %s
// CHECK: [tally-form-kernels {{.*}} linalg.generic at form-kernels-log.mlir:19 does not join the kernel of linalg.generic at form-kernels-log.mlir:13: they reduce different dimensions
// CHECK: [tally-form-kernels {{.*}} kernel: linalg.generic at form-kernels-log.mlir:13
// CHECK: [tally-form-kernels {{.*}} linalg.generic at form-kernels-log.mlir:19 is not fused with linalg.generic at form-kernels-log.mlir:13: they reduce different dimensions

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

func.func @rows_then_all(%x: tensor<4x8xf32>, %rows: tensor<4xf32>, %zero: tensor<f32>) -> tensor<f32> {
  %sums = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%rows : tensor<4xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%sums : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %sum, %v : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}
