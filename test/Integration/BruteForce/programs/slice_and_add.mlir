// x[:, a:] + y, where a is read from a tensor.
func.func @main(%x: tensor<3x?xf32> {tally.name = "x", tally.shape = #tally.shape<3, s0>}, %t: tensor<i64> {tally.name = "t"}, %y: tensor<3x?xf32> {tally.name = "y", tally.shape = #tally.shape<3, s1>}) -> tensor<3x?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked, u1 : unbacked>} {
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %a = tally.size <u0> : index
  %n = tally.size <s0> : index
  %part = tally.slice %x[%a to %n] dim 1 : tensor<3x?xf32> bind #tally.bindings<u1 = result(0).size(1)>
  %r = arith.addf %part, %y : tensor<3x?xf32>
  return %r : tensor<3x?xf32>
}
