#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<?x64x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s17, 64, s53, s0>}, %arg1: tensor<?x128x?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s17, 128, s48, s78>}, %arg2: tensor<128x64x3x3xf32> {tally.name = "w", tally.shape = #tally.shape<128, 64, 3, 3>}) -> (tensor<?x64x?x?xf32> {tally.shape = #tally.shape<s17, 64, s53, s0>}) attributes {tally.symbols = #tally.symbols<s17, s53, s0, s48, s78>} {
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
    %7 = tally.size <s53 + 4> : index
    %8 = tally.size <s0 + 4> : index
    %9 = tensor.empty(%0, %7, %8) : tensor<?x128x?x?xf32>
    %10 = linalg.fill ins(%cst_0 : f32) outs(%9 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %11 = tally.size <s48> : index
    %12 = tally.size <s78> : index
    %inserted_slice_1 = tensor.insert_slice %arg1 into %10[0, 0, 2, 2] [%0, 128, %11, %12] [1, 1, 2, 2] : tensor<?x128x?x?xf32> into tensor<?x128x?x?xf32>
    %extracted_slice = tensor.extract_slice %inserted_slice_1[0, 0, 1, 0] [%0, 128, %1, %8] [1, 1, 1, 1] : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %extracted_slice_2 = tensor.extract_slice %extracted_slice[0, 0, 0, 1] [%0, 128, %1, %2] [1, 1, 1, 1] : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %c3 = arith.constant 3 : index
    %13 = tensor.empty() : tensor<128x64x3x3xf32>
    %14 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%13 : tensor<128x64x3x3xf32>) {
    ^bb0(%out: f32):
      %19 = linalg.index 0 : index
      %20 = linalg.index 1 : index
      %21 = linalg.index 2 : index
      %22 = linalg.index 3 : index
      %c1 = arith.constant 1 : index
      %23 = arith.subi %c3, %c1 : index
      %24 = arith.subi %23, %21 : index
      %c1_4 = arith.constant 1 : index
      %25 = arith.subi %c3, %c1_4 : index
      %26 = arith.subi %25, %22 : index
      %extracted = tensor.extract %arg2[%19, %20, %24, %26] : tensor<128x64x3x3xf32>
      linalg.yield %extracted : f32
    } -> tensor<128x64x3x3xf32>
    %15 = tensor.empty() : tensor<64x128x3x3xf32>
    %transposed = linalg.transpose ins(%14 : tensor<128x64x3x3xf32>) outs(%15 : tensor<64x128x3x3xf32>) permutation = [1, 0, 2, 3] 
    %cst_3 = arith.constant 0.000000e+00 : f32
    %16 = tensor.empty(%0, %5, %6) : tensor<?x64x?x?xf32>
    %17 = linalg.fill ins(%cst_3 : f32) outs(%16 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%extracted_slice_2, %transposed : tensor<?x128x?x?xf32>, tensor<64x128x3x3xf32>) outs(%17 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %in_4: f32, %out: f32):
      %19 = arith.mulf %in, %in_4 : f32
      %20 = arith.addf %out, %19 : f32
      linalg.yield %20 : f32
    } -> tensor<?x64x?x?xf32>
    return %18 : tensor<?x64x?x?xf32>
  }
}

