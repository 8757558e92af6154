// Python's remainder has the sign of the divisor, which may be negative.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %v: tensor<?xi64>, %n: i64) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %isany = arith.cmpi ne, %n, %zero : i64
  tally.assert %isany, <"n != 0"> (n = %n : i64)
  %b = tensor.dim %v, %c0 : tensor<?xi64>
  %e = tensor.empty(%b) : tensor<?xi64>
  %at = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%e : tensor<?xi64>) {
  ^bb0(%w: i64, %o: i64):
    %rest = arith.remsi %w, %n : i64
    %bits = arith.xori %rest, %n : i64
    %differ = arith.cmpi slt, %bits, %zero : i64
    %some = arith.cmpi ne, %rest, %zero : i64
    %both = arith.andi %some, %differ : i1
    %up = arith.addi %rest, %n : i64
    %h = arith.select %both, %up, %rest : i64
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
