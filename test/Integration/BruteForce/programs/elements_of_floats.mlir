// The range of floats is not known.
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>, %v: tensor<?xf64>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %v, %c0 : tensor<?xf64>
  %e = tensor.empty(%b) : tensor<?xi64>
  %at = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v : tensor<?xf64>) outs(%e : tensor<?xi64>) {
  ^bb0(%w: f64, %o: i64):
    %lo = arith.constant -100.0 : f64
    %hi = arith.constant 100.0 : f64
    %g = arith.maximumf %w, %lo : f64
    %h = arith.minimumf %g, %hi : f64
    %t = arith.fptosi %h : f64 to i64
    %two = arith.constant 2 : i64
    %k = arith.minsi %t, %two : i64
    linalg.yield %k : i64
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
