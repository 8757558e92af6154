// gelu(x * y + b) * sigmoid(x), where b is a row.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xbf16> {tally.name = "x", tally.shape = #tally.shape<s33, s21>}, %arg1: tensor<?x?xbf16> {tally.name = "y", tally.shape = #tally.shape<s33, s21>}, %arg2: tensor<?xbf16> {tally.name = "b", tally.shape = #tally.shape<s21>}) -> (tensor<?x?xbf16> {tally.shape = #tally.shape<s33, s21>}) attributes {tally.symbols = #tally.symbols<s33, s21>} {
    %0 = tally.size <s33> : index
    %1 = tally.size <s21> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xbf16>
    %3 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%2 : tensor<?x?xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %12 = arith.extf %in : bf16 to f32
      %13 = arith.extf %in_0 : bf16 to f32
      %14 = arith.mulf %12, %13 : f32
      %15 = arith.truncf %14 : f32 to bf16
      linalg.yield %15 : bf16
    } -> tensor<?x?xbf16>
    %4 = tensor.empty(%0, %1) : tensor<?x?xbf16>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<?x?xbf16>, tensor<?xbf16>) outs(%4 : tensor<?x?xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %12 = arith.extf %in : bf16 to f32
      %13 = arith.extf %in_0 : bf16 to f32
      %14 = arith.addf %12, %13 : f32
      %15 = arith.truncf %14 : f32 to bf16
      linalg.yield %15 : bf16
    } -> tensor<?x?xbf16>
    %6 = tensor.empty(%0, %1) : tensor<?x?xbf16>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xbf16>) outs(%6 : tensor<?x?xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %12 = arith.extf %in : bf16 to f32
      %cst = arith.constant 5.000000e-01 : f32
      %13 = arith.mulf %cst, %12 : f32
      %cst_0 = arith.constant 0.707106769 : f32
      %14 = arith.mulf %12, %cst_0 : f32
      %15 = math.erf %14 : f32
      %cst_1 = arith.constant 1.000000e+00 : f32
      %16 = arith.addf %cst_1, %15 : f32
      %17 = arith.mulf %13, %16 : f32
      %18 = arith.truncf %17 : f32 to bf16
      linalg.yield %18 : bf16
    } -> tensor<?x?xbf16>
    %8 = tensor.empty(%0, %1) : tensor<?x?xbf16>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x?xbf16>) outs(%8 : tensor<?x?xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %12 = arith.extf %in : bf16 to f32
      %13 = arith.negf %12 : f32
      %14 = math.exp %13 : f32
      %cst = arith.constant 1.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %15 = arith.addf %cst_0, %14 : f32
      %16 = arith.divf %cst, %15 : f32
      %17 = arith.truncf %16 : f32 to bf16
      linalg.yield %17 : bf16
    } -> tensor<?x?xbf16>
    %10 = tensor.empty(%0, %1) : tensor<?x?xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%7, %9 : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%10 : tensor<?x?xbf16>) {
    ^bb0(%in: bf16, %in_0: bf16, %out: bf16):
      %12 = arith.extf %in : bf16 to f32
      %13 = arith.extf %in_0 : bf16 to f32
      %14 = arith.mulf %12, %13 : f32
      %15 = arith.truncf %14 : f32 to bf16
      linalg.yield %15 : bf16
    } -> tensor<?x?xbf16>
    return %11 : tensor<?x?xbf16>
  }
}
