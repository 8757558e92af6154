// Bounds that leave one number.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<3x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <2 < s0>, "more than two"
  tally.check <s0 < s1>, "fewer rows than columns"
  tally.check <s0 * 2 < 8>, "less than four"
  tally.check <s0 * s1 == 3 * s1>, "follows"
  %r = tensor.cast %x : tensor<?x?xf32> to tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
