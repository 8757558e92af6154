// RUN: tally-opt %s --tally-form-kernels --verify-diagnostics

func.func @part(%x: tensor<?xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // expected-error @below {{writes a part of its result; it cannot be compiled for a GPU: compute the part and use 'tensor.insert_slice'}}
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%y : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
