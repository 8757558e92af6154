// The sum of the squares of each column.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s33, s50>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s50>}) attributes {tally.symbols = #tally.symbols<s33, s50>} {
    %0 = tally.size <s33> : index
    %1 = tally.size <s50> : index
    %2 = tensor.empty(%0, %1) : tensor<?x?xf32>
    %3 = linalg.mul ins(%arg0, %arg0 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>) -> tensor<?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %4 = tensor.empty(%1) : tensor<?xf32>
    %5 = linalg.fill ins(%cst : f32) outs(%4 : tensor<?xf32>) -> tensor<?xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel"]} ins(%3 : tensor<?x?xf32>) outs(%5 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.addf %out, %in : f32
      linalg.yield %7 : f32
    } -> tensor<?xf32>
    return %6 : tensor<?xf32>
  }
}
