// The elements along the dimension in the middle, in order.
func.func @main(%x: tensor<?x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1, s2>})
    -> (tensor<?x?x?xf32> {tally.shape = #tally.shape<s0, s1, s2>}, tensor<?x?x?xi64> {tally.shape = #tally.shape<s0, s1, s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %s0 = tally.size <s0> : index
  %s1 = tally.size <s1> : index
  %s2 = tally.size <s2> : index
  %v = tensor.empty(%s0, %s1, %s2) : tensor<?x?x?xf32>
  %i = tensor.empty(%s0, %s1, %s2) : tensor<?x?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?x?xf32>) values(%v : tensor<?x?x?xf32>) indices(%i : tensor<?x?x?xi64>) dim 1
      -> tensor<?x?x?xf32>, tensor<?x?x?xi64>
  return %r#0, %r#1 : tensor<?x?x?xf32>, tensor<?x?x?xi64>
}
