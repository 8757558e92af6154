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

// A while loop starts with copies of slices, in whatever shape: what it carries has
// no strides.

// CHECK-LABEL: func.func @while(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?xf32>
// CHECK:         %[[SLICE:.*]] = tensor.extract_slice %[[X]]
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[SLICE]]
// CHECK:         %[[UNKNOWN:.*]] = tensor.cast %[[FLAT]]
// CHECK:         %[[CAST:.*]] = tensor.cast %[[UNKNOWN]]
// CHECK:         %[[EXP:.*]] = math.exp
// CHECK:         %[[COPY:.*]] = bufferization.alloc_tensor() copy(%[[CAST]]) : tensor<8xf32>
// CHECK-NOT:     bufferization.alloc_tensor
// CHECK:         scf.while (%{{.*}} = %[[COPY]], %{{.*}} = %[[Y]], %{{.*}} = %[[EXP]], %{{.*}} = %{{.*}}) : (tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, index)
func.func @while(%x: tensor<?x4xf32>, %y: tensor<?xf32>, %n: index, %go: i1) -> tensor<8xf32> {
  %slice = tensor.extract_slice %x[%n, 0] [2, 4] [1, 1] : tensor<?x4xf32> to tensor<2x4xf32>
  %flat = tensor.collapse_shape %slice [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %unknown = tensor.cast %flat : tensor<8xf32> to tensor<?xf32>
  %known = tensor.cast %unknown : tensor<?xf32> to tensor<8xf32>
  %row = tensor.extract_slice %y[%n] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %exp = math.exp %row : tensor<?xf32>
  %r:4 = scf.while (%a = %known, %b = %y, %c = %exp, %i = %n) : (tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, index) -> (tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, index) {
    scf.condition(%go) %a, %b, %c, %i : tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, index
  } do {
  ^bb0(%a: tensor<8xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>, %i: index):
    scf.yield %a, %b, %c, %i : tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, index
  }
  return %r#0 : tensor<8xf32>
}
