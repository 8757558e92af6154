// A matmul of any sizes.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<m, k>},
                %y: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<k2, n>}) -> tensor<?x?xf32>
    attributes {tally.symbols = #tally.symbols<m, k, k2, n>} {
  %zero = arith.constant 0.0 : f32
  %rows = tally.size <m> : index
  %columns = tally.size <n> : index
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
