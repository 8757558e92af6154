// What is fused beyond what upstream's pass fuses; test/Hazards/elementwise-fusion.mlir
// has what must not be.
// RUN: tally-opt %s --tally-fuse-elementwise | FileCheck %s

// The sum has the rank of the column that is written: what is collapsed and
// expanded has a size of a result, which is no use of its elements.

// CHECK-LABEL: func.func @size_of_a_result(
// CHECK:         linalg.generic
// CHECK:           arith.sitofp
// CHECK-NEXT:      arith.addf
// CHECK-NOT:     linalg.generic
func.func @size_of_a_result(%numbers: tensor<?x1xi64>, %y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %empty = tensor.empty(%n) : tensor<?xf32>
  %flat = tensor.collapse_shape %numbers [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%flat : tensor<?xi64>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %f = arith.sitofp %in : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%floats, %y : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
