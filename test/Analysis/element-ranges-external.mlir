// Operations of somebody else tell the range of their elements: one implements
// the interface, one has it attached from outside.

// RUN: tally-test-opt %s --split-input-file --pass-pipeline='builtin.module(tally-check-pipeline{verify})' | FileCheck %s

// CHECK-LABEL: @top_positions
// CHECK-NOT: tally.assert
// CHECK: return
func.func @top_positions(%x: tensor<?xf32>) -> tensor<4xf32> {
  %at = test_hop.top_positions %x : (tensor<?xf32>) -> tensor<4xi64>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%at : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %i = arith.index_cast %p : i64 to index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Positions of another tensor say nothing of this one.
// CHECK-LABEL: @positions_of_another
// CHECK: tally.assert %{{.*}} message("an index is out of bounds of y")
func.func @positions_of_another(%x: tensor<?xf32>, %y: tensor<?xf32> {tally.name = "y"}) -> tensor<4xf32> {
  %at = test_hop.top_positions %x : (tensor<?xf32>) -> tensor<4xi64>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%at : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%p: i64, %o: f32):
    %i = arith.index_cast %p : i64 to index
    %v = tensor.extract %y[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// CHECK-LABEL: @roll
// CHECK: tally.assert %{{.*}}, <{{.*}} < 5> {{.*}} required_by("tensor.extract")
// CHECK-NOT: tally.assert
func.func @roll(%x: tensor<6xf32>, %y: tensor<5xf32>) -> (f32, f32) {
  %i = test_hop.roll : index
  %a = tensor.extract %x[%i] : tensor<6xf32>
  %b = tensor.extract %y[%i] : tensor<5xf32>
  return %a, %b : f32, f32
}
