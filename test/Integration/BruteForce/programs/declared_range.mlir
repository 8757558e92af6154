// A range, a divisor and a second range that is taken on trust.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [2, 7], s1 : [0, 8] % 4>} {
  %n = tally.size <s0 * (s1 floordiv 4)> : index
  return %n : index
}
