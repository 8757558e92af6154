// Three numbers with checks that hang together: the first one that fails is told.
func.func @main(%t: tensor<i64> {tally.name = "t"}, %u: tensor<i64> {tally.name = "u"}, %w: tensor<i64> {tally.name = "w"}) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked [0, inf], u1 : unbacked, u2 : unbacked [-inf, 5]>} {
  %a = tally.item %t : tensor<i64> bind #tally.bindings<u0 = result(0)>
  tally.check <u0 <= 4>, "first"
  %b = tally.item %u : tensor<i64> bind #tally.bindings<u1 = result(0)>
  tally.check <u0 <= u1>, "second"
  tally.check <u1 >= -3>, "follows"
  %c = tally.item %w : tensor<i64> bind #tally.bindings<u2 = result(0)>
  tally.check <u1 <= u2>, "third"
  tally.check <u0 <= u2>, "follows too"
  tally.check <u0 <= 5>, "follows anyway"
  %n = tally.size <u2 - u0> : index
  return %n : index
}
