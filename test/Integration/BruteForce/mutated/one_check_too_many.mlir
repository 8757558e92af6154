// add_equal, but one size is refused.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %y: tensor<?xf32>) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0>} {
  %r = arith.addf %x, %y : tensor<?xf32>
  tally.check <"s0 != 7">
  return %r : tensor<?xf32>
}
