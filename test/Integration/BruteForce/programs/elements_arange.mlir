// start, start + step, ...: both bounds hold where there is an element.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %n: i64, %step: i64, %start: i64) -> tensor<?xf32> {
  %size = arith.index_cast %n : i64 to index
  %e = tensor.empty(%size) : tensor<?xi64>
  %at = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%e : tensor<?xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %k = arith.muli %j, %step : i64
    %l = arith.addi %k, %start : i64
    linalg.yield %l : i64
  } -> tensor<?xi64>
  %f = tensor.empty(%size) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: i64, %o: f32):
    %p = arith.index_cast %v : i64 to index
    %y = tensor.extract %x[%p] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
