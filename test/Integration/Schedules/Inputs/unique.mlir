// The distinct elements, where each element is among them, and how often each occurs.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<u0>}, tensor<?x?xi64> {tally.shape = #tally.shape<s0, s1>},
        tensor<?xi64> {tally.shape = #tally.shape<u0>})
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : [0, 9223372036854775807] unbacked>} {
  %values, %inverse, %counts = tally.unique %x : tensor<?x?xf32> bind #tally.bindings<u0 = result(0).size(0)>
  return %values, %inverse, %counts : tensor<?xf32>, tensor<?x?xi64>, tensor<?xi64>
}
