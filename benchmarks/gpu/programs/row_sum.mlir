// The sum of each row.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @main(%arg0: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s33, s50>}) -> (tensor<?xf32> {tally.shape = #tally.shape<s33>}) attributes {tally.symbols = #tally.symbols<s33, s50>} {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tally.size <s33> : index
    %1 = tensor.empty(%0) : tensor<?xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%2 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.addf %out, %in : f32
      linalg.yield %4 : f32
    } -> tensor<?xf32>
    return %3 : tensor<?xf32>
  }
}
