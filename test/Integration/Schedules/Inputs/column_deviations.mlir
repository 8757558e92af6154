// The mean of each column, and the largest distance from it: two reductions, one after the other.
#all = affine_map<(j, i) -> (i, j)>
#column = affine_map<(j, i) -> (j)>
#one = affine_map<(j) -> (j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?xf32> {tally.shape = #tally.shape<s1>}, tensor<?xf32> {tally.shape = #tally.shape<s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %n = tally.size <s0> : index
  %m = tally.size <s1> : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.generic {indexing_maps = [#all, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %i = arith.index_cast %n : index to i64
  %count = arith.sitofp %i : i64 to f32
  %means = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sums : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %q = arith.divf %in, %count : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  %largest = linalg.generic {indexing_maps = [#all, #column, #column], iterator_types = ["parallel", "reduction"]}
      ins(%x, %means : tensor<?x?xf32>, tensor<?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%in: f32, %mean: f32, %out: f32):
    %d = arith.subf %in, %mean : f32
    %a = math.absf %d : f32
    %s = arith.maximumf %out, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %means, %largest : tensor<?xf32>, tensor<?xf32>
}
