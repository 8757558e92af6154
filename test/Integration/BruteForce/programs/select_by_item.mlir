// A column whose number is read from a tensor, in a branch.
func.func @main(%p: i1, %x: tensor<2x?xf32> {tally.name = "x", tally.shape = #tally.shape<2, s0>}, %t: tensor<i64> {tally.name = "t"}) -> tensor<2xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %zero = arith.constant dense<0.0> : tensor<2xf32>
  %r = scf.if %p -> tensor<2xf32> {
    %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
    %i = tally.size <u0> : index
    %c = tally.select %x[%i] dim 1 : tensor<2x?xf32>
    scf.yield %c : tensor<2xf32>
  } else {
    scf.yield %zero : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
