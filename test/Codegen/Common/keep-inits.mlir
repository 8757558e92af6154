// RUN: tally-opt %s --pass-pipeline='builtin.module(func.func(tally-keep-inits))' | FileCheck %s

// A reduction over nothing gives its init, although the body does not read it.

// CHECK-LABEL: func.func @reduction(
// CHECK:       ^bb0(%{{.*}}: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT:    builtin.unrealized_conversion_cast %[[OUT]] : f32 to f32
func.func @reduction(%x: tensor<?xf32>, %y: tensor<f32>) -> tensor<f32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%y : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// A column is written; the others are what they were.

// CHECK-LABEL: func.func @column(
// CHECK:         builtin.unrealized_conversion_cast
func.func @column(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%y : tensor<?x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// What is written as a whole needs nothing, and what is read already neither.

// CHECK-LABEL: func.func @whole(
// CHECK-NOT:     unrealized_conversion_cast
func.func @whole(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<?xf32>
  %c0 = arith.constant dense<0.0> : tensor<f32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<?xf32>) outs(%c0 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %o : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %r, %s : tensor<?xf32>, tensor<f32>
}
