// Nobody checks the range; what follows from it needs no check either.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0 : [0, 9] assumed>} {
  tally.check <s0 <= 9>, "nine at most"
  tally.check <"s0 != 5">, "not five"
  %n = tally.size <s0 + 1> : index
  return %n : index
}
