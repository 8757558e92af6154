// A name of three sizes: they have to be equal. Another one is static.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s0>},
                %y: tensor<?x4xf32> {tally.name = "y", tally.shape = #tally.shape<s0, 4>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  return %n : index
}
