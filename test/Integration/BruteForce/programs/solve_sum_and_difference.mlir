// Two equations, each of both symbols.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 + s1, s0 - s1>}) -> (index, index)
    attributes {tally.symbols = #tally.symbols<s0, s1 : [0, 3]>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  return %a, %b : index, index
}
