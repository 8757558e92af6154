// The low bits of a number, read as signed and as unsigned.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %v: tensor<?xi64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %v, %c0 : tensor<?xi64>
  %e = tensor.empty(%b) : tensor<?xi8>
  %low = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xi64>) outs(%e : tensor<?xi8>) {
  ^bb0(%w: i64, %o: i8):
    %t = arith.trunci %w : i64 to i8
    linalg.yield %t : i8
  } -> tensor<?xi8>
  %f = tensor.empty(%b) : tensor<?xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%low : tensor<?xi8>) outs(%f, %f : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%t: i8, %o: f32, %q: f32):
    %c32 = arith.constant 32 : i64
    %c16 = arith.constant 16 : i64
    %zero = arith.constant 0 : i64
    %u = arith.extui %t : i8 to i64
    %i = arith.divui %u, %c32 : i64
    %s = arith.extsi %t : i8 to i64
    %k = arith.maxsi %s, %zero : i64
    %j = arith.divsi %k, %c16 : i64
    %ii = arith.index_cast %i : i64 to index
    %jj = arith.index_cast %j : i64 to index
    %y = tensor.extract %x[%ii] : tensor<?xf32>
    %z = tensor.extract %x[%jj] : tensor<?xf32>
    linalg.yield %y, %z : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}
