// The same operation on the same operand gives the same size.
func.func @main(%x: tensor<?xi1> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0 : [1, 9], u0 : unbacked, u1 : unbacked>} {
  %a = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %b = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u1 = result(0).size(0)>
  tally.check <u0 == u1>, "the same twice"
  %fa = tensor.collapse_shape %a [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %fb = tensor.collapse_shape %b [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %r = arith.addi %fa, %fb : tensor<?xi64>
  return %r : tensor<?xi64>
}
