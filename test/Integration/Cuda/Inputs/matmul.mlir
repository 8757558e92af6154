// The product of two matrices.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s1, s2>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %m = tally.size <s0> : index
  %n = tally.size <s2> : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %product = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %product : tensor<?x?xf32>
}
