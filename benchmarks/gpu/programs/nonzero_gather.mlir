// The rows of x that the mask selects.
func.func @main(%mask: tensor<?xi1> {tally.name = "mask", tally.shape = #tally.shape<s0>},
                %x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<u0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1, u0 : unbacked>} {
  %rows = tally.nonzero %mask : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %numbers = tensor.collapse_shape %rows [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %m = tally.size <u0> : index
  %n = tally.size <s1> : index
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %gathered = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%numbers : tensor<?xi64>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %element = tensor.extract %x[%row, %column] : tensor<?x?xf32>
    linalg.yield %element : f32
  } -> tensor<?x?xf32>
  return %gathered : tensor<?x?xf32>
}
