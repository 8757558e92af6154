// RUN: tally-opt %s --tally-schedule-cpu --verify-diagnostics

func.func @tensors(%x: tensor<?xf32>, %e: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  // expected-error @below {{'tally.kernel' op is on tensors; bufferize it first}}
  %r = tally.kernel(%n) ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) attrs = {tally.dims = array<i64: 0>} {
    ^bb0(%v: f32, %unused: f32):
      %t = arith.negf %v : f32
      linalg.yield %t : f32
    } -> tensor<?xf32>
    tally.yield %s : tensor<?xf32>
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
