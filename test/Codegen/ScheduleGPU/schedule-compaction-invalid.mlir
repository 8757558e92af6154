// RUN: tally-opt %s --tally-schedule-compaction --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4xf32>, %b: tensor<2xi64>) -> tensor<2xi64> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %r = tally.count_nonzero ins(%x : tensor<4xf32>) outs(%b : tensor<2xi64>) tile 1024 -> tensor<2xi64>
  return %r : tensor<2xi64>
}
