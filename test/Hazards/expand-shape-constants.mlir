// RUN: tally-opt %s --tally-canonicalize | FileCheck %s
// RUN: tally-run %s --input f64[6]=1,2,3,4,5,6 | FileCheck %s --check-prefix=RESULT

// Upstream composes the two operations to one whose type has a dynamic size that
// output_shape has as a constant, and reads an operand that it does not have
// (ConvertToStaticExpandShape).
// CHECK-LABEL: func.func @main(
// CHECK:         tensor.extract_slice %{{.*}}[0] [4] [1] : tensor<?xf64> to tensor<4xf64>
// CHECK:         return %{{.*}} : tensor<1x1x4xf64>
// RESULT: {{\[\[\[}}1. 2. 3. 4.]
func.func @main(%x: tensor<?xf64>) -> tensor<1x1x4xf64> {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %part = tensor.extract_slice %x[0] [%c4] [1] : tensor<?xf64> to tensor<?xf64>
  %rows = tensor.expand_shape %part [[0, 1]] output_shape [%c1, 4] : tensor<?xf64> into tensor<?x4xf64>
  %all = tensor.expand_shape %rows [[0, 1, 2], [3]] output_shape [1, 1, %c1, 4] : tensor<?x4xf64> into tensor<1x1x?x4xf64>
  %flat = tensor.collapse_shape %all [[0], [1], [2, 3]] : tensor<1x1x?x4xf64> into tensor<1x1x?xf64>
  %r = tensor.cast %flat : tensor<1x1x?xf64> to tensor<1x1x4xf64>
  return %r : tensor<1x1x4xf64>
}
