// At most 2, whatever is joined, padded and cut off.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %v: tensor<?xi64>, %w: tensor<?xi64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %zero = arith.constant 0 : i64
  %b = tensor.dim %v, %c0 : tensor<?xi64>
  %d = tensor.dim %w, %c0 : tensor<?xi64>
  %e = tensor.empty(%b) : tensor<?xi64>
  %g = tensor.empty(%d) : tensor<?xi64>
  %small = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%i: i64, %o: i64):
    %j = arith.maxsi %i, %zero : i64
    %k = arith.remui %j, %three : i64
    linalg.yield %k : i64
  } -> tensor<?xi64>
  %clamped = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%w : tensor<?xi64>) outs(%g : tensor<?xi64>) {
  ^bb0(%i: i64, %o: i64):
    %j = arith.maxsi %i, %zero : i64
    %k = arith.minui %j, %two : i64
    linalg.yield %k : i64
  } -> tensor<?xi64>
  %joined = tensor.concat dim(0) %small, %clamped : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %padded = tensor.pad %joined low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %one : i64
  } : tensor<?xi64> to tensor<?xi64>
  %both = arith.addi %b, %d : index
  %at = tensor.extract_slice %padded[1] [%both] [1] : tensor<?xi64> to tensor<?xi64>
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
