// h = x + residual; returns h, and h divided by its rows' root mean square, times
// weight.
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %residual: tensor<?x?xf32> {tally.name = "residual", tally.shape = #tally.shape<s0, s1>},
                %weight: tensor<?xf32> {tally.name = "weight", tally.shape = #tally.shape<s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>}, tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%m) : tensor<?xf32>
  %elements = tensor.empty(%m, %n) : tensor<?x?xf32>
  %h = linalg.add ins(%x, %residual : tensor<?x?xf32>, tensor<?x?xf32>) outs(%elements : tensor<?x?xf32>) -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %squares = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %square = arith.mulf %in, %in : f32
    %more = arith.addf %out, %square : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  %count = arith.index_cast %n : index to i64
  %length = arith.sitofp %count : i64 to f32
  %scale = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%squares : tensor<?xf32>) outs(%rows : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %epsilon = arith.constant 1.0e-6 : f32
    %mean = arith.divf %in, %length : f32
    %positive = arith.addf %mean, %epsilon : f32
    %root = math.rsqrt %positive : f32
    linalg.yield %root : f32
  } -> tensor<?xf32>
  %norm = linalg.generic {indexing_maps = [#element, #row, #column, #element], iterator_types = ["parallel", "parallel"]}
      ins(%h, %scale, %weight : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %factor: f32, %w: f32, %out: f32):
    %scaled = arith.mulf %in, %factor : f32
    %weighted = arith.mulf %scaled, %w : f32
    linalg.yield %weighted : f32
  } -> tensor<?x?xf32>
  return %norm, %h : tensor<?x?xf32>, tensor<?x?xf32>
}
