// Sums over windows: an index that is a sum of two.
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<s0>}, %w: tensor<?xf32> {tally.name = "w", tally.shape = #tally.shape<s1>}) -> tensor<?xf32>
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %zero = arith.constant 0.0 : f32
  %n = tally.size <s0 - s1 + 1> : index
  %empty = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i + j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %w : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
