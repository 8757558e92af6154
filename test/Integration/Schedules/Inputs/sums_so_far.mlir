// Sums of rows so far, kept in f64.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tally.prefix_scan ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) starts(%zero : f64) dim 1 associative {
  ^bb0(%i: index, %a: f32):
    %wide = arith.extf %a : f32 to f64
    %sum = tally.accumulate %wide : f64 {
    ^bb0(%before: f64, %next: f64):
      %s = arith.addf %before, %next : f64
      tally.yield %s : f64
    }
    %narrow = arith.truncf %sum : f64 to f32
    tally.yield %narrow : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
