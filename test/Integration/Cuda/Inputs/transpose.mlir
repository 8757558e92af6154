// Rows become columns.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s1, s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %transposed = linalg.transpose ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) permutation = [1, 0]
  return %transposed : tensor<?x?xf32>
}
