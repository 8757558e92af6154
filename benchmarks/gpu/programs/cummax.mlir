// The largest element of each row up to each element, and the last place where it is.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %lowest = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %values = tensor.empty(%m, %n) : tensor<?x?xf32>
  %indices = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r:2 = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%values, %indices : tensor<?x?xf32>, tensor<?x?xi64>)
      starts(%lowest, %first : f32, i64) dim 1 associative {
  ^bb0(%i: index, %in: f32):
    %place = arith.index_cast %i : index to i64
    %best:2 = tally.accumulate %in, %place : f32, i64 {
    ^bb0(%l: f32, %lp: i64, %v: f32, %vp: i64):
      %larger = arith.cmpf oge, %v, %l : f32
      %nan = arith.cmpf uno, %v, %v : f32
      %takes = arith.ori %larger, %nan : i1
      %b = arith.select %takes, %v, %l : f32
      %bp = arith.select %takes, %vp, %lp : i64
      tally.yield %b, %bp : f32, i64
    }
    tally.yield %best#0, %best#1 : f32, i64
  } -> tensor<?x?xf32>, tensor<?x?xi64>
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xi64>
}
