// x[a:b], which is always right.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %a: index, %b: index) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %r = tally.slice %x[%a to %b] dim 0 : tensor<?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <0 <= u0 and u0 <= s0>, "follows"
  return %r : tensor<?xf32>
}
