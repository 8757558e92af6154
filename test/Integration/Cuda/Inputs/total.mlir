// The sum of all elements.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<f32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.addf %out, %in : f32
    linalg.yield %more : f32
  } -> tensor<f32>
  return %sum : tensor<f32>
}
