// Parts whose sizes are read from a tensor; they have to be the whole.
func.func @main(%x: tensor<?x2xf32> {tally.name = "x", tally.shape = #tally.shape<s0, 2>}, %t: tensor<i64> {tally.name = "t"}, %u: tensor<i64> {tally.name = "u"}) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>)
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked, u1 : unbacked, u2 : unbacked, u3 : unbacked, u4 : unbacked>} {
  %c1 = arith.constant 1 : index
  %v = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  %w = tally.item %u : tensor<i64> bind #tally.bindings<u1 = result(0)>
  %n = tally.size <u0> : index
  %m = tally.size <u1> : index
  %a, %b, %c = tally.split %x[%n, %c1, %m] dim 0 : tensor<?x2xf32> bind #tally.bindings<u2 = result(0).size(0), u3 = result(1).size(0), u4 = result(2).size(0)>
  tally.check <u2 + u3 + u4 == s0>, "follows"
  return %a, %b, %c : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
