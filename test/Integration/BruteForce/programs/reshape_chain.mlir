// A product of two sizes is split another way and back.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<?x4xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0 * s1 floordiv 2> : index
  %m = tally.size <s0 * s1 floordiv 4> : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %pairs = tensor.expand_shape %flat [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
  %again = tensor.collapse_shape %pairs [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %fours = tensor.expand_shape %again [[0, 1]] output_shape [%m, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %fours : tensor<?x4xf32>
}
