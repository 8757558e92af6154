// Where each element is among the values: in bounds of those, not of others.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xi64>, %y: tensor<?xf32>) -> (tensor<?xi64>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %u, %at, %counts = tally.unique %x : tensor<?xi64>
  %n = tensor.dim %at, %c0 : tensor<?xi64>
  %e = tensor.empty(%n) : tensor<?xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%i: i64, %o: i64):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %u[%p] : tensor<?xi64>
    %c = tensor.extract %counts[%p] : tensor<?xi64>
    %s = arith.addi %v, %c : i64
    linalg.yield %s : i64
  } -> tensor<?xi64>
  %f = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %v = tensor.extract %y[%p] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r, %t : tensor<?xi64>, tensor<?xf32>
}
