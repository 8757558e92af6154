// A row by its number, counted from either end.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}, %i: index) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %r = tally.select %x[%i] dim 0 : tensor<?x?xf32>
  return %r : tensor<?xf32>
}
