// The sum of each row.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s0>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.addf %out, %in : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  return %sum : tensor<?xf32>
}
