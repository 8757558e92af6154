// The sine of the sine of the sine of each element, plus the sum of those of its row.
#row = affine_map<(i, j) -> (i)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%m) : tensor<?xf32>
  %elements = tensor.empty(%m, %n) : tensor<?x?xf32>
  %first = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sine = math.sin %in : f32
    linalg.yield %sine : f32
  } -> tensor<?x?xf32>
  %second = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%first : tensor<?x?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sine = math.sin %in : f32
    linalg.yield %sine : f32
  } -> tensor<?x?xf32>
  %third = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%second : tensor<?x?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sine = math.sin %in : f32
    linalg.yield %sine : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%third : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.addf %out, %in : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  %moved = linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%third, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %added = arith.addf %in, %total : f32
    linalg.yield %added : f32
  } -> tensor<?x?xf32>
  return %moved : tensor<?x?xf32>
}
