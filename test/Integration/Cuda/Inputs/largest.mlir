// The largest element, -inf where there is none.
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>}) -> tensor<f32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %lowest = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<f32>
  %least = linalg.fill ins(%lowest : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%least : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %larger = arith.maximumf %out, %in : f32
    linalg.yield %larger : f32
  } -> tensor<f32>
  return %max : tensor<f32>
}
