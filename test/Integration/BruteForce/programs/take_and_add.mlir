// Two preconditions of one operation: indices in range, and as many as there are addends.
func.func @main(%x: tensor<?xf32>, %ids: tensor<?xi64>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%ids, %y : tensor<?xi64>, tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%id: i64, %a: f32, %out: f32):
    %i = arith.index_cast %id : i64 to index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %s = arith.addf %a, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
