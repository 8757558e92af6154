// RUN: tally-opt %s --tally-add-matmul-fallbacks --verify-diagnostics

func.func @tensors(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}
