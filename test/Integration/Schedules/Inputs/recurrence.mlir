// A recurrence along rows, whose order counts: half of what was before, and a product.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %start = arith.constant 8.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = tally.prefix_scan ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) starts(%start : f32) dim 1 {
  ^bb0(%i: index, %a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    %value = tally.accumulate %product : f32 {
    ^bb0(%before: f32, %next: f32):
      %half = arith.constant 0.5 : f32
      %less = arith.mulf %before, %half : f32
      %s = arith.addf %less, %next : f32
      tally.yield %s : f32
    }
    tally.yield %value : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
