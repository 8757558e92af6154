func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<3 * s0 + 1, s1 - s0>}) -> (index, index)
    attributes {tally.symbols = #tally.symbols<s0 : [1, 9], s1 : [0, 8] % 2>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  return %a, %b : index, index
}
