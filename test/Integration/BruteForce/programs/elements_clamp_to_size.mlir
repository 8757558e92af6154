// Between 0 and the last position: no index has to be checked.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %v: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.dim %x, %c0 : tensor<?xf32>
  %isany = arith.cmpi sgt, %a, %c0 : index
  tally.assert %isany, <0 < a> (a = %a : index)
  %c1 = arith.constant 1 : index
  %last = arith.subi %a, %c1 : index
  %most = arith.index_cast %last : index to i64
  %b = tensor.dim %v, %c0 : tensor<?xi64>
  %e = tensor.empty(%b) : tensor<?xi64>
  %at = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%w: i64, %o: i64):
    %zero = arith.constant 0 : i64
    %g = arith.maxsi %w, %zero : i64
    %h = arith.minsi %g, %most : i64
    linalg.yield %h : i64
  } -> tensor<?xi64>
  %m = tensor.dim %at, %c0 : tensor<?xi64>
  %f = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %y = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
