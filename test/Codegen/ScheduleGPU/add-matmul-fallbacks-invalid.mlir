// RUN: tally-opt %s --tally-add-matmul-fallbacks --verify-diagnostics --split-input-file

func.func @tensors(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

func.func @types(%a: memref<4x4xbf16>, %c: memref<4x4xf32>) {
  // expected-error @below {{has a result of 'f32' for operands of 'bf16': on a GPU it has their type; convert it afterwards}}
  tally.matmul ins(%a, %a : memref<4x4xbf16>, memref<4x4xbf16>) outs(%c : memref<4x4xf32>)
  return
}
