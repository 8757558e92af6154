func.func @reshape_add(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                       %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s2>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 4096], s1 : [0, 65536] % 8, s2>} {
  %n = tally.size <s0 * s1> : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %sum = linalg.add ins(%flat, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
