// A boolean counts as 0 or 1.
func.func @main(%t: tensor<i1> {tally.name = "t"}, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> index
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked [0, 1]>} {
  %v = tally.item %t : tensor<i1> bind #tally.bindings<u0 = result(0)>
  tally.check <u0 <= s0>, "one needs an element"
  %n = tally.size <s0 - u0> : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %c0 = arith.constant 0 : index
  %d = tensor.dim %e, %c0 : tensor<?xf32>
  return %d : index
}
