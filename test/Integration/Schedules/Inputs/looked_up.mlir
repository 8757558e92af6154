// Elements of x that are looked up, and a row; each index is checked where it is used.
#column = affine_map<(i, j) -> (j)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>},
                %b: tensor<?xf32> {tally.name = "b", tally.shape = #tally.shape<k>},
                %i: tensor<?x?xi64> {tally.name = "i", tally.shape = #tally.shape<m, k>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<m, k>})
    attributes {tally.symbols = #tally.symbols<n, m, k>} {
  %m = tally.size <m> : index
  %k = tally.size <k> : index
  %all = tensor.empty(%m, %k) : tensor<?x?xf32>
  %v = linalg.generic {indexing_maps = [#element, #column, #element], iterator_types = ["parallel", "parallel"]}
      ins(%i, %b : tensor<?x?xi64>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%at: i64, %bias: f32, %unused: f32):
    %c = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%c] : tensor<?xf32>
    %s = arith.addf %v, %bias : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %v : tensor<?x?xf32>
}
