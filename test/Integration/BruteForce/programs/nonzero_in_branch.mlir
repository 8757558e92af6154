// A size that is defined in a branch, and checked there.
func.func @main(%p: i1, %x: tensor<?xi1> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %r = scf.if %p -> index {
    %i = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
    tally.check <2 * u0 <= s0>, "at most half of them"
    %n = tally.size <u0> : index
    scf.yield %n : index
  } else {
    %n = tally.size <s0> : index
    scf.yield %n : index
  }
  return %r : index
}
