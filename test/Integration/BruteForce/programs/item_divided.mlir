// The number is four times the symbol: that it can be is checked.
func.func @main(%t: tensor<1xi64> {tally.name = "t"}) -> index
    attributes {tally.symbols = #tally.symbols<u0 : unbacked [-1, 2]>} {
  %v = tally.item %t : tensor<1xi64> bind #tally.bindings<u0 = result(0) / 4>
  %n = tally.size <u0 * 3> : index
  return %n : index
}
