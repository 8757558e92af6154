// The indices of the rows that the mask selects, with the elements of y added to them.
func.func @main(%x: tensor<?x8xf32> {tally.name = "x", tally.shape = #tally.shape<s0, 8>},
                %mask: tensor<?xi1> {tally.name = "mask", tally.shape = #tally.shape<s0>},
                %y: tensor<?xf32> {tally.name = "y", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0 : [0, 256], s1, u0 : unbacked>} {
  %rows = tally.nonzero %mask : tensor<?xi1> -> tensor<?x1xi64> bind #tally.bindings<u0 = result(0).size(0)>
  %numbers = tensor.collapse_shape %rows [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
  %n = tally.size <u0> : index
  %empty = tensor.empty(%n) : tensor<?xf32>
  %floats = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%numbers : tensor<?xi64>) outs(%empty : tensor<?xf32>) {
  ^bb0(%in: i64, %out: f32):
    %f = arith.sitofp %in : i64 to f32
    linalg.yield %f : f32
  } -> tensor<?xf32>
  %sum = linalg.add ins(%floats, %y : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
