// Rows of two out of a vector: its size has to be even.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?x2xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0 floordiv 2> : index
  %r = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
