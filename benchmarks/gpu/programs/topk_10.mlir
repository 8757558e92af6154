// The 10 largest elements of each row, and where each was.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x10xf32> {tally.shape = #tally.shape<s0, 10>}, tensor<?x10xi64> {tally.shape = #tally.shape<s0, 10>})
    attributes {tally.symbols = #tally.symbols<s0, s1 : [10, 9223372036854775807]>} {
  %first = arith.constant 0 : index
  %m = tally.size <s0> : index
  %v = tensor.empty(%m) : tensor<?x10xf32>
  %i = tensor.empty(%m) : tensor<?x10xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x10xf32>) indices(%i : tensor<?x10xi64>) dim 1 from %first
      {descending} -> tensor<?x10xf32>, tensor<?x10xi64>
  return %r#0, %r#1 : tensor<?x10xf32>, tensor<?x10xi64>
}
