// Each row, normalized, times a weight, plus a bias.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s33, s21>}, %arg1: tensor<?xf32> {tally.name = "weight", tally.shape = #tally.shape<s21>}, %arg2: tensor<?xf32> {tally.name = "bias", tally.shape = #tally.shape<s21>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s33, s21>}) attributes {tally.symbols = #tally.symbols<s33, s21>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s33> : index
    %1 = tensor.empty(%0) : tensor<?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<?xf32>
    %4 = tally.size <s21> : index
    %5 = arith.index_cast %4 : index to i64
    %6 = arith.sitofp %5 : i64 to f32
    %7 = tensor.empty(%0) : tensor<?xf32>
    %8 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%3 : tensor<?xf32>) outs(%7 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %6 : f32
      linalg.yield %20 : f32
    } -> tensor<?xf32>
    %expanded = tensor.expand_shape %8 [[0, 1]] output_shape [%0, 1] : tensor<?xf32> into tensor<?x1xf32>
    %9 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<?x?xf32>, tensor<?x1xf32>) outs(%9 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %20 = arith.subf %in, %in_2 : f32
      %21 = arith.mulf %20, %20 : f32
      linalg.yield %21 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 0.000000e+00 : f32
    %11 = tensor.empty(%0) : tensor<?xf32>
    %12 = linalg.fill ins(%cst_0 : f32) outs(%11 : tensor<?xf32>) -> tensor<?xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%10 : tensor<?x?xf32>) outs(%12 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.addf %out, %in : f32
      linalg.yield %20 : f32
    } -> tensor<?xf32>
    %14 = arith.index_cast %4 : index to i64
    %15 = arith.sitofp %14 : i64 to f32
    %16 = tensor.empty(%0) : tensor<?xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel"]} ins(%13 : tensor<?xf32>) outs(%16 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %20 = arith.divf %in, %15 : f32
      linalg.yield %20 : f32
    } -> tensor<?xf32>
    %expanded_1 = tensor.expand_shape %17 [[0, 1]] output_shape [%0, 1] : tensor<?xf32> into tensor<?x1xf32>
    %18 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %19 = linalg.generic {indexing_maps = [#map, #map3, #map3, #map4, #map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded, %expanded_1, %arg1, %arg2 : tensor<?x?xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?xf32>, tensor<?xf32>) outs(%18 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %in_4: f32, %in_5: f32, %out: f32):
      %cst_6 = arith.constant 9.99999974E-6 : f32
      %20 = arith.addf %in_3, %cst_6 : f32
      %21 = math.rsqrt %20 : f32
      %22 = arith.subf %in, %in_2 : f32
      %23 = arith.mulf %22, %21 : f32
      %24 = arith.mulf %23, %in_4 : f32
      %25 = arith.addf %24, %in_5 : f32
      linalg.yield %25 : f32
    } -> tensor<?x?xf32>
    return %19 : tensor<?x?xf32>
  }
}
