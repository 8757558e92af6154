// The places of the elements that are not zero, and how many there are.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x2xi64> {tally.shape = #tally.shape<u0, 2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : [0, 9223372036854775807] unbacked>} {
  %r = tally.nonzero %x : tensor<?x?xf32> -> tensor<?x2xi64> bind #tally.bindings<u0 = result(0).size(0)>
  return %r : tensor<?x2xi64>
}
