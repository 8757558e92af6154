// Elements of x at rows and columns that are looked up, as an image is resized; no thread checks all pairs.
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x?xf32> {tally.name = "x", tally.shape = #tally.shape<s0, s1>},
                %rows: tensor<?xi64> {tally.name = "rows", tally.shape = #tally.shape<m>},
                %columns: tensor<?xi64> {tally.name = "columns", tally.shape = #tally.shape<n>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<m, n>})
    attributes {tally.symbols = #tally.symbols<s0, s1, m, n>} {
  %m = tally.size <m> : index
  %n = tally.size <n> : index
  %all = tensor.empty(%m, %n) : tensor<?x?xf32>
  %v = linalg.generic {indexing_maps = [#row, #column, #element], iterator_types = ["parallel", "parallel"]}
      ins(%rows, %columns : tensor<?xi64>, tensor<?xi64>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%row: i64, %column: i64, %unused: f32):
    %r = arith.index_cast %row : i64 to index
    %c = arith.index_cast %column : i64 to index
    %v = tensor.extract %x[%r, %c] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %v : tensor<?x?xf32>
}
