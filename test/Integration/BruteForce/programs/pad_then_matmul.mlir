// A matrix is padded to whole blocks of four, then multiplied by rows of a second.
func.func @main(%x: tensor<2x?xf32> {tally.name = "x", tally.shape = #tally.shape<2, s0>},
                %y: tensor<?x2xf32> {tally.name = "y", tally.shape = #tally.shape<4 * s1, 2>}) -> tensor<2x2xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %zero = arith.constant 0.0 : f32
  %more = tally.size <4 * (s0 ceildiv 4) - s0> : index
  %wide = tensor.pad %x low[0, 0] high[0, %more] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x?xf32> to tensor<2x?xf32>
  %empty = tensor.empty() : tensor<2x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = linalg.matmul ins(%wide, %y : tensor<2x?xf32>, tensor<?x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
