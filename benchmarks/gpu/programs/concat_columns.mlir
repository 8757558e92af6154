// 2 x beside 3 y.
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s33, s50>}, %arg1: tensor<?x?xf32> {tally.name = "y", tally.shape = #tally.shape<s33, s81>}) -> (tensor<?x?xf32> {tally.shape = #tally.shape<s33, s50 + s81>}) attributes {tally.symbols = #tally.symbols<s33, s50, s81>} {
    %cst = arith.constant 2.000000e+00 : f32
    %0 = tally.size <s33> : index
    %1 = tally.size <s50> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.mulf %in, %cst : f32
      linalg.yield %7 : f32
    } -> tensor<?x?xf32>
    %cst_0 = arith.constant 3.000000e+00 : f32
    %4 = tally.size <s81> : index
    %5 = tensor.empty(%0, %4) : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<?x?xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.mulf %in, %cst_0 : f32
      linalg.yield %7 : f32
    } -> tensor<?x?xf32>
    %concat = tensor.concat dim(1) %3, %6 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    return %concat : tensor<?x?xf32>
  }
}
