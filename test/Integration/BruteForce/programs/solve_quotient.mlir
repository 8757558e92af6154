// A size is a quarter of a symbol, which is declared to have a quarter.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0 floordiv 4>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [4, 24] % 4>} {
  %a = tally.size <s0 - 1> : index
  return %a : index
}
