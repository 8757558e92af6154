// A check that no size meets, where it is reached.
func.func @main(%p: i1, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0>} {
  %n = tally.size <s0> : index
  %r = scf.if %p -> index {
    tally.check <s0 <= -1>, "never"
    scf.yield %n : index
  } else {
    scf.yield %n : index
  }
  return %r : index
}
