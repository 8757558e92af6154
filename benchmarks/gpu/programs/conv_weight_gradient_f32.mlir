#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d5 * 2 + d2, d6 * 2 + d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0, d5, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<?x64x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s17, 64, s53, s0>}, %arg1: tensor<?x128x?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s17, 128, s48, s78>}, %arg2: tensor<128x64x3x3xf32> {tally.name = "w", tally.shape = #tally.shape<128, 64, 3, 3>}) -> (tensor<128x64x3x3xf32> {tally.shape = #tally.shape<128, 64, 3, 3>}) attributes {tally.symbols = #tally.symbols<s17, s53, s0, s48, s78>} {
    tally.check <3 <= s53 + 2>, "aten.convolution_backward.default: the window is larger than the input"
    tally.check <3 <= s0 + 2>, "aten.convolution_backward.default: the window is larger than the input"
    tally.check <s48 == s53 ceildiv 2>, "aten.convolution_backward.default: the sizes do not fit"
    tally.check <s78 == s0 ceildiv 2>, "aten.convolution_backward.default: the sizes do not fit"
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s17> : index
    %1 = tally.size <s53 + 2> : index
    %2 = tally.size <s0 + 2> : index
    %3 = tensor.empty(%0, %1, %2) : tensor<?x64x?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %5 = tally.size <s53> : index
    %6 = tally.size <s0> : index
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1, 1] [%0, 64, %5, %6] [1, 1, 1, 1] : tensor<?x64x?x?xf32> into tensor<?x64x?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %7 = tensor.empty() : tensor<128x64x3x3xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<128x64x3x3xf32>) -> tensor<128x64x3x3xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%inserted_slice, %arg1 : tensor<?x64x?x?xf32>, tensor<?x128x?x?xf32>) outs(%8 : tensor<128x64x3x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %10 = arith.mulf %in, %in_1 : f32
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<128x64x3x3xf32>
    return %9 : tensor<128x64x3x3xf32>
  }
}

