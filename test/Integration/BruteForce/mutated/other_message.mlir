// add_equal, but with another error.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<a>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<b>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<a, b>} {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
