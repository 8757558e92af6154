// The largest element of each row and its place, which are combined as a pair.
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>}, tensor<?xi64> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0> : index
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i64
  %e = tensor.empty(%n) : tensor<?xf32>
  %g = tensor.empty(%n) : tensor<?xi64>
  %lows = linalg.fill ins(%least : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %nones = linalg.fill ins(%none : i64) outs(%g : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%lows, %nones : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %in, %best : f32
    %v = arith.select %more, %in, %best : f32
    %p = arith.select %more, %ji, %at : i64
    linalg.yield %v, %p : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xi64>
}
