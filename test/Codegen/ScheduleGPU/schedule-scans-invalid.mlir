// RUN: tally-opt %s --tally-schedule-scans --split-input-file --verify-diagnostics

func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>, %zero: f32) -> tensor<4xf32> {
  // expected-error @below {{is on tensors; bufferize it first}}
  %r = tally.prefix_scan ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) starts(%zero : f32) dim 0 associative {
  ^bb0(%i: index, %a: f32):
    %sum = tally.accumulate %a : f32 {
    ^bb0(%before: f32, %next: f32):
      %s = arith.addf %before, %next : f32
      tally.yield %s : f32
    }
    tally.yield %sum : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
