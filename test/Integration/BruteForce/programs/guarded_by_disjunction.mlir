// A fact in parts: what one check leaves open another one decides.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.check <s0 == 3 or s0 == 6>, "three or six"
  tally.check <s0 mod 3 == 0>, "follows"
  tally.check <"s0 == 3 or s1 >= 4">, "six needs four"
  tally.check <"s0 + s1 >= 3">, "follows too"
  tally.check <"s1 == 0 or s0 <= 4 or s1 >= 3">, "follows as well"
  tally.check <not (s0 == 6 and s1 == 5)>, "not both"
  %n = tally.size <s0 * s1 floordiv 3> : index
  return %n : index
}
