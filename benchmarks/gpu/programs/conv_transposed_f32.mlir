#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
module {
  func.func @main(%arg0: tensor<?x128x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, 128, s53, s0>}, %arg1: tensor<128x64x4x4xf32> {tally.name = "w", tally.shape = #tally.shape<128, 64, 4, 4>}) -> (tensor<?x64x?x?xf32> {tally.shape = #tally.shape<s77, 64, 2 * s53, 2 * s0>}) attributes {tally.symbols = #tally.symbols<s77, s53, s0>} {
    tally.check <s77 == 0 or 1 <= s53>, "aten.conv_transpose2d.input: the input is empty"
    tally.check <s77 == 0 or 1 <= s0>, "aten.conv_transpose2d.input: the input is empty"
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s77> : index
    %1 = tally.size <2 * s53 + 5> : index
    %2 = tally.size <2 * s0 + 5> : index
    %3 = tensor.empty(%0, %1, %2) : tensor<?x128x?x?xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x128x?x?xf32>) -> tensor<?x128x?x?xf32>
    %5 = tally.size <s53> : index
    %6 = tally.size <s0> : index
    %inserted_slice = tensor.insert_slice %arg0 into %4[0, 0, 3, 3] [%0, 128, %5, %6] [1, 1, 2, 2] : tensor<?x128x?x?xf32> into tensor<?x128x?x?xf32>
    %7 = tally.size <2 * s53 + 3> : index
    %extracted_slice = tensor.extract_slice %inserted_slice[0, 0, 1, 0] [%0, 128, %7, %2] [1, 1, 1, 1] : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %8 = tally.size <2 * s0 + 3> : index
    %extracted_slice_0 = tensor.extract_slice %extracted_slice[0, 0, 0, 1] [%0, 128, %7, %8] [1, 1, 1, 1] : tensor<?x128x?x?xf32> to tensor<?x128x?x?xf32>
    %c128 = arith.constant 128 : index
    %c64 = arith.constant 64 : index
    %c4 = arith.constant 4 : index
    %9 = tensor.empty() : tensor<128x64x4x4xf32>
    %10 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%9 : tensor<128x64x4x4xf32>) {
    ^bb0(%out: f32):
      %17 = linalg.index 0 : index
      %18 = linalg.index 1 : index
      %19 = linalg.index 2 : index
      %20 = linalg.index 3 : index
      %c1 = arith.constant 1 : index
      %21 = arith.subi %c4, %c1 : index
      %22 = arith.subi %21, %19 : index
      %c1_2 = arith.constant 1 : index
      %23 = arith.subi %c4, %c1_2 : index
      %24 = arith.subi %23, %20 : index
      %extracted = tensor.extract %arg1[%17, %18, %22, %24] : tensor<128x64x4x4xf32>
      linalg.yield %extracted : f32
    } -> tensor<128x64x4x4xf32>
    %11 = tensor.empty() : tensor<64x128x4x4xf32>
    %transposed = linalg.transpose ins(%10 : tensor<128x64x4x4xf32>) outs(%11 : tensor<64x128x4x4xf32>) permutation = [1, 0, 2, 3] 
    %cst_1 = arith.constant 0.000000e+00 : f32
    %12 = tally.size <2 * s53> : index
    %13 = tally.size <2 * s0> : index
    %14 = tensor.empty(%0, %12, %13) : tensor<?x64x?x?xf32>
    %15 = linalg.fill ins(%cst_1 : f32) outs(%14 : tensor<?x64x?x?xf32>) -> tensor<?x64x?x?xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%extracted_slice_0, %transposed : tensor<?x128x?x?xf32>, tensor<64x128x4x4xf32>) outs(%15 : tensor<?x64x?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.mulf %in, %in_2 : f32
      %18 = arith.addf %out, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<?x64x?x?xf32>
    return %16 : tensor<?x64x?x?xf32>
  }
}

