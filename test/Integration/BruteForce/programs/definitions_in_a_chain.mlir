// The places of what is not zero are counted, the counts repeated, and so on: every
// size is defined of the one before.
func.func @main(%x: tensor<?xi1> {tally.name = "x", tally.shape = #tally.shape<s0>}, %y: tensor<?xi64>) -> tensor<?xi64>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked>} {
  %c0 = arith.constant 0 : index
  %at = tally.nonzero %x : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %flat = tensor.collapse_shape %at [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %counts = tally.bincount %flat minlength %c0 : tensor<?xi64> bind #tally.bindings<u1 = result(0).size(0)>
  %again = tally.repeat_interleave %counts : tensor<?xi64> bind #tally.bindings<u2 = result(0).size(0)>
  tally.check <u2 <= 6>, "six at most"
  %r = arith.addi %again, %y : tensor<?xi64>
  return %r : tensor<?xi64>
}
