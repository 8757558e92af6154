// RUN: tally-opt %s --tally-add-matmul-fallbacks --verify-diagnostics --split-input-file

func.func @tensors(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %c = tally.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %c : tensor<4x4xf32>
}

// -----

func.func @integers(%a: memref<4x4xi8>, %c: memref<4x4xi32>) {
  // expected-error @below {{multiplies 'i8', which only the CPU does; do not run 'tally-recognize-matmul' with 'integers'}}
  tally.matmul ins(%a, %a : memref<4x4xi8>, memref<4x4xi8>) outs(%c : memref<4x4xi32>)
  return
}

// -----

#w = affine_map<(n, o, x, c, i) -> (o, c, i)>
#x = affine_map<(n, o, x, c, i) -> (n, c, x + i)>
#r = affine_map<(n, o, x, c, i) -> (n, o, x)>
func.func @types(%w: memref<4x4x1xbf16>, %x: memref<4x4x4xbf16>, %r: memref<4x4x4xf32>) {
  // expected-error @below {{has a result of 'f32' for operands of 'bf16': on a GPU it has their type; convert it afterwards}}
  tally.contract ins(%w, %x : memref<4x4x1xbf16>, memref<4x4x4xbf16>) outs(%r : memref<4x4x4xf32>) maps [#w, #x, #r]
  return
}

// -----

#a = affine_map<(i, j, p, q) -> (p, i, q)>
#b = affine_map<(i, j, p, q) -> (j, q, p)>
#c = affine_map<(i, j, p, q) -> (j, i)>
func.func @contraction(%a: memref<?x?x?xf32>, %c: memref<?x?xf32>) {
  // expected-error @below {{is no convolution of floats, which alone run on a GPU; do not run 'tally-recognize-contractions' without 'convolutions-only'}}
  tally.contract ins(%a, %a : memref<?x?x?xf32>, memref<?x?x?xf32>) outs(%c : memref<?x?xf32>) maps [#a, #b, #c]
  return
}
