// A check that holds wherever it means something, and not by zero.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <(s0 floordiv s1) * s1 + s0 mod s1 == s0>, "always, but by zero"
  %n = tally.size <s0> : index
  return %n : index
}
