// What a program states of its sizes holds, or is refused with its words.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <s0 + s1 <= 12>, "at most twelve"
  tally.check <s0 * s1 mod 3 == 0>, "in threes"
  tally.check <s0 + s1 <= 15>, "follows from the first"
  tally.check <s0 <= s1 or s0 >= 2 * s1>, "either or"
  %n = tally.size <s0 * s1 floordiv 3> : index
  return %n : index
}
