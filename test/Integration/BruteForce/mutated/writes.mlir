// add_equal, but the sum is written back to the first operand as well.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> (tensor<?xf32>, tensor<?xf32> {tally.mutates = 0 : i64})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r, %r : tensor<?xf32>, tensor<?xf32>
}
