// A guard on a number with a fraction.
func.func @main(%t: tensor<f64> {tally.name = "t"}, %x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}) -> f64
    attributes {tally.symbols = #tally.symbols<s0, zuf0 : unbacked float>} {
  %v = tally.item %t : tensor<f64> bind #tally.bindings<zuf0 = result(0)>
  tally.check <2 * zuf0 < s0>, "less than half the size"
  tally.check <zuf0 >= -1>, "not below minus one"
  return %v : f64
}
