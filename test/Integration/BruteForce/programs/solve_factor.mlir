// A factor that is known divides the product, if it is not zero.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s0 * s1>}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0 * s0> : index
  %m = tally.size <s1> : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = tensor.expand_shape %flat [[0, 1]] output_shape [%n, %m] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
