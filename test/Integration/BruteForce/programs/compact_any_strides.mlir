// A sum and a flattened matrix, however it lies in memory.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = arith.addf %flat, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
