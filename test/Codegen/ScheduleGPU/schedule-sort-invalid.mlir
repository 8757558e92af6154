// RUN: tally-opt %s --tally-schedule-sort --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %r = tally.sort ins(%x : tensor<4xf32>) values(%v : tensor<4xf32>) dim 0 -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @nibbles(%x: memref<4xi4>, %v: memref<4xi4>) {
  // expected-error @below {{sorts elements of type 'i4', which no kernel sorts; run 'tally-lower-sort' first}}
  tally.sort ins(%x : memref<4xi4>) values(%v : memref<4xi4>) dim 0
  return
}
