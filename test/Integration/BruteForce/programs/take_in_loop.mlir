// Indices from a tensor in a loop that may run no iteration.
func.func @main(%n: index, %x: tensor<?xf32>, %ids: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %m = tensor.dim %ids, %c0 : tensor<?xi64>
    %init = tensor.empty(%m) : tensor<?xf32>
    %u = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%ids : tensor<?xi64>) outs(%init : tensor<?xf32>) {
    ^bb0(%id: i64, %out: f32):
      %i = arith.index_cast %id : i64 to index
      %v = tensor.extract %t[%i] : tensor<?xf32>
      linalg.yield %v : f32
    } -> tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
