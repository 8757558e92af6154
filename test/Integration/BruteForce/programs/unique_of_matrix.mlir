// Values, places and counts; the counts sum up to the size.
func.func @main(%x: tensor<?x?xi64> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> (tensor<?xi64>, tensor<?x?xi64>, tensor<?xi64>)
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %values, %places, %counts = tally.unique %x : tensor<?x?xi64> bind #tally.bindings<u0 = result(0).size(0)>
  tally.check <u0 <= s0 * s1>, "follows"
  tally.check <u0 <= 5>, "five at most"
  return %values, %places, %counts : tensor<?xi64>, tensor<?x?xi64>, tensor<?xi64>
}
