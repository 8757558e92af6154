// The 50 largest elements of each row, and where each was.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x50xf32> {tally.shape = #tally.shape<s0, 50>}, tensor<?x50xi64> {tally.shape = #tally.shape<s0, 50>})
    attributes {tally.symbols = #tally.symbols<s0, s1 : [50, 9223372036854775807]>} {
  %first = arith.constant 0 : index
  %m = tally.size <s0> : index
  %v = tensor.empty(%m) : tensor<?x50xf32>
  %i = tensor.empty(%m) : tensor<?x50xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x50xf32>) indices(%i : tensor<?x50xi64>) dim 1 from %first
      {descending} -> tensor<?x50xf32>, tensor<?x50xi64>
  return %r#0, %r#1 : tensor<?x50xf32>, tensor<?x50xi64>
}
