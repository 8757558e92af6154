// The smallest element of each column and its place; the first NaN is the smallest.
#all = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s1>}, tensor<?xi64> {tally.shape = #tally.shape<s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s1> : index
  %greatest = arith.constant 0x7F800000 : f32
  %none = arith.constant 0 : i64
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xi64>
  %highs = linalg.fill ins(%greatest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %nones = linalg.fill ins(%none : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#all, #column, #column], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%highs, %nones : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %ii = arith.index_cast %i : index to i64
    %less = arith.cmpf olt, %in, %best : f32
    %isNaN = arith.cmpf uno, %in, %in : f32
    %isNumber = arith.cmpf oeq, %best, %best : f32
    %first = arith.andi %isNaN, %isNumber : i1
    %better = arith.ori %less, %first : i1
    %v = arith.select %better, %in, %best : f32
    %p = arith.select %better, %ii, %at : i64
    linalg.yield %v, %p : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}
