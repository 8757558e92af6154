// The bits of the elements of each row in order, and where each was.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xi32> {tally.shape = #tally.shape<s0, s1>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %s0 = tally.size <s0> : index
  %s1 = tally.size <s1> : index
  %v = tensor.empty(%s0, %s1) : tensor<?x?xf32>
  %i = tensor.empty(%s0, %s1) : tensor<?x?xi64>
  %r:2 = tally.sort ins(%x : tensor<?x?xf32>) values(%v : tensor<?x?xf32>) indices(%i : tensor<?x?xi64>) dim 1
      -> tensor<?x?xf32>, tensor<?x?xi64>
  %bits = arith.bitcast %r#0 : tensor<?x?xf32> to tensor<?x?xi32>
  return %bits, %r#1 : tensor<?x?xi32>, tensor<?x?xi64>
}
