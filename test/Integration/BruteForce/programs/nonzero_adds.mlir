// As many indices as another vector has elements.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xi64> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %i = tally.nonzero %x : tensor<?xf32> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <u0 <= s0>, "follows from what nonzero is"
  %flat = tensor.collapse_shape %i [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %r = arith.addi %flat, %y : tensor<?xi64>
  return %r : tensor<?xi64>
}
