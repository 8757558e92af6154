// The ReLU of a linear layer.
#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf16> {tally.name = "x", tally.shape = #tally.shape<s77, s27>}, %arg1: tensor<?x?xf16> {tally.name = "weight", tally.shape = #tally.shape<s23, s27>}, %arg2: tensor<?xf16> {tally.name = "bias", tally.shape = #tally.shape<s23>}) -> (tensor<?x?xf16> {tally.shape = #tally.shape<s77, s23>}) attributes {tally.symbols = #tally.symbols<s77, s27, s23>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s77> : index
    %1 = tally.size <s23> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<?x?xf16>, tensor<?x?xf16>) outs(%3 : tensor<?x?xf32>) {
    ^bb0(%in: f16, %in_0: f16, %out: f32):
      %9 = arith.extf %in : f16 to f32
      %10 = arith.extf %in_0 : f16 to f32
      %11 = arith.mulf %9, %10 : f32
      %12 = arith.addf %out, %11 : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    %5 = tensor.empty(%0, %1) : tensor<?x?xf16>
    %6 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%4, %arg2 : tensor<?x?xf32>, tensor<?xf16>) outs(%5 : tensor<?x?xf16>) {
    ^bb0(%in: f32, %in_0: f16, %out: f16):
      %9 = arith.extf %in_0 : f16 to f32
      %10 = arith.addf %in, %9 : f32
      %11 = arith.truncf %10 : f32 to f16
      linalg.yield %11 : f16
    } -> tensor<?x?xf16>
    %7 = tensor.empty(%0, %1) : tensor<?x?xf16>
    %8 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<?x?xf16>) outs(%7 : tensor<?x?xf16>) {
    ^bb0(%in: f16, %out: f16):
      %9 = arith.extf %in : f16 to f32
      %cst_0 = arith.constant 0.000000e+00 : f32
      %10 = arith.cmpf olt, %9, %cst_0 : f32
      %11 = arith.cmpf uno, %cst_0, %cst_0 : f32
      %12 = arith.ori %10, %11 : i1
      %13 = arith.select %12, %cst_0, %9 : f32
      %14 = arith.truncf %13 : f32 to f16
      linalg.yield %14 : f16
    } -> tensor<?x?xf16>
    return %8 : tensor<?x?xf16>
  }
}

