// The softmax of each row.
#row = affine_map<(i, j) -> (i)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = tensor.empty(%m) : tensor<?xf32>
  %elements = tensor.empty(%m, %n) : tensor<?x?xf32>
  %lowests = linalg.fill ins(%lowest : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%lowests : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %larger = arith.maximumf %out, %in : f32
    linalg.yield %larger : f32
  } -> tensor<?xf32>
  %exp = linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %difference = arith.subf %in, %most : f32
    %power = math.exp %difference : f32
    linalg.yield %power : f32
  } -> tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<?x?xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.addf %out, %in : f32
    linalg.yield %more : f32
  } -> tensor<?xf32>
  %softmax = linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%elements : tensor<?x?xf32>) {
  ^bb0(%in: f32, %total: f32, %out: f32):
    %quotient = arith.divf %in, %total : f32
    linalg.yield %quotient : f32
  } -> tensor<?x?xf32>
  return %softmax : tensor<?x?xf32>
}
