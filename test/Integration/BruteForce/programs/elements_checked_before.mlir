// Two reads of one tensor are checked once, a read of another one again.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %at: tensor<?xi64>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %f = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%at, %r : tensor<?xi64>, tensor<?xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %e: f32, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %x[%p] : tensor<?xf32>
    %w = arith.addf %v, %e : f32
    linalg.yield %w : f32
  } -> tensor<?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %y[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %s, %t : tensor<?xf32>, tensor<?xf32>
}
