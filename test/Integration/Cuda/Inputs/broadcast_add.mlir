// A row is added to, and a column multiplied with, each row and column of x.
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %row: tensor<?xf32> {tally.name = "row", tally.shape = #tally.shape<s1>},
                %column: tensor<?xf32> {tally.name = "column", tally.shape = #tally.shape<s0>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<s0, s1>})
    attributes {tally.symbols = #tally.symbols<s0, s1>} {
  %m = tally.size <s0> : index
  %n = tally.size <s1> : index
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#element, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>, #element], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %column : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?x?xf32>) {
  ^bb0(%in: f32, %r: f32, %c: f32, %out: f32):
    %more = arith.addf %in, %r : f32
    %product = arith.mulf %more, %c : f32
    linalg.yield %product : f32
  } -> tensor<?x?xf32>
  return %sum : tensor<?x?xf32>
}
