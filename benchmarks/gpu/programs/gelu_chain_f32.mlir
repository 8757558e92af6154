// gelu(x * y + b) * sigmoid(x), where b is a row.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s33, s21>}, %arg1: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s33, s21>}, %arg2: tensor<?xf32> {tally.name = "b", tally.shape = #tally.shape<s21>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s33, s21>}) attributes {tally.symbols = #tally.symbols<s33, s21>} {
    %0 = tally.size <s33> : index
    %1 = tally.size <s21> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %3 = linalg.mul ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<?x?xf32>, tensor<?xf32>) outs(%4 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %12 = arith.addf %in, %in_0 : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    %6 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<?x?xf32>) outs(%6 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst = arith.constant 5.000000e-01 : f32
      %12 = arith.mulf %cst, %in : f32
      %cst_0 = arith.constant 0.707106769 : f32
      %13 = arith.mulf %in, %cst_0 : f32
      %14 = math.erf %13 : f32
      %cst_1 = arith.constant 1.000000e+00 : f32
      %15 = arith.addf %cst_1, %14 : f32
      %16 = arith.mulf %12, %15 : f32
      linalg.yield %16 : f32
    } -> tensor<?x?xf32>
    %8 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x?xf32>) outs(%8 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %12 = arith.negf %in : f32
      %13 = math.exp %12 : f32
      %cst = arith.constant 1.000000e+00 : f32
      %cst_0 = arith.constant 1.000000e+00 : f32
      %14 = arith.addf %cst_0, %13 : f32
      %15 = arith.divf %cst, %14 : f32
      linalg.yield %15 : f32
    } -> tensor<?x?xf32>
    %10 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %11 = linalg.mul ins(%7, %9 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%10 : tensor<?x?xf32>) -> tensor<?x?xf32>
    return %11 : tensor<?x?xf32>
  }
}
