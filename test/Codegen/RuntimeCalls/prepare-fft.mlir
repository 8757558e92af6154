// RUN: tally-opt %s --tally-prepare-fft | FileCheck %s

// CHECK-DAG: #[[MAP:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d1, d3)>
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d0, d3)>

// The last dimension stays where it is.
// CHECK-LABEL: func.func @last(
// CHECK-NOT:     linalg
// CHECK:         tally.fft real_to_complex dim(1) scale(none)
func.func @last(%x: tensor<?x?xf32>, %y: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %r = tally.fft real_to_complex dim(1) scale(none) ins(%x : tensor<?x?xf32>) outs(%y : tensor<?x?x2xf32>) -> tensor<?x?x2xf32>
  return %r : tensor<?x?x2xf32>
}

// CHECK-LABEL: func.func @first(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4x?x2xf64>, %[[Y:.*]]: tensor<?x4x?x2xf64>
// CHECK:         %[[T:.*]] = linalg.generic {indexing_maps = [#[[MAP]], {{.*}}ins(%[[X]] : tensor<?x4x?x2xf64>) outs(%{{.*}} : tensor<4x?x?x2xf64>)
// CHECK:         %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK:         %[[COUNT:.*]] = arith.uitofp
// CHECK:         %[[ROOT:.*]] = math.sqrt %[[COUNT]] : f64
// CHECK:         %[[FACTOR:.*]] = arith.divf %{{.*}}, %[[ROOT]] : f64
// CHECK:         %[[U:.*]] = tally.fft forward dim(2) scale(none) ins(%[[T]] : tensor<4x?x?x2xf64>) outs(%{{.*}} : tensor<4x?x?x2xf64>)
// CHECK:         linalg.generic {indexing_maps = [#[[BACK]], {{.*}}ins(%[[U]] : tensor<4x?x?x2xf64>) outs(%[[Y]] : tensor<?x4x?x2xf64>)
// CHECK:           arith.mulf %{{.*}}, %[[FACTOR]]
func.func @first(%x: tensor<?x4x?x2xf64>, %y: tensor<?x4x?x2xf64>) -> tensor<?x4x?x2xf64> {
  %r = tally.fft forward dim(0) scale(root) ins(%x : tensor<?x4x?x2xf64>) outs(%y : tensor<?x4x?x2xf64>) -> tensor<?x4x?x2xf64>
  return %r : tensor<?x4x?x2xf64>
}

// The length is that of the real numbers; its factor is rounded once.
// CHECK-LABEL: func.func @divides(
// CHECK-SAME:    %[[X:.*]]: tensor<?x?x2xf32>, %[[Y:.*]]: tensor<?x?xf32>
// CHECK:         %[[N:.*]] = tensor.dim %[[Y]], %c1
// CHECK:         arith.index_castui %[[N]]
// CHECK-NOT:     math.sqrt
// CHECK:         arith.truncf %{{.*}} : f64 to f32
// CHECK:         tally.fft complex_to_real dim(1) scale(none) ins(%[[X]] : tensor<?x?x2xf32>) outs(%[[Y]] : tensor<?x?xf32>)
// CHECK:         arith.mulf
func.func @divides(%x: tensor<?x?x2xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = tally.fft complex_to_real dim(1) scale(length) ins(%x : tensor<?x?x2xf32>) outs(%y : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
