// Elements of x that are looked up, less the sum of their row; each index is checked where it is used.
#row = affine_map<(i, j) -> (i)>
#element = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?xf32> {tally.name = "x", tally.shape = #tally.shape<n>},
                %i: tensor<?x?xi64> {tally.name = "i", tally.shape = #tally.shape<m, k>})
    -> (tensor<?x?xf32> {tally.shape = #tally.shape<m, k>})
    attributes {tally.symbols = #tally.symbols<n, m, k>} {
  %m = tally.size <m> : index
  %k = tally.size <k> : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %all = tensor.empty(%m, %k) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %v = linalg.generic {indexing_maps = [#element, #element], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<?x?xi64>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%at: i64, %unused: f32):
    %c = arith.index_cast %at : i64 to index
    %v = tensor.extract %x[%c] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {indexing_maps = [#element, #row], iterator_types = ["parallel", "reduction"]}
      ins(%v : tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%at: f32, %sofar: f32):
    %s = arith.addf %sofar, %at : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#element, #row, #element], iterator_types = ["parallel", "parallel"]}
      ins(%v, %y : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%at: f32, %sum: f32, %unused: f32):
    %s = arith.subf %at, %sum : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
