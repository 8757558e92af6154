// A convolution with windows of 3x3 of each channel by itself.
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d5, d3 + d6, d4 + d7)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1, d2, d5, d6, d7)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d1, d2, d3, d4)>
module {
  func.func @main(%arg0: tensor<?x64x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, 64, s53, s0>}, %arg1: tensor<64x1x3x3xf32> {tally.name = "w", tally.shape = #tally.shape<64, 1, 3, 3>}) -> (tensor<?x64x?x?xf32> {tally.shape = #tally.shape<s77, 64, s53, s0>}) attributes {tally.symbols = #tally.symbols<s77, s53, s0>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s77> : index
    %1 = tally.size <s53 + 2> : index
    %2 = tally.size <s0 + 2> : index
    %3 = tensor.empty(%0, %1, %2) : tensor<?x64x?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %5 = tally.size <s53> : index
    %6 = tally.size <s0> : index
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1, 1] [%0, 64, %5, %6] [1, 1, 1, 1] : tensor<?x64x?x?xf32> into tensor<?x64x?x?xf32>
    %expanded = tensor.expand_shape %inserted_slice [[0], [1], [2, 3], [4]] output_shape [%0, 64, 1, %1, %2] : tensor<?x64x?x?xf32> into tensor<?x64x1x?x?xf32>
    %expanded_0 = tensor.expand_shape %arg1 [[0], [1], [2, 3], [4]] output_shape [64, 1, 1, 3, 3] : tensor<64x1x3x3xf32> into tensor<64x1x1x3x3xf32>
    tally.check <3 <= s53 + 2>, "aten.conv2d.default: the window is larger than the input"
    tally.check <3 <= s0 + 2>, "aten.conv2d.default: the window is larger than the input"
    %cst_1 = arith.constant 0.000000e+00 : f32
    %7 = tensor.empty(%0, %5, %6) : tensor<?x64x1x?x?xf32>
    %8 = linalg.fill ins(%cst_1 : f32) outs(%7 : tensor<?x64x1x?x?xf32>) -> tensor<?x64x1x?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%expanded, %expanded_0 : tensor<?x64x1x?x?xf32>, tensor<64x1x1x3x3xf32>) outs(%8 : tensor<?x64x1x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<?x64x1x?x?xf32>
    %collapsed = tensor.collapse_shape %9 [[0], [1], [2, 3], [4]] : tensor<?x64x1x?x?xf32> into tensor<?x64x?x?xf32>
    return %collapsed : tensor<?x64x?x?xf32>
  }
}

