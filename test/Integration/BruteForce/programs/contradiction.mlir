// Two checks that cannot both hold: one of them is told, whichever fails first.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  %r = scf.if %p -> index {
    tally.check <s0 <= 4>, "small"
    tally.check <"s0 >= 6">, "large"
    tally.check <s0 == 5>, "follows from everything"
    scf.yield %n : index
  } else {
    scf.yield %n : index
  }
  return %r : index
}
