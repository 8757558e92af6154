// x[a:b:3], and what is before it.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %a: index, %b: index) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {tally.symbols = #tally.symbols<s0>} {
  %c0 = arith.constant 0 : index
  %r = tally.slice %x[%a to %b step 3] dim 0 : tensor<?xf32>
  %q = tally.slice %x[%c0 to %a] dim 0 : tensor<?xf32>
  return %r, %q : tensor<?xf32>, tensor<?xf32>
}
