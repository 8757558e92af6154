// What is behind an `or` is not computed where the side before it holds.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <s1 == 0 or s0 mod s1 == 0>, "none, or whole ones"
  %n = tally.size <"select(s1 == 0, 0, s0 floordiv s1)"> : index
  return %n : index
}
