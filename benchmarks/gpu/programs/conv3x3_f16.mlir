// A convolution with windows of 3x3 and a padding of 1, 64 channels.
#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<?x64x?x?xf16> {tally.name = "x", tally.shape = #tally.shape<s77, 64, s53, s0>}, %arg1: tensor<64x64x3x3xf16> {tally.name = "w", tally.shape = #tally.shape<64, 64, 3, 3>}) -> (tensor<?x64x?x?xf16> {tally.shape = #tally.shape<s77, 64, s53, s0>}) attributes {tally.symbols = #tally.symbols<s77, s53, s0>} {
    %cst = arith.constant 0.000000e+00 : f16
    %0 = tally.size <s77> : index
    %1 = tally.size <s53 + 2> : index
    %2 = tally.size <s0 + 2> : index
    %3 = tensor.empty(%0, %1, %2) : tensor<?x64x?x?xf16>
    %4 = linalg.fill ins(%cst : f16) outs(%3 : tensor<?x64x?x?xf16>) -> tensor<?x64x?x?xf16>
    %5 = tally.size <s53> : index
    %6 = tally.size <s0> : index
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 1, 1] [%0, 64, %5, %6] [1, 1, 1, 1] : tensor<?x64x?x?xf16> into tensor<?x64x?x?xf16>
    tally.check <3 <= s53 + 2>, "aten.conv2d.default: the window is larger than the input"
    tally.check <3 <= s0 + 2>, "aten.conv2d.default: the window is larger than the input"
    %cst_0 = arith.constant 0.000000e+00 : f32
    %7 = tensor.empty(%0, %5, %6) : tensor<?x64x?x?xf32>
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%inserted_slice, %arg1 : tensor<?x64x?x?xf16>, tensor<64x64x3x3xf16>) outs(%8 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f16, %in_1: f16, %out: f32):
      %12 = arith.extf %in : f16 to f32
      %13 = arith.extf %in_1 : f16 to f32
      %14 = arith.mulf %12, %13 : f32
      %15 = arith.addf %out, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<?x64x?x?xf32>
    %10 = tensor.empty(%0, %5, %6) : tensor<?x64x?x?xf16>
    %11 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<?x64x?x?xf32>) outs(%10 : tensor<?x64x?x?xf16>) {
    ^bb0(%in: f32, %out: f16):
      %12 = arith.truncf %in : f32 to f16
      linalg.yield %12 : f16
    } -> tensor<?x64x?x?xf16>
    return %11 : tensor<?x64x?x?xf16>
  }
}

