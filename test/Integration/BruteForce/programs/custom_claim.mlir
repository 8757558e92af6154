// A custom function says that there are more elements than there is room for, or
// fewer than none.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %k: i64) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, u0 : unbacked>} {
  %most = tally.size <s0> : index
  %front = tally.custom_call @take_front(%x, %k) bounds(%most) : (tensor<?xf32>, i64) -> tensor<?xf32>
      bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <u0 mod 2 == 0>, "pairs"
  return %front : tensor<?xf32>
}
