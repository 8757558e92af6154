// The one factor is known, the other one follows, if it is told at all.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 * s1>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1 : [1, inf]>} {
  %a = tally.size <s0> : index
  return %a : index
}
