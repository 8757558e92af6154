// The sum over the middle dimension of three.
func.func @main(%x: tensor<?x?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1, s2>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s2>})
    attributes {tally.symbols = #tally.symbols<s0, s1, s2>} {
  %m = tally.size <s0> : index
  %n = tally.size <s2> : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, k)>], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.addf %out, %in : f32
    linalg.yield %more : f32
  } -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
