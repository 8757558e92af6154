// How often each number occurs; none is negative.
func.func @main(%v: tensor<?xi64> {tally.name = "v", tally.shape = #tally.shape<s0>}, %least: index {tally.name = "least"}) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %r = tally.bincount %v minlength %least : tensor<?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  return %r : tensor<?xi64>
}
