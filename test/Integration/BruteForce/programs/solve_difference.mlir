// A symbol with a minus.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<8 - s0, s0 + 2 * s1>}) -> (index, index)
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %a = tally.size <s0> : index
  %b = tally.size <s1> : index
  return %a, %b : index, index
}
