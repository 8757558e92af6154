// Indices that are clamped: only an empty table is wrong.
func.func @main(%x: tensor<?xf32>, %ids: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %last = arith.subi %size, %c1 : index
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids : tensor<?xi64>) outs(%init : tensor<?xf32>) {
  ^bb0(%id: i64, %out: f32):
    %i = arith.index_cast %id : i64 to index
    %below = arith.minsi %i, %last : index
    %j = arith.maxsi %below, %c0 : index
    %v = tensor.extract %x[%j] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
