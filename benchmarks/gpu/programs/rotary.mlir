// A rotary embedding of x, given cosines and sines of each position.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
module {
  func.func @main(%arg0: tensor<?x?x?x?xbf16> {tally.name = "x", tally.shape = #tally.shape<s33, s50, s21, s81>}, %arg1: tensor<?x?xbf16> {tally.name = "cos", tally.shape = #tally.shape<s21, s81>}, %arg2: tensor<?x?xbf16> {tally.name = "sin", tally.shape = #tally.shape<s21, s81>}) -> (tensor<?x?x?x?xbf16> {tally.shape = #tally.shape<s33, s50, s21, s81>}) attributes {tally.symbols = #tally.symbols<s33, s50, s21, s81>} {
    %0 = tally.size <s33> : index
    %1 = tally.size <s50> : index
    %2 = tally.size <s21> : index
    %3 = tally.size <s81> : index
    %4 = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %arg1 : tensor<?x?x?x?xbf16>, tensor<?x?xbf16>) outs(%4 : tensor<?x?x?x?xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %14 = arith.extf %in : bf16 to f32
      %15 = arith.extf %in_1 : bf16 to f32
      %16 = arith.mulf %14, %15 : f32
      %17 = arith.truncf %16 : f32 to bf16
      linalg.yield %17 : bf16
    } -> tensor<?x?x?x?xbf16>
    %6 = tally.size <s81 floordiv 2> : index
    %7 = tally.size <s81 ceildiv 2> : index
    %extracted_slice = tensor.extract_slice %arg0[0, 0, 0, %6] [%0, %1, %2, %7] [1, 1, 1, 1] : tensor<?x?x?x?xbf16> to tensor<?x?x?x?xbf16>
    %8 = tensor.empty(%0, %1, %2, %7) : tensor<?x?x?x?xbf16>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice : tensor<?x?x?x?xbf16>) outs(%8 : tensor<?x?x?x?xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %14 = arith.extf %in : bf16 to f32
      %15 = arith.negf %14 : f32
      %16 = arith.truncf %15 : f32 to bf16
      linalg.yield %16 : bf16
    } -> tensor<?x?x?x?xbf16>
    %extracted_slice_0 = tensor.extract_slice %arg0[0, 0, 0, 0] [%0, %1, %2, %6] [1, 1, 1, 1] : tensor<?x?x?x?xbf16> to tensor<?x?x?x?xbf16>
    %concat = tensor.concat dim(3) %9, %extracted_slice_0 : (tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xbf16>
    %10 = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg2 : tensor<?x?x?x?xbf16>, tensor<?x?xbf16>) outs(%10 : tensor<?x?x?x?xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %14 = arith.extf %in : bf16 to f32
      %15 = arith.extf %in_1 : bf16 to f32
      %16 = arith.mulf %14, %15 : f32
      %17 = arith.truncf %16 : f32 to bf16
      linalg.yield %17 : bf16
    } -> tensor<?x?x?x?xbf16>
    %12 = tensor.empty(%0, %1, %2, %3) : tensor<?x?x?x?xbf16>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%5, %11 : tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>) outs(%12 : tensor<?x?x?x?xbf16>) {
    ^bb0(%in: bf16, %in_1: bf16, %out: bf16):
      %14 = arith.extf %in : bf16 to f32
      %15 = arith.extf %in_1 : bf16 to f32
      %16 = arith.addf %14, %15 : f32
      %17 = arith.truncf %16 : f32 to bf16
      linalg.yield %17 : bf16
    } -> tensor<?x?x?x?xbf16>
    return %13 : tensor<?x?x?x?xbf16>
  }
}
