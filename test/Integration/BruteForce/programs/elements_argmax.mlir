// The first position of the largest element of each row, in a vector of another
// size.
#in = affine_map<(d0, d1) -> (d0, d1)>
#out = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %some = arith.cmpi sgt, %columns, %c0 : index
  %none = arith.cmpi eq, %rows, %c0 : index
  %ok = arith.ori %some, %none : i1
  tally.assert %ok, <0 < m or n == 0> (m = %columns, n = %rows : index, index)
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e = tensor.empty(%rows) : tensor<?xf32>
  %f = tensor.empty(%rows) : tensor<?xi64>
  %values = linalg.fill ins(%least : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %places = linalg.fill ins(%zero : i64) outs(%f : tensor<?xi64>) -> tensor<?xi64>
  %m:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%values, %places : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%v: f32, %best: f32, %place: i64):
    %is = arith.cmpf ogt, %v, %best : f32
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %next = arith.select %is, %v, %best : f32
    %at = arith.select %is, %j, %place : i64
    linalg.yield %next, %at : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  %g = tensor.empty(%rows) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%m#1 : tensor<?xi64>) outs(%g : tensor<?xf32>) {
  ^bb0(%i: i64, %o: f32):
    %p = arith.index_cast %i : i64 to index
    %q = tensor.extract %y[%p] : tensor<?xf32>
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
