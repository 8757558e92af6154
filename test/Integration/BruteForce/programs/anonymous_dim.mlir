// A custom function says how many elements there are; as many as another vector has.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %most = tally.size <s0> : index
  %kept = tally.custom_call @keep_positive(%x) bounds(%most) pure : (tensor<?xf32>) -> tensor<?xf32>
      bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <0 <= u0 and u0 <= s0>, "follows"
  %r = arith.addf %kept, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
