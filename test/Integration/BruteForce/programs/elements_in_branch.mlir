// Either clamped or quotients of positions.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %p: i1, %v: tensor<?xi64>, %n: i64) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %v, %c0 : tensor<?xi64>
  %zero = arith.constant 0 : i64
  %three = arith.constant 3 : i64
  %isany = arith.cmpi sgt, %n, %zero : i64
  tally.assert %isany, <0 < n> (n = %n : i64)
  %at = scf.if %p -> tensor<?xi64> {
    %e = tensor.empty(%b) : tensor<?xi64>
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%v : tensor<?xi64>) outs(%e : tensor<?xi64>) {
    ^bb0(%i: i64, %o: i64):
      %j = arith.maxsi %i, %zero : i64
      %k = arith.minsi %j, %three : i64
      linalg.yield %k : i64
    } -> tensor<?xi64>
    scf.yield %s : tensor<?xi64>
  } else {
    %s = tensor.generate %b {
    ^bb0(%i: index):
      %j = arith.index_cast %i : index to i64
      %k = arith.divsi %j, %n : i64
      tensor.yield %k : i64
    } : tensor<?xi64>
    scf.yield %s : tensor<?xi64>
  }
  %m = tensor.dim %at, %c0 : tensor<?xi64>
  %f = tensor.empty(%m) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%at : tensor<?xi64>) outs(%f : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %pos = arith.index_cast %i : i64 to index
    %y = tensor.extract %x[%pos] : tensor<?xf32>
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
