// add_equal, but a false assumption lets the check go.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  tally.assume <s0 == s1>
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
