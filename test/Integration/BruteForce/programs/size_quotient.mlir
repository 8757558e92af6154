// A division of sizes: by zero it is refused, unless nobody gets there.
func.func @main(%p: i1, %x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %r = scf.if %p -> index {
    %n = tally.size <s0 floordiv s1 + s0 mod s1> : index
    scf.yield %n : index
  } else {
    %n = tally.size <s0 + s1> : index
    scf.yield %n : index
  }
  return %r : index
}
