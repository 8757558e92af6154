// A convolution with windows of one element, 64 to 256 channels.
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<?x64x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, 64, s53, s0>}, %arg1: tensor<256x64x1x1xf32> {tally.name = "w", tally.shape = #tally.shape<256, 64, 1, 1>}) -> (tensor<?x256x?x?xf32> {tally.shape = #tally.shape<s77, 256, s53, s0>}) attributes {tally.symbols = #tally.symbols<s77, s53, s0>} {
    %cst = arith.constant 0.000000e+00 : f32
    tally.check <1 <= s53>, "aten.conv2d.default: the window is larger than the input"
    tally.check <1 <= s0>, "aten.conv2d.default: the window is larger than the input"
    %cst_0 = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s77> : index
    %1 = tally.size <s53> : index
    %2 = tally.size <s0> : index
    %3 = tensor.empty(%0, %1, %2) : tensor<?x256x?x?xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<?x256x?x?xf32>) -> tensor<?x256x?x?xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%arg0, %arg1 : tensor<?x64x?x?xf32>, tensor<256x64x1x1xf32>) outs(%4 : tensor<?x256x?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %6 = arith.mulf %in, %in_1 : f32
      %7 = arith.addf %out, %6 : f32
      linalg.yield %7 : f32
    } -> tensor<?x256x?x?xf32>
    return %5 : tensor<?x256x?x?xf32>
  }
}

