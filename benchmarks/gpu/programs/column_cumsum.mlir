// The sums of each column up to each element.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) starts(%zero : f64) dim 0 associative {
  ^bb0(%i: index, %in: f32):
    %wide = arith.extf %in : f32 to f64
    %sum = tally.accumulate %wide : f64 {
    ^bb0(%before: f64, %next: f64):
      %more = arith.addf %before, %next : f64
      tally.yield %more : f64
    }
    %narrow = arith.truncf %sum : f64 to f32
    tally.yield %narrow : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
