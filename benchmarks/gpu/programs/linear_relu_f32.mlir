// The ReLU of a linear layer.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s77, s27>}, %arg1: tensor<?x?xf32> {tally.name = "weight", tally.shape = #tally.shape<s23, s27>}, %arg2: tensor<?xf32> {tally.name = "bias", tally.shape = #tally.shape<s23>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s77, s23>}) attributes {tally.symbols = #tally.symbols<s77, s27, s23>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s77> : index
    %1 = tally.size <s23> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%3 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %9 = arith.mulf %in, %in_0 : f32
      %10 = arith.addf %out, %9 : f32
      linalg.yield %10 : f32
    } -> tensor<?x?xf32>
    %5 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%4, %arg2 : tensor<?x?xf32>, tensor<?xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %9 = arith.addf %in, %in_0 : f32
      linalg.yield %9 : f32
    } -> tensor<?x?xf32>
    %7 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %8 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf32>) outs(%7 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %cst_0 = arith.constant 0.000000e+00 : f32
      %9 = arith.cmpf olt, %in, %cst_0 : f32
      %10 = arith.cmpf uno, %cst_0, %cst_0 : f32
      %11 = arith.ori %9, %10 : i1
      %12 = arith.select %11, %cst_0, %in : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    return %8 : tensor<?x?xf32>
  }
}

