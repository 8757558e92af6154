// Two matrices, one above the other, and twice the first side by side.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s2, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0 + s2, s1>}, tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1 * 2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %stacked = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %doubled = tensor.concat dim(1) %x, %x : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %stacked, %doubled : tensor<?x?xf32>, tensor<?x?xf32>
}
